import type { Settings } from "../../../preload/contract.ts";
import { type Decision, KeyboardDetector, type PressedKey, type ScanEnd } from "./detector.ts";
import { type FieldState, focusedField, picksAChoice, rememberField } from "./fields.ts";
import { type Interpretation, interpret, type Key, type Understood } from "./interpret.ts";

/** One scan of a keyboard scanner, with all that the test screen shows about it. */
export interface KeyboardScan extends Interpretation {
  readonly keys: readonly Key[];
  readonly end: ScanEnd;
}

/** Keys that wait in the page's queue come before a late timer counts as silence. */
const secondLookMs = 30;
/** A machine that hangs may hold keys back for as long as this. */
const stallMs = 400;

const pressed = (event: KeyboardEvent, restore: () => void): PressedKey => ({
  restore,
  key: event.key,
  code: event.code,
  shift: event.shiftKey,
  atMs: event.timeStamp,
  repeat: event.repeat,
  modified: (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph"),
  inField: focusedField() !== null,
});

type TakeKey = (key: PressedKey) => void;
let learner: TakeKey | null = null;

/** Gives all keys but Escape to the test screen, which learns a scanner from them; nothing else sees them. The result ends it. */
export const captureKeys = (take: TakeKey): (() => void) => {
  learner = take;
  return () => {
    if (learner === take) learner = null;
  };
};

/**
 * Listens for keyboard scanners before anything else on the page does, whatever has the focus. Fields that a scanner typed into get
 * back what they held. The result stops it.
 */
export const listenToKeyboard = (settings: () => Settings, onScan: (scan: KeyboardScan) => void): (() => void) => {
  let preferred: Understood | undefined;
  const read = (keys: readonly Key[]): Interpretation => interpret(keys, settings(), preferred);
  const detector = new KeyboardDetector(() => ({
    gapMs: settings().keyboardScanner.gapMs,
    isId: (keys) => read(keys).isId,
  }));
  let timer: ReturnType<typeof setTimeout> | undefined;

  const take = (decision: Decision): void => {
    if (decision.kind !== "scan") return;
    // Backwards, so that a field that was typed into twice ends as it was first.
    for (const key of decision.keys.toReversed()) key.restore();
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
  const listen = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (learner && event.key !== "Escape") {
      event.preventDefault();
      event.stopImmediatePropagation();
      learner(pressed(event, () => undefined));
      return;
    }
    let field: FieldState | null = null;
    const decisions = detector.press(pressed(event, () => field?.restore()));
    for (const decision of decisions) take(decision);
    // Only now: a scan that this key ended has just left the field.
    field = detector.isWaiting ? rememberField() : null;
    if (decisions.at(-1)?.kind !== "pass" || picksAChoice(event.key)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    wait();
  };
  window.addEventListener("keydown", listen, { capture: true });
  return () => {
    clearTimeout(timer);
    window.removeEventListener("keydown", listen, { capture: true });
  };
};
