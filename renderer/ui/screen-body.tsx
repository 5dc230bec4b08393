/** The content of most screens: title, amount, what to do next, facts, each at its fixed place. */
import type { ReactNode } from "react";
import type { Amount } from "../../preload/contract.ts";
import { BigAmount } from "./amount.tsx";
import classes from "./screen-body.module.css";

/** One line below the text, such as the shop or the code. */
export interface Fact {
  readonly name: string;
  readonly value: string;
}

interface ScreenBodyProps {
  readonly title: string;
  readonly money?: Amount | null;
  readonly next: string;
  readonly aside?: ReactNode;
  /** The aside is smaller than a countdown, so the text gets more room. */
  readonly isAsideSmall?: boolean;
  readonly facts?: readonly Fact[];
  /** Shown below, where the screen is high enough. */
  readonly more?: ReactNode;
}

/** Text, amount and facts of a screen. */
export const ScreenBody = ({ title, money, next, aside, isAsideSmall = false, facts, more }: ScreenBodyProps) => (
  <div
    className={classes.body}
    data-money={money ? true : undefined}
    data-aside={aside ? (isAsideSmall ? "small" : true) : undefined}
  >
    <h1 className={classes.title}>{title}</h1>
    {money && <BigAmount money={money} />}
    <p className={classes.next}>{next}</p>
    {more && <div className={classes.more}>{more}</div>}
    {aside && <div className={classes.aside}>{aside}</div>}
    {facts && facts.length > 0 && (
      <dl className={classes.facts}>
        {facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        ))}
      </dl>
    )}
  </div>
);
