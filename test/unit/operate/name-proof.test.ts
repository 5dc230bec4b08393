/** From when on the audit says that keys and ids must be there. */
import { expect, test } from "vitest";
import { dayMs, hourMs } from "../../../backend/contract/times.ts";
import { noteForgotten } from "../../../backend/operate/proof.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const noon = Date.UTC(2026, 10, 20, 12);
const first = "names_forgotten | 2026-11-20T11:00:00.001Z";
const hourBefore = noon - hourMs;
const asked = (...times: readonly number[]) =>
  stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("withdrawals")));
    for (const created_at of times)
      await tx.run(adhoc((db) => db.insertInto("withdrawals").values(rowWith({ created_at }))));
  });

test.each<[what: string, before: readonly number[], entries: readonly string[]]>([
  [
    "the first entry is about all that was asked for so far, whatever is forgotten",
    [Number.NEGATIVE_INFINITY],
    [first],
  ],
  ["nothing that is forgotten of a time before it is another", [0, noon - dayMs], [first]],
  ["a later one is about the end of its day", [0, noon + dayMs], [first, "names_forgotten | 2026-11-22T00:00:00.000Z"]],
  ["one for each day", [0, noon + 1, noon + 2], [first, "names_forgotten | 2026-11-21T00:00:00.000Z"]],
  [
    "and up to the end of the day itself",
    [0, noon + 1, noon + dayMs / 2],
    [first, "names_forgotten | 2026-11-21T00:00:00.000Z"],
  ],
])("%s", async (_what, before, entries) => {
  await asked(hourBefore);
  for (const each of before) await stage.store.write((tx) => noteForgotten(tx, testKeys, each, noon));
  expect(await stage.audited()).toEqual(entries);
  const written = await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("audit").select("actor"))));
  expect(written.every(({ actor }) => actor === "service")).toBe(true);
});

test.each<[what: string, times: readonly number[], now: number, since: string]>([
  ["a clock that is years ahead", [hourBefore], noon + 4_000 * dayMs, "2026-11-20T11:00:00.001Z"],
  ["a clock that is behind", [noon + dayMs], noon, "2026-11-21T12:00:00.001Z"],
  ["nothing that was asked for yet", [], noon, "1970-01-01T00:00:00.000Z"],
])("the first entry leaves what comes after it to the proof, with %s", async (_what, times, now, since) => {
  await asked(...times);
  await stage.store.write((tx) => noteForgotten(tx, testKeys, Number.NEGATIVE_INFINITY, now));
  expect(await stage.audited()).toEqual([`names_forgotten | ${since}`]);
});
