/** A keyboard scanner that is set to the US layout: the keys it presses, and what a terminal with another layout makes of them. */
import { keyCodes, type Layout, layoutRows, usRows } from "../renderer/scan/keyboard/interpret.ts";

/** What a terminal with `layout` shows when the scanner types `text`. */
export const typedUnder = (text: string, layout: Layout): string => {
  if (layout === "us") return text;
  return [...text]
    .map((character) => {
      const plain = usRows.plain.indexOf(character);
      if (plain >= 0) return layoutRows[layout].plain[plain] ?? character;
      return layoutRows[layout].shifted[usRows.shifted.indexOf(character)] ?? character;
    })
    .join("");
};

/** The physical key that gives a character on a US keyboard. */
export const usCode = (character: string): { readonly code: string; readonly shift: boolean } | null => {
  if (character === " ") return { code: "Space", shift: false };
  const plain = usRows.plain.indexOf(character);
  const code = keyCodes[plain >= 0 ? plain : usRows.shifted.indexOf(character)];
  return code === undefined ? null : { code, shift: plain < 0 };
};
