/** From when on the audit says that keys and ids must be there. */
import { expect, test } from "vitest";
import { dayMs } from "../../../backend/contract/times.ts";
import { noteForgotten } from "../../../backend/operate/name-proof.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const noon = Date.UTC(2026, 10, 20, 12);
const first = "names_forgotten | 2026-11-20T12:00:00.000Z";

test.each<[what: string, before: readonly number[], entries: readonly string[]]>([
  ["the first entry is about now, whatever is forgotten", [Number.NEGATIVE_INFINITY], [first]],
  ["nothing that is forgotten of a time before it is another", [0, noon - dayMs], [first]],
  ["a later one is about the end of its day", [0, noon + dayMs], [first, "names_forgotten | 2026-11-22T00:00:00.000Z"]],
  ["one for each day", [0, noon + 1, noon + 2], [first, "names_forgotten | 2026-11-21T00:00:00.000Z"]],
  [
    "and up to the end of the day itself",
    [0, noon + 1, noon + dayMs / 2],
    [first, "names_forgotten | 2026-11-21T00:00:00.000Z"],
  ],
])("%s", async (_what, before, entries) => {
  for (const each of before) await stage.store.write((tx) => noteForgotten(tx, testKeys, each, noon));
  expect(await stage.audited()).toEqual(entries);
});
