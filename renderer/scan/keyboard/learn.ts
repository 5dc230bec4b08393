import { isTransactionId, transactionIdLength } from "../../../backend/contract/ids.ts";
import { settingBounds } from "../../../preload/choices.ts";
import type { Settings } from "../../../preload/contract.ts";
import {
  asCharacters,
  asUs,
  foreignLayouts,
  type Key,
  type Layout,
  pausesOf,
  stripAim,
  usCharacter,
} from "./interpret.ts";

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
  const usTyped = keys.map(({ code, shift }) => usCharacter(code, shift) ?? "\u0000").join("");
  const readings: readonly (readonly [Layout, string])[] = [
    ["us", typed],
    ...foreignLayouts.map((layout) => [layout, asUs(typed, layout)] as const),
  ];
  for (const [layout, text] of readings) {
    const found = idIn(text);
    if (found) return { scanner: { gapMs, layout, ...found }, meanMs, maxMs, sure: true };
  }
  const byKeyCodes = idIn(usTyped);
  // No table fits, but the key codes do: any layout but US makes them count first.
  if (byKeyCodes) return { scanner: { gapMs, layout: "uk", ...byKeyCodes }, meanMs, maxMs, sure: true };
  return { scanner: { gapMs, layout: "us", prefix: "", suffix: "" }, meanMs, maxMs, sure: false };
};
