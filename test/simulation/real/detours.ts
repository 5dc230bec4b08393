/** Between a kill and the next start the till may run for something else for a while: in training, or as another version. It is killed there too. */
import { DatabaseSync } from "node:sqlite";
import { journalFormat } from "../../../main/terminal/journal/database.ts";
import { startTillHost } from "../../e2e/stage/programs.ts";
import type { Chance } from "../../random.ts";
import { pause } from "./paced-clock.ts";
import type { Shop } from "./shop.ts";

/** `newer`: a newer program had the journal, and this one is put back; `upgrade`: an older one had it. */
export type Detour = "training" | "newer" | "upgrade";
const detours = ["training", "newer", "upgrade"] as const;

/** So many of ten kills. */
const ofTen = 3;
const staysMs = { min: 100, max: 2_500 } as const;
const formatBefore = journalFormat - 1;

/** Which one goes with this kill; null for most. */
export const detourOf = (number: number, chance: Chance): Detour | null =>
  (number * ofTen) % 10 < ofTen ? chance.pick(detours) : null;

/** What the file says it is, as another version would have left it. */
const setFormat = (journalPath: string, format: number): void => {
  const database = new DatabaseSync(journalPath);
  database.exec(`PRAGMA user_version = ${format}`);
  database.close();
};

/** Waits for the screen of a journal that this version refuses. @throws when it shows anything else but that it starts. */
const seeRefused = async ({ till }: Shop): Promise<void> => {
  const giveUpAt = performance.now() + refusedMaxMs;
  for (;;) {
    const screen = till.snapshot?.screen;
    if (screen?.kind === "blocked" && screen.why === "journal_newer") return;
    if (screen !== undefined && screen.kind !== "starting" && screen.kind !== "blocked")
      throw new Error(`a newer program's journal was opened: the till shows ${screen.kind}`);
    if (performance.now() > giveUpAt) throw new Error("the till did not say that its journal is a newer program's");
    await pause(50);
  }
};
const refusedMaxMs = 20_000;

/** Plays it with a till that was just killed; the till is off again at the end. */
export const takeDetour = async (detour: Detour, shop: Shop, chance: Chance): Promise<void> => {
  const { till, journalPath } = shop;
  switch (detour) {
    case "training": {
      const host = await startTillHost({ data: till.data, live: false });
      await pause(chance.between(staysMs.min, staysMs.max));
      await host.child.kill();
      return;
    }
    case "newer":
      setFormat(journalPath, journalFormat + 1);
      await till.start();
      await seeRefused(shop);
      await till.kill();
      setFormat(journalPath, journalFormat);
      return;
    case "upgrade":
      setFormat(journalPath, formatBefore);
      await till.start();
      await pause(chance.between(0, staysMs.min));
      await till.kill();
      return;
    default:
      detour satisfies never;
  }
};
