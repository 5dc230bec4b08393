import type { Key } from "./interpret.ts";

/** What a field held before a scanner typed into it, and the way back. */
export interface FieldState {
  readonly field: HTMLElement;
  restore(): void;
}

/** What the detector makes of a key, or of the silence after one. */
export type Decision =
  /** Not for us: let the key do what it does. */
  | { readonly kind: "pass" }
  /** Part of something fast where no field wants it, or the tail of a scan: the key must do nothing. */
  | { readonly kind: "swallow" }
  /** A scan: its characters, to be taken out of the fields again, and how it ended. */
  | { readonly kind: "scan"; readonly keys: readonly PressedKey[]; readonly end: ScanEnd };

/** How a scan by keyboard ended: by a key, by a pause, or by the next scan. */
export type ScanEnd = "enter" | "tab" | "silence" | "next_scan";

/** A key press, with what is needed to judge it and to undo it. */
export interface PressedKey extends Key {
  readonly repeat: boolean;
  /** Control, Meta or Alt is down (AltGr is not counted). */
  readonly modified: boolean;
  /** A field that takes text has the focus. */
  readonly inField: boolean;
  /** What the focused field held before this key; null where nothing takes text. */
  readonly held: () => FieldState | null;
}

/** What the detector asks of the settings and of the contract. */
interface DetectorRules {
  /** `settings.keyboardScanner.gapMs`, learnt on the test screen. */
  readonly gapMs: number;
  /** Whether the keys are an id, under whatever layout. */
  readonly isId: (keys: readonly Key[]) => boolean;
  /** The same, with the suffix where the manager named one: only an end key can follow. */
  readonly isComplete: (keys: readonly Key[]) => boolean;
}

const scanLengthMin = 6;
/** No human types six keys at this mean pause. */
const surePauseMs = 45;
/** A mean pause that only a machine has: such keys are a scan even without an end key and a right text. */
const machinePauseMs = 15;
/** One pause in a scan may be longer, for a machine hiccups too. */
const pauseMaxMs = 100;
/** A pause that may lie between two scans, or between typing and a scan, and how many times longer than usual it must be. */
const splitPauseMs = 50;
const splitPauseTimes = 3;
/** Where no field has the focus nobody types for a reason, so slower scanners count at once, if their text is an id. */
const looseGapMs = 150;
/** After a scan, a late or second end key (CR LF, or Tab and Enter) belongs to it. */
const tailMs = 300;
/** Outside fields, an end key that comes soon after this many characters was not meant for a button. */
const strayLengthMin = 4;
const burstLengthMax = 4096;

const quiet = new Set(["Shift", "Control", "Alt", "AltGraph", "CapsLock", "NumLock", "Meta", "ScrollLock"]);
const pass: Decision = { kind: "pass" };
const swallow: Decision = { kind: "swallow" };

const meanPause = (keys: readonly Key[]): number => {
  const first = keys[0];
  const last = keys.at(-1);
  return first && last && keys.length > 1 ? (last.atMs - first.atMs) / (keys.length - 1) : Number.POSITIVE_INFINITY;
};

/** Cut at the pauses that stand out. */
const partsOf = (keys: readonly PressedKey[]): readonly (readonly PressedKey[])[] => {
  const pauses = keys.map((key, index) => key.atMs - (keys[index - 1]?.atMs ?? key.atMs));
  const usual = pauses.toSorted((a, b) => a - b)[pauses.length >> 1] ?? 0;
  const cuts = keys.keys().filter((index) => (pauses[index] ?? 0) >= Math.max(splitPauseMs, splitPauseTimes * usual));
  const starts = [0, ...cuts];
  return starts.map((start, index) => keys.slice(start, starts[index + 1]));
};

const endOf = ({ key, code, modified }: PressedKey): ScanEnd | null => {
  // Scanners send CR and LF as Control+M and Control+J when they are configured to send control characters.
  if (key === "Enter" || (modified && (code === "KeyM" || code === "KeyJ"))) return "enter";
  return key === "Tab" ? "tab" : null;
};

const isCharacter = ({ key, code }: PressedKey): boolean =>
  key.length === 1 || key === "Dead" || /^Numpad\d$/.test(code);

/**
 * Tells a scanner from a person by the time between keys. Pure: fed with keys and their times, it answers what to do with each.
 * Works on the system's time stamps, so a page that is busy does not spoil it.
 */
export class KeyboardDetector {
  readonly #rules: () => DetectorRules;
  #keys: PressedKey[] = [];
  #scannedAtMs = Number.NEGATIVE_INFINITY;

  constructor(rules: () => DetectorRules) {
    this.#rules = rules;
  }

  /** Whether characters have come that silence may make a scan of. */
  get isWaiting(): boolean {
    return this.#keys.length > 0;
  }

  /** The last decision is about the key itself; scans that it brought to an end come before. */
  press(key: PressedKey): readonly Decision[] {
    if (quiet.has(key.key)) return [pass];
    const before = this.#splitBefore(key);
    return [...before, ...this.#take(key)];
  }

  /**
   * To be called when no key has come for `silenceMs`, and again, `final`, after `stallMs` more. What is no id yet, or has no suffix
   * yet, is kept until then: on a machine that hangs, the rest of a scan comes late, but with times that tell that it belongs to it.
   */
  silence(final: boolean): readonly Decision[] {
    return final || this.#rules().isComplete(this.#keys) ? this.#finish("silence") : [];
  }

  get silenceMs(): number {
    return Math.max(80, 1.5 * this.#rules().gapMs);
  }

  /** Ends the burst before a key that no longer belongs to it. */
  #splitBefore(key: PressedKey): readonly Decision[] {
    const last = this.#keys.at(-1);
    if (!last || endOf(key)) return [];
    const pause = key.atMs - last.atMs;
    const { gapMs, isId } = this.#rules();
    const longest = Math.max(gapMs, this.#keys.some(({ inField }) => inField) ? pauseMaxMs : looseGapMs);
    const whole = pause > 1.5 * meanPause(this.#keys) + 5 && isId(this.#keys);
    return whole || pause > longest ? this.#finish("next_scan") : [];
  }

  #take(key: PressedKey): readonly Decision[] {
    const end = endOf(key);
    if (end && !key.repeat) return this.#end(key, end);
    const last = this.#keys.at(-1);
    const fast = last !== undefined && !key.inField && key.atMs - last.atMs <= surePauseMs;
    const running = last
      ? fast || (this.#keys.length >= scanLengthMin && meanPause(this.#keys) <= surePauseMs)
      : key.atMs - this.#scannedAtMs <= tailMs;
    if (key.repeat || this.#keys.length >= burstLengthMax) return [this.#forget(pass)];
    // A control character, which scanners also send as a key (F9), inside or after a scan: it must not press, copy, print or close anything.
    if (key.modified || !isCharacter(key)) return [running ? swallow : this.#forget(pass)];
    this.#keys.push(key);
    return [fast ? swallow : pass];
  }

  #end(key: PressedKey, end: ScanEnd): readonly Decision[] {
    const last = this.#keys.at(-1);
    if (!last) return [key.atMs - this.#scannedAtMs <= tailMs ? swallow : pass];
    const longest = Math.max(this.#rules().gapMs, key.inField ? pauseMaxMs : looseGapMs);
    const inTime = key.atMs - last.atMs <= longest;
    const stray = inTime && !key.inField && this.#keys.length >= strayLengthMin;
    const scans = this.#finish(inTime ? end : "silence");
    if (scans.length === 0) return [stray ? swallow : pass];
    this.#scannedAtMs = key.atMs;
    return [...scans, swallow];
  }

  #forget(decision: Decision): Decision {
    this.#keys = [];
    return decision;
  }

  /** The scans in the burst, once it has ended; forgets the burst. */
  #finish(end: ScanEnd): readonly Decision[] {
    const scans = this.#scansIn(this.#keys, end);
    this.#scannedAtMs = scans.at(-1)?.at(-1)?.atMs ?? this.#scannedAtMs;
    this.#keys = [];
    return scans.map((keys) => ({ kind: "scan", keys, end }));
  }

  /** One scan as a rule. Two that came close together, or one after a person's last keys, are told apart by the pause between. */
  #scansIn(keys: readonly PressedKey[], end: ScanEnd): readonly (readonly PressedKey[])[] {
    const isScan = this.#isScan(keys, end);
    if (isScan && this.#rules().isId(keys)) return [keys];
    const parts = partsOf(keys).filter((part) => this.#isScan(part, end));
    if (parts.length > 0) return parts;
    return isScan ? [keys] : [];
  }

  #isScan(keys: readonly PressedKey[], end: ScanEnd): boolean {
    if (keys.length < scanLengthMin || keys.every(({ key }) => key === keys[0]?.key)) return false;
    const mean = meanPause(keys);
    const { gapMs, isId } = this.#rules();
    const limit = keys.some(({ inField }) => inField) ? Math.max(gapMs, 60) : Math.max(gapMs, looseGapMs);
    if (mean > limit) return false;
    const sure = mean <= (end === "enter" || end === "tab" ? surePauseMs : machinePauseMs);
    return isId(keys) || sure;
  }
}
