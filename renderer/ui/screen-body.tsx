/** The content of most screens: title, amount, what to do next, facts, each at its fixed place. */

import { Loader } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import type { Amount, Language } from "../../preload/contract.ts";
import { amountParts } from "./format.ts";
import classes from "./screen-body.module.css";
import { useLanguage } from "./use-language.ts";

interface AmountTextProps {
  readonly money: Amount;
  readonly language: Language;
}

/** An amount in the form of a language, as large as fits. */
export const AmountText = ({ money, language }: AmountTextProps) => {
  const parts = amountParts(money, language);
  // The currency is smaller than the digits, so it counts for less of the width.
  const characters = parts.reduce((sum, { text, isCurrency }) => sum + text.length * (isCurrency ? 0.62 : 1), 0);
  return (
    <p className={classes.big} data-amount style={{ "--characters": characters } as CSSProperties}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one number have no other identity
        <span key={index} className={part.isCurrency ? classes.currency : undefined}>
          {part.text}
        </span>
      ))}
    </p>
  );
};

/** The amount of a withdrawal, in the terminal's language. */
const BigAmount = ({ money }: { readonly money: Amount }) => <AmountText money={money} language={useLanguage()} />;

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

/** A spinner, hidden from screen readers. */
export const Working = () => (
  <div className={classes.working} aria-hidden>
    <Loader size={72} color="var(--accent)" />
  </div>
);
