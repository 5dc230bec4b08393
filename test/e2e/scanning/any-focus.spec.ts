/** Scanners in keyboard mode, whatever has the focus: the code is read, no field keeps a character, nothing else is pressed. */
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "@playwright/test";
import type { Layout } from "../../../renderer/scan/keyboard/interpret.ts";
import { byEffort } from "../../runner/effort.ts";
import { type FakeTill, openTill } from "../gallery/fake-till.ts";
import { screenOf } from "../gallery/snapshots.ts";
import { expect, test } from "../stage/shop.ts";
import { scanInTurnWithUsb, scanWithAltCodes, scanWithUsb } from "../stage/usb-scanner.ts";
import { focusOn, focusState, ignoredScans, installFocus, longestKeyPauseMs, type Stop, stopsOn } from "./focus.ts";
import { openPlace, type Place, places } from "./places.ts";
import { code, otherCode, type Scanner, scannerGroups, tillLayouts } from "./scanners.ts";

const start = async (page: Page): Promise<FakeTill> => {
  await installFocus(page);
  return openTill(page, screenOf("starting"));
};

const commandOf = ({ symbology }: Pick<Scanner, "symbology">, text = code) => ({
  type: "scan",
  text,
  source: "keyboard",
  ...(symbology && { symbology }),
});

/** Nothing shows what is kept: so long a scan has time to do harm. */
const keptMs = 200;

const waysToSee: Readonly<Record<Exclude<Place["scan"], "kept">, (page: Page, till: FakeTill) => Promise<unknown>>> = {
  sent: async (_, till) => till.commands.length,
  ignored: ignoredScans,
  listed: (page) => page.getByTestId("scanner-activities").getByRole("row").count(),
};

const giveUpMs = 30_000;
const lookEveryMs = 5;

/** What was seen last. As `expect.poll`, which costs more than the scan: it tells the runner of each of thousands of looks. */
const lookUntil = async <Seen>(look: () => Promise<Seen>, isDone: (seen: Seen) => boolean): Promise<Seen> => {
  const giveUpAt = performance.now() + giveUpMs;
  for (;;) {
    const seen = await look();
    if (isDone(seen) || performance.now() > giveUpAt) return seen;
    await setTimeout(lookEveryMs);
  }
};

/** A page that waits longer for the next key takes what it has for the whole: not the scanner was slow then, but the test's machine. */
const stalledMs = 400;

/** Scans once where the focus is put and looks at what has become of it. @returns false where the keys came too late to tell. */
const scanOnce = async (
  { page, till, place, stop }: { page: Page; till: FakeTill; place: Place; stop: Stop },
  scanner: Scanner,
  layout: Layout,
  marked: boolean,
): Promise<boolean> => {
  const message = `${place.name}, ${stop.what}: ${scanner.name} under ${layout}`;
  const way = place.scan === "kept" ? null : waysToSee[place.scan];
  const before = await focusOn(page, stop, marked);
  expect(before.focused, message).toBe(`${stop.index}`);
  const [sentBefore, seenBefore] = [till.commands.length, await way?.(page, till)];
  await scanWithUsb(page, scanner.wrap(code), { ...scanner, layout });
  if ((await longestKeyPauseMs(page)) >= stalledMs) return false;
  if (way) {
    const seen = await lookUntil(
      () => way(page, till),
      (now) => now !== seenBefore,
    );
    expect(seen, message).not.toEqual(seenBefore);
  } else await page.waitForTimeout(keptMs);
  const after = await lookUntil(
    () => focusState(page),
    (now) => isDeepStrictEqual(now, before),
  );
  expect(after, message).toEqual(before);
  // A list that finds while one types may look for what stood in its field for a moment.
  const sent = till.commands.slice(sentBefore).filter(({ type }) => type !== "list_history");
  expect(sent, message).toEqual(place.scan === "sent" ? [commandOf(scanner)] : []);
  return true;
};

/** As `scanOnce`, on the place opened anew for as long as the machine stalls. */
const scanOn = async (
  at: Parameters<typeof scanOnce>[0],
  rules: Parameters<typeof openPlace>[3],
  ...scan: [Scanner, Layout, boolean]
): Promise<void> => {
  while (!(await scanOnce(at, ...scan))) {
    console.log(`the machine stalled in the middle of a scan on ${at.place.name}: again`);
    await openPlace(at.page, at.till, at.place, rules);
    await stopsOn(at.page);
  }
};

const withTexts = places.filter(({ name }) => ["entry", "setup", "settings", "shop settings", "people"].includes(name));
const fieldsForText = 9;

/** In `npm test` each scanner has one of the layouts in a field, the next one in the next; all of them with `EFFORT=torture`. */
const turns = byEffort({ usual: [0], torture: [...tillLayouts.keys()] });

/** On a page with many fields each scanner has every fifth one, each field two scanners; every one with `EFFORT=torture`. */
const everyNthScanner = byEffort({ usual: 5, torture: 1 });
const fewFields = 3;

/**
 * Every field for text has its turn on every screen. Of the other controls, which know nothing of scanners, one in six has it, another
 * sixth on the next screen, and at least one on each. All of them with `EFFORT=torture`.
 */
const everyNth = byEffort({ usual: 6, torture: 1 });
const inTurn = (stops: readonly Stop[], turn: number): readonly Stop[] => {
  const controls = stops.filter(({ takesText }) => !takesText);
  const first = turn % Math.min(everyNth, controls.length);
  const chosen = controls.filter((_, at) => at % everyNth === first);
  return stops.filter((stop) => stop.takesText || chosen.includes(stop));
};

for (const turn of turns)
  test(`ten scanners read while a person stands in any field for text, layouts in turn from ${tillLayouts[turn]}`, async ({
    page,
  }) => {
    const till = await start(page);
    let fields = 0;
    for (const { rules, scanners } of scannerGroups)
      for (const place of withTexts) {
        await openPlace(page, till, place, rules);
        const stops = (await stopsOn(page)).filter(({ takesText }) => takesText);
        for (const stop of stops) {
          fields += 1;
          for (const [index, scanner] of scanners.entries()) {
            if (stops.length > fewFields && (fields + index) % everyNthScanner !== 0) continue;
            const layout = tillLayouts[(turn + fields + index) % tillLayouts.length];
            if (layout) await scanOn({ page, till, place, stop }, rules, scanner, layout, index % 2 === 1);
          }
        }
      }
    expect(fields).toBe(scannerGroups.length * fieldsForText);
  });

/**
 * The part with the fewest places for the focus has 275, or 101 of twice as many parts: where many are missing, the page was not there
 * when they were looked for.
 */
const { parts, fewestOfPart } = byEffort({
  usual: { parts: 3, fewestOfPart: 262 },
  torture: { parts: 6, fewestOfPart: 96 },
});

for (const part of Array(parts).keys())
  test(`scanners in turn read whatever has the focus on any screen, part ${part + 1}`, async ({ page }) => {
    const till = await start(page);
    let [seen, scans] = [0, 0];
    for (const [index, place] of places.entries()) {
      if (index % parts !== part) continue;
      const { rules, scanners } = scannerGroups[scans % scannerGroups.length] ?? { rules: {}, scanners: [] };
      await openPlace(page, till, place, rules);
      const stops = await stopsOn(page);
      seen += stops.length;
      for (const stop of inTurn(stops, Math.floor(index / parts))) {
        const scanner = scanners[scans % scanners.length];
        const layout = tillLayouts[scans % tillLayouts.length];
        if (scanner && layout) await scanOn({ page, till, place, stop }, rules, scanner, layout, scans % 2 === 1);
        scans += 1;
      }
    }
    expect(seen).toBeGreaterThanOrEqual(fewestOfPart);
  });

test("two codes 60 ms apart stay two, at 2 and at 15 ms a key, ended by Enter, Tab or nothing", async ({ page }) => {
  const till = await start(page);
  for (const end of ["Enter", "Tab", "none"] as const)
    for (const msPerKey of [2, 15])
      for (const name of ["ready-camera-off", "entry"]) {
        const place = places.find((one) => one.name === name);
        if (!place) throw new Error(`no such place: ${name}`);
        await openPlace(page, till, place, {});
        const message = `${name}, ${msPerKey} ms a key, ended by ${end}`;
        const before = await focusState(page);
        const sentBefore = till.commands.length;
        await scanInTurnWithUsb(page, [code, otherCode], { msPerKey, end }, 60);
        const sent = () => till.commands.slice(sentBefore);
        await expect.poll(sent, message).toEqual([commandOf({}), commandOf({}, otherCode)]);
        await expect.poll(() => focusState(page), message).toEqual(before);
      }
});

test("a scanner that sends Alt codes is read, in a field and outside of one", async ({ page }) => {
  const till = await start(page);
  for (const name of ["ready-camera-off", "entry"]) {
    const place = places.find((one) => one.name === name);
    if (!place) throw new Error(`no such place: ${name}`);
    await openPlace(page, till, place, {});
    const before = await focusState(page);
    const sentBefore = till.commands.length;
    await scanWithAltCodes(page, code, 2);
    await expect.poll(() => till.commands.slice(sentBefore)).toEqual([commandOf({})]);
    await expect.poll(() => focusState(page)).toEqual(before);
  }
});
