/** How PostgreSQL finds a withdrawal that a transition names, on a database that has never been analyzed. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as expiries from "../../backend/withdrawals/store/expiries.ts";
import * as decisions from "../../backend/withdrawals/store/operator-decisions.ts";
import * as transitions from "../../backend/withdrawals/store/transitions.ts";
import { createPlace, type Place, stores } from "./stores.ts";

const values = {
  id: "7F3K9Q2MX4T8WZ0G",
  merchant: "shop",
  device: "till",
  partner: "bank",
  posId: "1",
  reason: "sca_denied",
  cashier: null,
  attempts: 1,
  now: 1_750_000_000_000,
  scaExpiresAt: 1_750_000_040_000,
} as const;
const { insertWithdrawal: _, ...moves } = transitions;
const statements = Object.entries({ ...moves, expireOne: expiries.expireOne, ...decisions });

describe.runIf(stores.includes("postgres"))("postgres", () => {
  let place: Place;
  let client: pg.Client;
  beforeAll(async () => {
    place = await createPlace("postgres");
    client = new pg.Client({ connectionString: place.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await place.dispose();
  });

  test.each(statements)(
    "%s goes by the key, not by an index of all that a terminal or a deadline has",
    async (_, of) => {
      const { text } = of(values).sql("postgres");
      const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
      const plan = rows.map((row) => row["QUERY PLAN"]);
      expect(
        plan.filter((line) => / on withdrawals( |$)/.test(line) && !line.includes("Update on")).join("\n"),
      ).toMatch(/using withdrawals_pkey/);
      expect(plan.join("\n")).not.toMatch(/withdrawals_by_|withdrawals_confirmed/);
    },
  );
});
