import { readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import type { Settings, Symbology } from "../../../preload/contract.ts";
import { idFault, readFault, symbologiesInUse } from "../decode/rules.ts";
import { stripAim } from "./aim.ts";
import { asUs, foreignLayouts, type Layout, usCharacter } from "./layouts.ts";

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
  readonly isWhole: boolean;
}

const nameless = "\u0000";

const asCharacters = (keys: readonly Key[]): string =>
  keys.map(({ key }) => (key.length === 1 ? key : nameless)).join("");

const byKeyCode = (keys: readonly Key[]): string | null => {
  const characters = keys.map(({ code, shift }) => usCharacter(code, shift));
  return characters.every((character) => character !== null) ? characters.join("") : null;
};

/** What wraps the text by the manager's rule, and an AIM identifier before or after the prefix. */
const unwrap = (text: string, { prefix, suffix }: Settings["keyboardScanner"]) => {
  const outer = stripAim(text);
  const headless = prefix !== "" && outer.text.startsWith(prefix) ? outer.text.slice(prefix.length) : outer.text;
  const isWhole = headless.endsWith(suffix);
  const inner = stripAim(isWhole ? headless.slice(0, headless.length - suffix.length) : headless);
  return { text: inner.text, symbology: outer.symbology ?? inner.symbology, isWhole };
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
    const { text, symbology, isWhole } = unwrap(reading, settings.keyboardScanner);
    for (const candidate of new Set([text, text.toUpperCase()])) {
      if (isId(candidate, symbology, settings)) return { text: candidate, symbology, understood, isId: true, isWhole };
    }
  }
  const { text, symbology } = unwrap(asTyped.replaceAll(nameless, ""), settings.keyboardScanner);
  return { text, symbology, understood: "typed", isId: false, isWhole: false };
};
