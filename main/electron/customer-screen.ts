/** On which of this computer's screens the customer's display is: pure, and remembered over restarts. */
import path from "node:path";
import type { Display } from "electron";
import { z } from "zod";
import { readJson, tryWriteJson } from "../host/json-file.ts";

/** A screen as far as it can be recognized again: numbers change with the socket, names with the maker. */
const screenSchema = z.object({ id: z.number(), label: z.string(), width: z.number(), height: z.number() });
/** The screen that was chosen. */
export type ChosenScreen = z.infer<typeof screenSchema>;

/** What is looked at of a screen. */
export type Screen = Pick<Display, "id" | "label" | "bounds">;

/** How a screen is remembered. */
export const asChosen = ({ id, label, bounds: { width, height } }: Screen): ChosenScreen => ({
  id,
  label,
  width,
  height,
});

const isNamed = ({ label }: { readonly label: string }): boolean => label !== "";

/**
 * The screen for the customer; never the terminal's own. The chosen one, by its number and name, else by its name alone. With
 * none chosen the first; where the chosen one is gone, the only other one (it was replaced). Null: nobody guesses which.
 */
export const screenFor = (screens: readonly Screen[], own: number, chosen: ChosenScreen | null): Screen | null => {
  const others = screens.filter(({ id }) => id !== own);
  if (chosen === null) return others[0] ?? null;
  const named = others.filter((one) => isNamed(one) && one.label === chosen.label);
  const same = others.find((one) => one.id === chosen.id && one.label === chosen.label);
  return same ?? (named.length === 1 ? named[0] : undefined) ?? (others.length === 1 ? others[0] : undefined) ?? null;
};

/** The one after it, in turn; null where there is no other screen at all. */
export const nextScreen = (screens: readonly Screen[], own: number, shown: number | null): Screen | null => {
  const others = screens.filter(({ id }) => id !== own);
  const at = others.findIndex(({ id }) => id === shown);
  return others[(at + 1) % Math.max(others.length, 1)] ?? null;
};

/** The chosen screen in the terminal's folder. */
export interface ScreenMemory {
  load(): ChosenScreen | null;
  /** On a full disk the choice lasts until the program ends. */
  save(screen: ChosenScreen): void;
}

/** `customer-screen.json` of a data folder. */
export const openScreenMemory = (folder: string): ScreenMemory => {
  const file = path.join(folder, "customer-screen.json");
  let chosen = readJson(file, screenSchema);
  return {
    load: () => chosen,
    save(screen) {
      chosen = screen;
      tryWriteJson(file, screen);
    },
  };
};
