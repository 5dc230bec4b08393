/** What a scanner that is set to the US layout types on a terminal with another one, and back. Rows in the order of the US keys. */
import type { Settings } from "../../../preload/contract.ts";

/** A keyboard layout that the settings know. */
export type Layout = Settings["keyboardScanner"]["layout"];

/** The terminal's layouts that are tried under a scanner set to US. `us` needs no table. */
export const foreignLayouts = ["uk", "de", "ch", "fr"] as const satisfies readonly Layout[];

const us = {
  plain: "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./",
  shifted: '~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:"ZXCVBNM<>?',
};

const rows: Readonly<Record<(typeof foreignLayouts)[number], typeof us>> = {
  uk: {
    plain: "`1234567890-=qwertyuiop[]#asdfghjkl;'zxcvbnm,./",
    shifted: '¬!"£$%^&*()_+QWERTYUIOP{}~ASDFGHJKL:@ZXCVBNM<>?',
  },
  de: {
    plain: "^1234567890ß´qwertzuiopü+#asdfghjklöäyxcvbnm,.-",
    shifted: "°!\"§$%&/()=?`QWERTZUIOPÜ*'ASDFGHJKLÖÄYXCVBNM;:_",
  },
  ch: {
    plain: "§1234567890'^qwertzuiopü¨$asdfghjklöäyxcvbnm,.-",
    shifted: '°+"*ç%&/()=?`QWERTZUIOPè!£ASDFGHJKLéàYXCVBNM;:_',
  },
  fr: {
    plain: "²&é\"'(-è_çà)=azertyuiop^$*qsdfghjklmùwxcvbn,;:!",
    shifted: "\u00001234567890°+AZERTYUIOP¨£µQSDFGHJKLM%WXCVBN?./§",
  },
};

const tables = new Map(
  foreignLayouts.map((layout) => {
    const { plain, shifted } = rows[layout];
    // Shifted first, so that a character that stands on both (none does in an id) means the plain key.
    return [
      layout,
      new Map(
        [...[...shifted].entries()]
          .map(([at, key]) => [key, us.shifted[at] ?? key] as const)
          .concat([...plain].map((key, at) => [key, us.plain[at] ?? key] as const)),
      ),
    ];
  }),
);

/** What the scanner meant, when the terminal's layout is `layout` and the scanner is set to US. */
export const asUs = (text: string, layout: Layout): string => {
  const table = layout === "us" ? undefined : tables.get(layout);
  return table ? [...text].map((character) => table.get(character) ?? character).join("") : text;
};

/** What a terminal with `layout` shows when a scanner set to US types `text`: the other way round, for tests and the simulator. */
export const typedUnder = (text: string, layout: Layout): string => {
  if (layout === "us") return text;
  return [...text]
    .map((character) => {
      const plain = us.plain.indexOf(character);
      if (plain >= 0) return rows[layout].plain[plain] ?? character;
      return rows[layout].shifted[us.shifted.indexOf(character)] ?? character;
    })
    .join("");
};

const codes = [
  "Backquote",
  "Digit1",
  "Digit2",
  "Digit3",
  "Digit4",
  "Digit5",
  "Digit6",
  "Digit7",
  "Digit8",
  "Digit9",
  "Digit0",
  "Minus",
  "Equal",
  "KeyQ",
  "KeyW",
  "KeyE",
  "KeyR",
  "KeyT",
  "KeyY",
  "KeyU",
  "KeyI",
  "KeyO",
  "KeyP",
  "BracketLeft",
  "BracketRight",
  "Backslash",
  "KeyA",
  "KeyS",
  "KeyD",
  "KeyF",
  "KeyG",
  "KeyH",
  "KeyJ",
  "KeyK",
  "KeyL",
  "Semicolon",
  "Quote",
  "KeyZ",
  "KeyX",
  "KeyC",
  "KeyV",
  "KeyB",
  "KeyN",
  "KeyM",
  "Comma",
  "Period",
  "Slash",
];

/** The US character of a physical key, as `KeyboardEvent.code` names it; null for keys that carry none. */
export const usCharacter = (code: string, shift: boolean): string | null => {
  if (code === "Space") return " ";
  if (/^Numpad\d$/.test(code)) return code.slice(-1);
  const at = codes.indexOf(code);
  return at < 0 ? null : ((shift ? us.shifted : us.plain)[at] ?? null);
};

/** The physical key that gives a character on a US keyboard: what a scanner set to US presses. For tests and the simulator. */
export const usCode = (character: string): { readonly code: string; readonly shift: boolean } | null => {
  if (character === " ") return { code: "Space", shift: false };
  const plain = us.plain.indexOf(character);
  const at = plain >= 0 ? plain : us.shifted.indexOf(character);
  const code = codes[at];
  return code === undefined ? null : { code, shift: plain < 0 };
};
