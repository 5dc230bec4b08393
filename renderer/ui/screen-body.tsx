/** The content of most screens: title, amount, what to do next, facts, each at its fixed place. */

import { Loader } from "@mantine/core";
import type { CSSProperties, ReactNode } from "react";
import type { Amount } from "../../preload/contract.ts";
import { Facts, type FactsProps } from "./data-table.tsx";
import { amountParts } from "./format.ts";
import classes from "./screen-body.module.css";

/** Relative to the digits' size, as in the stylesheet. */
const partSize = { whole: 1, currency: 0.6, cents: 0.36 } as const;

/** Currency and cents are smaller than the rest, so they count for less of the width. */
const charactersOf = (parts: ReturnType<typeof amountParts>): number =>
  parts.reduce((sum, { text, kind }) => sum + text.length * partSize[kind], 0);

/** A longer amount leaves no room beside it on a wide screen. */
const usualCharacters = 6;

/** An amount, as large as fits. */
export const AmountText = ({ money }: { readonly money: Amount }) => {
  const parts = amountParts(money);
  const characters = charactersOf(parts);
  return (
    <p className={classes.big} data-amount style={{ "--characters": characters } as CSSProperties}>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one number have no other identity
        <span key={index} className={classes[part.kind]}>
          {part.text}
        </span>
      ))}
    </p>
  );
};

/** What a screen says. */
export interface ScreenBodyProps {
  readonly title: string;
  readonly money?: Amount | null;
  readonly next: string;
  readonly aside?: ReactNode;
  /** The aside is smaller than a countdown, so the text gets more room. */
  readonly isAsideSmall?: boolean;
  /** Lines below the text, such as the shop or the code; one without a value is left out. */
  readonly facts?: FactsProps["rows"];
  /** Where cash is about to leave the drawer: the amount is larger, and the right half has the notes and coins; null where none are known. */
  readonly cash?: ReactNode;
}

/** Text, amount and facts of a screen. */
export const ScreenBody = ({ title, money, next, aside, isAsideSmall = false, facts, cash }: ScreenBodyProps) => {
  const characters = money ? charactersOf(amountParts(money)) : 0;
  return (
    <div
      className={classes.body}
      data-money={money ? true : undefined}
      data-aside={aside ? (isAsideSmall ? "small" : true) : undefined}
      data-cash={cash ? (characters <= usualCharacters ? "beside" : "below") : undefined}
      style={{ "--characters": characters } as CSSProperties}
      data-large={cash !== undefined || undefined}
    >
      <h1 className={classes.title}>{title}</h1>
      {money && <AmountText money={money} />}
      <p className={classes.next}>{next}</p>
      {(aside || cash) && (
        <div className={classes.aside}>
          {aside}
          {cash}
        </div>
      )}
      {facts?.some(([, value]) => value) && <Facts rows={facts} className={classes.facts} />}
    </div>
  );
};

/** A spinner, hidden from screen readers. */
export const Working = () => (
  <div className={classes.working} aria-hidden>
    <Loader size={72} color="var(--accent)" />
  </div>
);
