import type { Settings } from "../../../preload/contract.ts";
import { type Decision, type FieldState, KeyboardDetector, type PressedKey, type ScanEnd } from "./detector.ts";
import { type Interpretation, interpret, type Key, type Understood } from "./interpret.ts";

const takesText = new Set(["text", "search", "url", "tel", "email", "password", "number", "date", "time", ""]);

/** The field that takes what is typed now, if any. */
const focusedField = (): HTMLInputElement | HTMLTextAreaElement | null => {
  const element = document.activeElement;
  if (element instanceof HTMLTextAreaElement) return element;
  return element instanceof HTMLInputElement && takesText.has(element.type) ? element : null;
};

/**
 * Whether a character typed now would pick from a list of choices. That takes effect at once, before anybody can know whether a
 * scanner goes on typing, so such lists are left to the arrow keys and the pointer.
 */
const picksAChoice = (character: string): boolean =>
  document.activeElement instanceof HTMLSelectElement && character.length === 1 && character !== " ";

/** Sets a value in a way that React takes for typing; setting it straight would go unnoticed. */
const setValue = (field: HTMLInputElement | HTMLTextAreaElement, value: string): void => {
  if (field.value === value) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value")?.set?.call(field, value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
};

/** Remembers the focused field as it is now, before a key reaches it; null where nothing takes text. */
const rememberField = (): FieldState | null => {
  const field = focusedField();
  if (field === null) return null;
  const { value, selectionStart, selectionEnd } = field;
  return {
    field,
    restore: () => {
      if (!field.isConnected) return;
      setValue(field, value);
      // Numbers and dates have no selection to set.
      if (selectionStart !== null && document.activeElement === field) {
        field.setSelectionRange(selectionStart, selectionEnd);
      }
    },
  };
};

/** Marks a field whose keys are nobody else's: a PIN typed as fast as a scanner types is no barcode. */
export const pinFieldMark = { "data-pin": true } as const;

/** Whether what is typed now is a PIN. */
const isTypingPin = (): boolean =>
  document.activeElement instanceof HTMLInputElement && document.activeElement.dataset.pin !== undefined;

const digitsMax = 7;
const named: Readonly<Record<number, string>> = { 9: "Tab", 10: "Enter", 13: "Enter" };
const codePointMax = 0x10ffff;

/**
 * Puts characters together that a scanner sends as Alt codes: Alt held down while the digits of the character's number come from the
 * number pad (`Alt` 0 0 6 5 is A). The system would make characters of them on some platforms and in fields alone. Pure.
 */
export class AltCodes {
  #digits = "";

  /** Takes a key that went down; true where it is a digit of an Alt code, which must do nothing else. */
  down({ key, code, altKey }: Pick<KeyboardEvent, "key" | "code" | "altKey">): boolean {
    if (key === "Alt") {
      this.#digits = "";
      return false;
    }
    const digit = altKey ? /^(?:Numpad|Digit)(\d)$/.exec(code)?.[1] : undefined;
    if (digit === undefined) {
      this.#digits = "";
      return false;
    }
    if (this.#digits.length < digitsMax) this.#digits += digit;
    return true;
  }

  /** Takes a key that went up: the character that Alt's release completes (`Enter` or `Tab` for those), or null. */
  up({ key }: Pick<KeyboardEvent, "key">): string | null {
    if (key !== "Alt" || this.#digits === "") return null;
    const number = Number(this.#digits);
    this.#digits = "";
    if (number in named) return named[number] ?? null;
    return number >= 32 && number <= codePointMax ? String.fromCodePoint(number) : null;
  }
}

/** One scan of a keyboard scanner, with all that the test screen shows about it. */
export interface KeyboardScan extends Interpretation {
  readonly keys: readonly Key[];
  readonly end: ScanEnd;
}

/** Keys that wait in the page's queue come before a late timer counts as silence. */
const secondLookMs = 30;
/** A machine that hangs may hold keys back for as long as this. */
const stallMs = 400;

const pressed = (event: KeyboardEvent, held: PressedKey["held"]): PressedKey => ({
  held,
  key: event.key,
  code: event.code,
  shift: event.shiftKey,
  atMs: event.timeStamp,
  repeat: event.repeat,
  modified: (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph"),
  inField: focusedField() !== null,
});

/** Restores each field once, to its value before the first key: a page may render for each change. */
const restoreFields = (keys: readonly PressedKey[]): void => {
  const states = keys.flatMap(({ held }) => held() ?? []);
  for (const field of new Set(states.map((state) => state.field)))
    states.find((state) => state.field === field)?.restore();
};

type TakeKey = (key: PressedKey) => void;
let learner: TakeKey | null = null;

/** Gives all keys but Escape to the test screen, which learns a scanner from them; nothing else sees them. The result ends it. */
export const captureKeys = (take: TakeKey): (() => void) => {
  learner = take;
  return () => {
    if (learner === take) learner = null;
  };
};

/** Listens for keyboard scanners before the page does; fields that they typed into are restored. The result stops it. */
export const listenToKeyboard = (settings: () => Settings, onScan: (scan: KeyboardScan) => void): (() => void) => {
  let preferred: Understood | undefined;
  const read = (keys: readonly Key[]): Interpretation => interpret(keys, settings(), preferred);
  const detector = new KeyboardDetector(() => ({
    gapMs: settings().keyboardScanner.gapMs,
    isId: (keys) => read(keys).isId,
    isComplete: (keys) => read(keys).isComplete,
  }));
  let timer: ReturnType<typeof setTimeout> | undefined;

  const take = (decision: Decision): void => {
    if (decision.kind !== "scan") return;
    restoreFields(decision.keys);
    const interpretation = read(decision.keys);
    // Only one reading held: from now on it is tried first.
    if (interpretation.isId) preferred = interpretation.understood;
    onScan({ ...interpretation, keys: decision.keys, end: decision.end });
  };
  const wait = (): void => {
    clearTimeout(timer);
    if (!detector.isWaiting) return;
    timer = setTimeout(() => {
      timer = setTimeout(() => {
        detector.silence(false).forEach(take);
        if (detector.isWaiting) timer = setTimeout(() => detector.silence(true).forEach(take), stallMs);
      }, secondLookMs);
    }, detector.silenceMs);
  };
  const stop = (event: KeyboardEvent): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const altCodes = new AltCodes();
  /** Gives one key to whoever wants keys now; true where the page must not see it. */
  const feed = (keyOf: (held: PressedKey["held"]) => PressedKey): boolean => {
    let field: FieldState | null = null;
    const key = keyOf(() => field);
    if (learner && key.key !== "Escape") {
      learner(key);
      return true;
    }
    const decisions = detector.press(key);
    for (const decision of decisions) take(decision);
    // Only now: a scan that this key ended has just left the field.
    field = detector.isWaiting ? rememberField() : null;
    wait();
    return decisions.at(-1)?.kind !== "pass" || picksAChoice(key.key);
  };
  const keyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || isTypingPin()) return;
    if (altCodes.down(event) || feed((held) => pressed(event, held))) stop(event);
  };
  const keyUp = (event: KeyboardEvent): void => {
    const character = altCodes.up(event);
    if (character === null) return;
    // Else the window's menu would open.
    stop(event);
    feed((held) => ({ ...pressed(event, held), key: character, code: "", shift: false, modified: false }));
  };
  window.addEventListener("keydown", keyDown, { capture: true });
  window.addEventListener("keyup", keyUp, { capture: true });
  return () => {
    clearTimeout(timer);
    window.removeEventListener("keydown", keyDown, { capture: true });
    window.removeEventListener("keyup", keyUp, { capture: true });
  };
};
