/** An amount in very large digits, as on the screens of a withdrawal. */
import type { CSSProperties } from "react";
import type { Amount, Language } from "../../preload/contract.ts";
import classes from "./amount.module.css";
import { amountParts } from "./format.ts";
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
export const BigAmount = ({ money }: { readonly money: Amount }) => (
  <AmountText money={money} language={useLanguage()} />
);
