/** An amount for people: very large on the screens of a withdrawal, always at the same place. */
import type { CSSProperties } from "react";
import type { Amount, Language } from "../../preload/contract.ts";
import classes from "./amount.module.css";
import { amountParts } from "./format.ts";
import { useLanguage } from "./use-language.ts";

interface AmountTextProps {
  readonly money: Amount;
  readonly language: Language;
}

/** An amount as one language writes it, as large as its place allows. */
export const AmountText = ({ money, language }: AmountTextProps) => {
  const parts = amountParts(money, language);
  // The currency is set smaller, and takes as much less room.
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
export const BigAmount = ({ money }: { readonly money: Amount }) => (
  <AmountText money={money} language={useLanguage()} />
);
