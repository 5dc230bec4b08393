/** Work that is to be done once in a fleet, and what was read or written too much (README, "A fleet on PostgreSQL"). */
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { addCredential, createTokens } from "../../backend/access/credentials.ts";
import { defaultOptions } from "../../backend/context.ts";
import { createMetrics } from "../../backend/http/metrics.ts";
import { statusEvents } from "../../backend/partner/events.ts";
import { ownerOf } from "../../backend/store/ownership.ts";
import { adhoc, type Query, type Store } from "../../backend/store/store.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { watchedTx } from "./test-tx.ts";
import { bank, confirmIt, createWorld, everyWithdrawal, placeOrder, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

test("work is spread over the living, and only a dead one's work moves", () => {
  const works = Array.from({ length: 300 }, (_, n) => `orders of bank-${n}`);
  const three = works.map((work) => ownerOf(["a", "b", "c"], work));
  for (const worker of ["a", "b", "c"]) expect(three.filter((each) => each === worker).length).toBeGreaterThan(60);
  const two = works.map((work) => ownerOf(["a", "c"], work));
  expect(two.every((owner, n) => three[n] === "b" || owner === three[n])).toBe(true);
  expect(ownerOf([], "x")).toBeNull();
});

describe.runIf(stores.includes("postgres"))("two processes on PostgreSQL", () => {
  let place: Place;
  const worlds: World[] = [];
  beforeEach(async () => {
    place = await createPlace("postgres");
    for (let n = 0; n < 2; n += 1) worlds.push(await createWorld(await place.open(), { options: { pollMs: 50 } }));
  });
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map(({ service }) => service.stop()));
    await place.dispose();
  });
  const ownersOf = (work: string) => worlds.filter(({ service }) => service.owns(work));

  test("each work has one owner; when it stops, the other one takes over", async () => {
    const works = ["sweep", "queue metrics", "orders of bank", "purge"];
    for (const work of works) await expect.poll(() => ownersOf(work).length).toBe(1);
    const [owner] = ownersOf("sweep");
    const other = worlds.find((each) => each !== owner);
    await owner?.service.stop();
    for (const work of works) await expect.poll(() => other?.service.owns(work)).toBe(true);
  });

  test("orders are sent and expiries written, whoever owns them", async () => {
    await expect.poll(() => ownersOf("sweep").length).toBe(1);
    const expiring = await placeOrder(worlds[0]?.service ?? expect.fail());
    const now = Date.now();
    const ended = adhoc((db) =>
      db
        .updateTable("withdrawals")
        .set({ created_at: now - defaultOptions.orderTtlMs, deadline_at: now, expires_at: now })
        .where("id", "=", expiring.transaction_id),
    );
    await worlds[0]?.service.store.write((tx) => tx.run(ended));
    for (const { service, bank: theBank } of worlds) {
      let calls = 0;
      theBank.onSettle = () => {
        calls += 1;
        return { status: calls === 1 ? 503 : 200, body: '{"status":"accepted"}' };
      };
      const asked = await placeOrder(service, { sca_required: false });
      await confirmIt(service, asked);
    }
    const statuses = () => worlds[0] && everyWithdrawal(worlds[0].service.store);
    await expect
      .poll(async () => (await statuses())?.map(({ status }) => status).sort())
      .toEqual(["expired", "settled", "settled"]);
  });
});

test("a process that stops watching the queue takes its gauge away", async () => {
  const metrics = createMetrics();
  const depth = async () => /^tillcash_outbox_depth (\d+)$/m.exec((await metrics.render()).text)?.[1];
  metrics.telemetry.outbox({ depth: 3, oldestAgeMs: 10 });
  expect(await depth()).toBe("3");
  metrics.telemetry.outbox(null);
  expect(await depth()).toBeUndefined();
});

describe.each(stores)("on %s", (dialect) => {
  let world: World;
  worldPerTest(dialect, { inRealTime: true, options: { pollMs: 1e9 } }, (stage) => {
    ({ world } = stage);
  });

  test.runIf(dialect === "postgres")("signing in does not rewrite the credential's row", async () => {
    const { service } = world;
    const plain = { hash: async (secret: string) => secret, verify: async () => true };
    const key = { kind: "terminal", ownerId: till.merchantId, deviceId: till.deviceId } as const;
    await addCredential(service, plain, key);
    const read = () =>
      service.store.read((tx) =>
        tx.first(
          adhoc((db) =>
            db.selectFrom("credentials").select(["id", "secret_hash", sql<string>`ctid::text`.as("place")]),
          ),
        ),
      );
    const before = await read();
    if (before === undefined) throw new Error("no credential");
    const tokens = createTokens(service, "secret");
    expect(await tokens.issue(before, ["transactions"])).not.toBeNull();
    expect(await tokens.issue({ ...before, secret_hash: "another" }, ["transactions"])).toBeNull();
    expect(await read()).toEqual(before);
  });

  test("a report of one shop or one bank, and events that have not failed yet, read an index of their own", async () => {
    const planOf = async (query: Query<unknown>): Promise<string> => {
      const { text, values } = query.sql(dialect);
      const explain = dialect === "sqlite" ? "EXPLAIN QUERY PLAN " : "EXPLAIN ";
      const bound = values.reduce<string>(
        (sqlText, value, n) =>
          dialect === "sqlite"
            ? sqlText.replace("?", () => quoted(value))
            : sqlText.replaceAll(new RegExp(`\\$${n + 1}\\b`, "g"), () => quoted(value)),
        explain + text,
      );
      const rows = await world.service.store.write(async (tx) => {
        if (dialect === "postgres") await tx.run(raw("SET LOCAL enable_seqscan = off"));
        return tx.all(raw(bound));
      });
      return JSON.stringify(rows);
    };
    const quoted = (value: string | number | null) => (typeof value === "number" ? String(value) : `'${value}'`);
    const raw = (text: string) => adhoc((db) => ({ compile: () => sql.raw<Record<string, string>>(text).compile(db) }));
    const firstQueryOf = async (reader: typeof till | typeof bank) => {
      let first: Query<unknown> | null = null;
      const seeing: Store = {
        ...world.service.store,
        read(unit) {
          return world.service.store.read((tx) =>
            unit(
              watchedTx(tx, (step) => {
                if (step !== "changed" && step.sql(dialect).text.includes("archived")) first ??= step;
              }),
            ),
          );
        },
      };
      await reconcile({ ...world.service, store: seeing }, reader, { fromMs: 0, toMs: 1e14 }).next();
      if (first === null) throw new Error("nothing was read");
      return first;
    };
    // Of an empty table PostgreSQL takes any index: `plans.test.ts` asks it of one that has rows.
    if (dialect === "sqlite") {
      expect(await planOf(await firstQueryOf(till))).toContain("archived_by_shop");
      expect(await planOf(await firstQueryOf(bank))).toContain("archived_by_partner");
    }
    const claim = { partner: "bank", from: 0, now: 1, maxPlausibleDueAt: 2, leasedUntil: 2, worker: "w", limit: 8 };
    expect(await planOf(statusEvents.claims.first.overdue(claim))).toContain("status_events_untried");
  });
});
