/** An amount for people: very large on the screens of a withdrawal, always at the same place. */
import type { CSSProperties } from "react";
import type { Amount } from "../../preload/contract.ts";
import classes from "./amount.module.css";
import { amountParts } from "./format.ts";
import { useLanguage } from "./use-language.ts";

/** The amount of a withdrawal, as large as its place allows. */
export const BigAmount = ({ money }: { readonly money: Amount }) => {
  const language = useLanguage();
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
