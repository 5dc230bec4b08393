/** What a scanner that is set to the US layout types on a terminal with another one, and back; and what one scan tells of the scanner. Rows in the order of the US keys. */
import { readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { isTransactionId, transactionIdLength } from "../../../backend/contract/ids.ts";
import { settingBounds } from "../../../preload/choices.ts";
import type { Settings, Symbology } from "../../../preload/contract.ts";
import { idFault, readFault, symbologiesInUse } from "../scan.ts";

/** ISO/IEC 15424: a bracket, the symbology's letter, a modifier. Scanners send it before the text when they are configured to. */
const letters: Readonly<Record<string, Symbology>> = {
  C: "code128",
  Q: "qr",
  z: "aztec",
  d: "datamatrix",
  L: "pdf417",
  E: "ean13",
  I: "itf",
  A: "code39",
};

/** Takes an AIM identifier off the front of a text. */
export const stripAim = (text: string): { readonly text: string; readonly symbology: Symbology | null } => {
  const [identifier, letter] = /^\]([A-Za-z])[0-9A-Za-z]/.exec(text) ?? [];
  if (identifier === undefined || letter === undefined) return { text, symbology: null };
  return { text: text.slice(identifier.length), symbology: letters[letter] ?? null };
};

/** A keyboard layout that the settings know. */
export type Layout = Settings["keyboardScanner"]["layout"];

/** The terminal's layouts that are tried under a scanner set to US. `us` needs no table. */
export const foreignLayouts = ["uk", "de", "ch", "fr"] as const satisfies readonly Layout[];

/** The US layout, in rows. */
export const usRows = {
  plain: "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./",
  shifted: '~!@#$%^&*()_+QWERTYUIOP{}|ASDFGHJKL:"ZXCVBNM<>?',
};

/** What the keys of `usRows` give in other layouts. */
export const layoutRows: Readonly<Record<(typeof foreignLayouts)[number], typeof usRows>> = {
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
    const { plain, shifted } = layoutRows[layout];
    // Shifted first, so that a character that stands on both (none does in an id) means the plain key.
    return [
      layout,
      new Map(
        [...[...shifted].entries()]
          .map(([at, key]) => [key, usRows.shifted[at] ?? key] as const)
          .concat([...plain].map((key, at) => [key, usRows.plain[at] ?? key] as const)),
      ),
    ];
  }),
);

/** What the scanner meant, when the terminal's layout is `layout` and the scanner is set to US. */
export const asUs = (text: string, layout: Layout): string => {
  const table = layout === "us" ? undefined : tables.get(layout);
  return table ? [...text].map((character) => table.get(character) ?? character).join("") : text;
};

/** Physical keys in the order of the rows, as `KeyboardEvent.code` names them. */
export const keyCodes = (
  "Backquote Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal " +
  "KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight Backslash " +
  "KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote " +
  "KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash"
).split(" ");

/** The US character of a physical key, as `KeyboardEvent.code` names it; null for keys that carry none. */
export const usCharacter = (code: string, shift: boolean): string | null => {
  if (code === "Space") return " ";
  if (/^Numpad\d$/.test(code)) return code.slice(-1);
  const at = keyCodes.indexOf(code);
  return at < 0 ? null : ((shift ? usRows.shifted : usRows.plain)[at] ?? null);
};

/** One key as the detector sees it. */
export interface Key {
  /** `KeyboardEvent.key`: the character under the terminal's layout, or the key's name. */
  readonly key: string;
  /** `KeyboardEvent.code`: the physical key, empty where it is not known. */
  readonly code: string;
  readonly shift: boolean;
  /** `KeyboardEvent.timeStamp`: when the system saw the key, however late the page did. */
  readonly atMs: number;
}

/** The mean and the longest pause between keys. */
export const pausesOf = (keys: readonly Key[]): { readonly meanMs: number; readonly maxMs: number } => {
  const pauses = keys.slice(1).map((key, at) => key.atMs - (keys[at]?.atMs ?? key.atMs));
  return { meanMs: pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length, maxMs: Math.max(...pauses) };
};

/** How the keys were understood: as typed, by their key codes on a US keyboard, or by the table of a layout. */
export type Understood = "typed" | "key codes" | Exclude<Layout, "us">;

/** What a scan by keyboard says, and how it was understood. */
export interface Interpretation {
  readonly text: string;
  readonly symbology: Symbology | null;
  readonly understood: Understood;
  /** An id of ours or of the network that the manager described. */
  readonly isId: boolean;
  /** An id behind which nothing is missing: where the manager named a suffix, with it. */
  readonly isComplete: boolean;
}

const nameless = "\u0000";

/** What was typed; a key that types nothing leaves a mark that no text has. */
export const asCharacters = (keys: readonly Key[]): string =>
  keys.map(({ key }) => (key.length === 1 ? key : nameless)).join("");

const byKeyCode = (keys: readonly Key[]): string | null => {
  const characters = keys.map(({ code, shift }) => usCharacter(code, shift));
  return characters.every((character) => character !== null) ? characters.join("") : null;
};

/** What wraps the text by the manager's rule, and an AIM identifier before or after the prefix. */
const unwrap = (text: string, { prefix, suffix }: Settings["keyboardScanner"]) => {
  const outer = stripAim(text);
  const headless = prefix !== "" && outer.text.startsWith(prefix) ? outer.text.slice(prefix.length) : outer.text;
  const isComplete = headless.endsWith(suffix);
  const inner = stripAim(isComplete ? headless.slice(0, headless.length - suffix.length) : headless);
  return { text: inner.text, symbology: outer.symbology ?? inner.symbology, isComplete };
};

const isId = (text: string, symbology: Symbology | null, settings: Settings): boolean => {
  if (readEnrolmentLink(text) !== null) return true;
  // A symbology that the camera does not look for may still come from a scanner; a cut-off text of a risky one may not.
  if (symbology === null || !symbologiesInUse(settings).includes(symbology)) return idFault(text, settings) === null;
  return readFault(text, symbology, settings) === null;
};

/**
 * Reads keys as a barcode. Several layouts may be under a scanner that is set to US; the first reading in which the check character
 * holds is taken, `preferred` before all. Without one it is the text as typed, for the core to refuse.
 */
export const interpret = (keys: readonly Key[], settings: Settings, preferred?: Understood): Interpretation => {
  const asTyped = asCharacters(keys);
  const byKeyCodes = byKeyCode(keys);
  const set = settings.keyboardScanner.layout;
  const tables = set === "us" ? foreignLayouts : [set, ...foreignLayouts];
  const readings: readonly (readonly [Understood, string])[] = [
    ["typed", asTyped],
    ...(byKeyCodes === null ? [] : [["key codes", byKeyCodes] as const]),
    ...tables.map((layout) => [layout, asUs(asTyped, layout)] as const),
  ];
  // A layout that the manager chose says what comes first, until a sure scan has said otherwise.
  const first = preferred ?? (set === "us" ? "typed" : byKeyCodes === null ? set : "key codes");
  const ordered = readings.toSorted(([a], [b]) => Number(b === first) - Number(a === first));
  for (const [understood, reading] of ordered) {
    const { text, symbology, isComplete } = unwrap(reading, settings.keyboardScanner);
    for (const candidate of new Set([text, text.toUpperCase()])) {
      if (isId(candidate, symbology, settings))
        return { text: candidate, symbology, understood, isId: true, isComplete };
    }
  }
  const { text, symbology } = unwrap(asTyped.replaceAll(nameless, ""), settings.keyboardScanner);
  return { text, symbology, understood: "typed", isId: false, isComplete: false };
};

/** How a keyboard scanner behaves, from one scan of it. */
export interface Learnt {
  readonly scanner: Settings["keyboardScanner"];
  readonly meanMs: number;
  readonly maxMs: number;
  /** Whether the scan held one of our ids, so that layout, prefix and suffix are known and not only the speed. */
  readonly sure: boolean;
}

const lengthMin = 6;
const affixMax = 8;
/** Room for a slower scan than the one that was learnt from. */
const slack = 1.5;
const gapMin = 60;
const gapMax = settingBounds.keyboardGapMs.max;

/** An id anywhere in a text, with what stands around it. */
const idIn = (text: string): { readonly prefix: string; readonly suffix: string } | null => {
  const bare = stripAim(text).text;
  for (let start = 0; start <= Math.min(affixMax, bare.length - transactionIdLength); start += 1) {
    const end = start + transactionIdLength;
    if (bare.length - end > affixMax || !isTransactionId(bare.slice(start, end).toUpperCase())) continue;
    return { prefix: stripAim(bare.slice(0, start)).text, suffix: bare.slice(end) };
  }
  return null;
};

/** Learns from the keys of one scan, end key left out; null when they were too few to be one. */
export const learnScanner = (keys: readonly Key[]): Learnt | null => {
  if (keys.length < lengthMin) return null;
  const { meanMs, maxMs } = pausesOf(keys);
  const gapMs = Math.round(Math.min(gapMax, Math.max(gapMin, maxMs * slack)));
  const typed = asCharacters(keys);
  const readings: readonly (readonly [Layout, string])[] = [
    ["us", typed],
    ...foreignLayouts.map((layout) => [layout, asUs(typed, layout)] as const),
    // Where no table fits, but the key codes do, any layout but US makes them count first.
    ["uk", keys.map(({ code, shift }) => usCharacter(code, shift) ?? nameless).join("")],
  ];
  for (const [layout, text] of readings) {
    const found = idIn(text);
    if (found) return { scanner: { gapMs, layout, ...found }, meanMs, maxMs, sure: true };
  }
  return { scanner: { gapMs, layout: "us", prefix: "", suffix: "" }, meanMs, maxMs, sure: false };
};
