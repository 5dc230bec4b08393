/** Processes of a fleet that start at the same moment on a database with nothing in it. */
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { createSandboxTables } from "../../backend/sandbox/tables.ts";
import { type Running, startService } from "../../backend/serve.ts";
import { adhoc } from "../../backend/store/statement.ts";
import { run } from "../../backend/store/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";

const places: Place[] = [];
const running: Running[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.stop()));
  await Promise.all(places.splice(0).map((place) => place.dispose()));
});
const placeFor = async (isBlank: boolean): Promise<Place> => {
  const place = await createPlace("postgres", { isBlank });
  places.push(place);
  return place;
};
const reasonsOf = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  test("eight that start together in the sandbox all serve", async () => {
    const place = await placeFor(true);
    const parsed = parseConfig({ DATABASE_URL: place.url, SANDBOX: "1", PORT: "0", DATABASE_CONNECTIONS: "4" });
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const starts = await Promise.allSettled(
      Array.from({ length: 8 }, () => startService(parsed.config, createLog("silent"))),
    );
    for (const start of starts) if (start.status === "fulfilled") running.push(start.value);
    expect(reasonsOf(starts)).toEqual([]);
    for (const { port } of running) expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  }, 60_000);

  test("the sandbox's tables are made by whoever is first, as often as all come at once", async () => {
    const place = await placeFor(false);
    const fleet = await Promise.all(Array.from({ length: 16 }, () => place.open()));
    for (let round = 0; round < 60; round += 1) {
      const starts = fleet.map(async (store, n) => {
        for (let turn = 0; turn < n * (round % 10); turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await createSandboxTables(store);
      });
      expect(reasonsOf(await Promise.allSettled(starts))).toEqual([]);
      for (const table of ["sandbox_holds", "sandbox_payments"])
        await fleet[0]?.write(() =>
          run(adhoc((db) => ({ compile: () => sql`DROP TABLE ${sql.table(table)}`.compile(db) }))),
        );
    }
  }, 60_000);
});
