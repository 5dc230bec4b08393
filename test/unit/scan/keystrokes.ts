import { defaultScaTimeoutSeconds } from "../../../preload/choices.ts";
import type { Settings } from "../../../preload/contract.ts";
import { type Decision, KeyboardDetector, type PressedKey } from "../../../renderer/scan/keyboard/detector.ts";
import { interpret, type Key, type Layout } from "../../../renderer/scan/keyboard/interpret.ts";
import { typedUnder, usCode } from "../../us-scanner.ts";

/** A terminal as it is delivered. */
export const usualSettings: Settings = {
  language: "en",
  colorScheme: "auto",
  sound: true,
  scaTimeoutSeconds: defaultScaTimeoutSeconds,
  camera: { enabled: true, deviceId: null },
  symbologies: ["code128", "qr", "aztec", "datamatrix", "pdf417"],
  fixedLength: null,
  foreignIds: null,
  keyboardScanner: { gapMs: 60, prefix: "", suffix: "", layout: "us" },
  drawer: { kind: "none" },
} as Settings;

/** The same with another keyboard scanner. */
export const withScanner = (change: Partial<Settings["keyboardScanner"]>): Settings => ({
  ...usualSettings,
  keyboardScanner: { ...usualSettings.keyboardScanner, ...change },
});

/** A text as a keyboard types it. */
export interface Typing {
  readonly text: string;
  readonly gapMs: number;
  readonly startMs?: number;
  readonly end?: "Enter" | "Tab" | null;
  readonly inField?: boolean;
  readonly layout?: Layout;
  /** False for events that do not say which key it was. */
  readonly codes?: boolean;
}

/** The keys that a scanner set to US sends for `text`, as a page on a terminal with `layout` sees them. */
export const keysOf = ({
  text,
  gapMs,
  startMs = 1000,
  end = "Enter",
  inField = false,
  layout = "us",
  codes = true,
}: Typing) => {
  const base = { repeat: false, modified: false, inField, held: () => null };
  const characters = [...text].map((character, index): PressedKey => {
    const place = usCode(character);
    return {
      ...base,
      key: typedUnder(character, layout),
      code: codes ? (place?.code ?? "") : "",
      shift: place?.shift ?? false,
      atMs: startMs + index * gapMs,
    };
  });
  if (end === null) return characters;
  const atMs = startMs + characters.length * gapMs;
  return [...characters, { ...base, key: end, code: end, shift: false, atMs }];
};

/** What the detector made of the keys. */
export interface Seen {
  readonly scans: readonly string[];
  /** What was let through to the page, of the end keys. */
  readonly endsPassed: number;
  readonly swallowed: number;
}

/** As long as the page waits for keys that a hanging machine holds back. */
const stallMs = 400;

/**
 * Plays keys to a detector as the page would, with the silence that falls between and after them. After the key with the index
 * `heldBackAfter` the machine hangs: the page hears nothing for a while, though the keys' own times go on.
 */
export const play = (keys: readonly PressedKey[], settings = usualSettings, heldBackAfter = -1): Seen => {
  const read = (some: readonly Key[]) => interpret(some, settings);
  const detector = new KeyboardDetector(() => ({
    gapMs: settings.keyboardScanner.gapMs,
    isId: (some) => read(some).isId,
    isComplete: (some) => read(some).isComplete,
  }));
  const scans: string[] = [];
  let [endsPassed, swallowed] = [0, 0];
  const take = (decision: Decision): void => {
    if (decision.kind === "scan") scans.push(read(decision.keys).text);
  };
  for (const [index, key] of keys.entries()) {
    const decisions = detector.press(key);
    for (const decision of decisions) take(decision);
    const last = decisions.at(-1)?.kind;
    if (last === "swallow") swallowed += 1;
    if (last === "pass" && (key.key === "Enter" || key.key === "Tab")) endsPassed += 1;
    const next = keys[index + 1];
    const pause = next ? next.atMs - key.atMs : Number.POSITIVE_INFINITY;
    if (detector.isWaiting && (pause > detector.silenceMs || heldBackAfter === index))
      for (const decision of detector.silence(false)) take(decision);
    if (detector.isWaiting && pause > detector.silenceMs + stallMs)
      for (const decision of detector.silence(true)) take(decision);
  }
  return { scans, endsPassed, swallowed };
};
