/** How PostgreSQL finds a withdrawal that a transition names, and what is due in a queue, on a database that has never been analyzed. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { credentialInUse, tokenByHash } from "../../backend/access/credentials.ts";
import { blockedCustomer } from "../../backend/checkin/check-in.ts";
import { defaultOptions, type Reader } from "../../backend/context.ts";
import * as events from "../../backend/partner/events.ts";
import * as orders from "../../backend/partner/orders.ts";
import type { Query } from "../../backend/store/store.ts";
import { userKey } from "../../backend/store/user-key.ts";
import * as closed from "../../backend/withdrawals/closed.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import * as history from "../../backend/withdrawals/history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import * as report from "../../backend/withdrawals/reconcile.ts";
import * as due from "../../backend/withdrawals/store.ts";
import * as store from "../../backend/withdrawals/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { approve, confirmIt, createWorld, placeOrder, till } from "./world.ts";

const values = {
  id: "7F3K9Q2MX4T8WZ0G",
  merchant: "shop",
  device: "till",
  partner: "bank",
  terminalReference: "1",
  reason: "sca_denied",
  cashier: null,
  handOutId: null,
  hand_out_id: null,
  other_hand_out_id: null,
  attempts: 1,
  now: 1_750_000_000_000,
  scaExpiresAt: 1_750_000_040_000,
} as const;
const claim = {
  partner: "bank",
  worker: "w",
  limit: 8,
  from: 0,
  now: 1,
  maxPlausibleDueAt: 3,
  leasedUntil: 2,
} as const;
const queues = Object.entries({
  duePartners: orders.outbox.duePartners({ ...claim, from: 1 }),
  duePartnersFromTheBeginning: orders.outbox.duePartners(claim),
  claimOrders: orders.outbox.claims.all.overdue(claim),
  claimOrdersBeyond: orders.outbox.claims.all.implausible(claim),
  farthest: orders.outbox.farthest(claim),
  partnersWithEvents: events.statusEvents.duePartners({ ...claim, from: 1 }),
  partnersWithEventsFromTheBeginning: events.statusEvents.duePartners(claim),
  claimFirstTries: events.statusEvents.claims.first.overdue(claim),
  claimFirstTriesBeyond: events.statusEvents.claims.first.implausible(claim),
  claimRetries: events.statusEvents.claims.repeated.overdue(claim),
  claimRetriesBeyond: events.statusEvents.claims.repeated.implausible(claim),
});
/** As PostgreSQL names those of partitions, by their columns. */
const indexOf = (columns: string) => new RegExp(`(using|Index Scan on) \\w+_(\\d\\d|default)_${columns}_idx`);
const indexes = {
  creation: indexOf("created_at"),
  request: indexOf("partner_id_created_at_id"),
  confirmation: indexOf("confirmed_at_id"),
  shop: indexOf("merchant_id_confirmed_at_id"),
  bank: indexOf("partner_id_confirmed_at_id"),
  user: indexOf("partner_id_lower_created_at"),
  day: indexOf("day_at"),
  asking: indexOf("asked_at_transaction_id_sequen\\w*"),
  end: indexOf("archived_at"),
  dispute: indexOf("disputed_at"),
};
/** Every UPDATE of one withdrawal by its id. */
const statements = Object.entries({ ...store, ...due, ...closed } as Record<string, unknown>).flatMap(([name, of]) => {
  if (typeof of !== "function" || of.constructor.name === "AsyncFunction") return [];
  try {
    const query = of(values) as Query<unknown>;
    if (query instanceof Promise) query.catch(() => {});
    return /^update "withdrawals" set .* where "id" = \$/.test(query.sql("postgres").text)
      ? [[name, of as (of: typeof values) => Query<unknown>] as const]
      : [];
  } catch {
    // No statement, or one of other values.
    return [];
  }
});

test("the updates of one withdrawal are found by their text", () => {
  expect(statements.length).toBeGreaterThanOrEqual(15);
});

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

  const planOf = async (query: Query<unknown>) => {
    const { rows } = await client.query<{ "QUERY PLAN": string }>(
      `EXPLAIN (GENERIC_PLAN) ${query.sql("postgres").text}`,
    );
    return rows.map((row) => row["QUERY PLAN"]);
  };

  test.each(queues)("%s reads an end of the index: not all that waits for a bank that is down", async (_, query) => {
    const plan = await planOf(query);
    expect(plan.filter((line) => /Filter: .*due_at/.test(line))).toEqual([]);
    expect(plan.join("\n")).not.toMatch(/Seq Scan on (outbox|status_events)/);
    expect(plan.join("\n")).toMatch(/(_by_due|_due|_untried) on /);
  });

  test.each([
    ["outbox", orders.outbox],
    ["status_events", events.statusEvents],
  ] as const)(
    "a look from the beginning of %s reads no more for a bank that has been down for days",
    async (table, of) => {
      const blocksOf = async () => {
        const { text, values } = of.duePartners({ from: 0, now: 100_000 }).sql("postgres");
        const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...values]);
        const [{ Plan: plan }] = rows[0]["QUERY PLAN"];
        return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      };
      const found = async () => {
        const { text, values } = of.duePartners({ from: 0, now: 100_000 }).sql("postgres");
        return (await client.query(`${text} ORDER BY 1`, [...values])).rows;
      };
      await client.query(
        "INSERT INTO partners (id, created_at) VALUES ('down', 0), ('up', 0), ('idle', 0) ON CONFLICT DO NOTHING",
      );
      const columns = "(id, transaction_id, partner_id, body, attempts, due_at, claimed_by, created_at)";
      await client.query(
        `INSERT INTO ${table} ${columns} SELECT n, n, 'down', '{}', 1, n, 'w', 0 FROM generate_series(1, 50000) AS n`,
      );
      await client.query(`INSERT INTO ${table} ${columns} VALUES ('up', 'up', 'up', '{}', 1, 60000, 'w', 0)`);
      await client.query(`INSERT INTO ${table} ${columns} VALUES ('idle', 'idle', 'idle', '{}', 1, 100001, 'w', 0)`);
      expect(await found()).toEqual([
        { id: "down", since: "1" },
        { id: "up", since: "60000" },
      ]);
      expect(await blocksOf()).toBeLessThanOrEqual(40);
      await client.query(`ANALYZE ${table}`);
      expect(await blocksOf()).toBeLessThanOrEqual(40);
      await client.query(`DELETE FROM ${table}`);
    },
  );

  test("what is unlinked is looked for among what was confirmed", async () => {
    // As on a large table: this one is empty.
    await client.query("SET enable_seqscan = off");
    const plan = (await planOf(store.unlinkedCounts({ now: 0 }))).join("\n");
    await client.query("RESET enable_seqscan");
    expect(plan).toMatch(/on withdrawals_by_confirmation/);
  });

  test.each(["archived_withdrawals"] as const)("a page of a bank's %s is read by its own index", async (table) => {
    const before = { at: 2, id: "" };
    const asked = {
      reader: { partnerId: "bank" },
      fromMs: 0,
      toMs: 2,
      before,
      store: undefined,
      status: undefined,
      limit: 201,
    };
    await client.query("SET enable_seqscan = off");
    const plan = (await planOf(store.withdrawalsPage(table, asked))).join("\n");
    await client.query("RESET enable_seqscan");
    expect(plan).toMatch(indexes.request);
    expect(plan).not.toMatch(/^ *(Incremental )?Sort {2}/m);
  });

  test.each([
    ["all that has ended", "archived_withdrawals", undefined, indexes.creation],
    ["all that is open", "withdrawals", "settled", /withdrawals_by_creation/],
  ] as const)("of a chain's withdrawals %s is read by time, never shop by shop", async (_, table, status, index) => {
    const asked = {
      reader: { chainId: "c" },
      fromMs: 0,
      toMs: 2,
      before: { at: 2, id: "" },
      store: undefined,
      limit: 201,
    };
    await client.query("SET enable_seqscan = off");
    const plan = (await planOf(store.withdrawalsPage(table, { ...asked, status }))).join("\n");
    await client.query("RESET enable_seqscan");
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/withdrawals_by_shop/);
    expect(plan).not.toMatch(indexes.shop);
  });

  const span = { toMs: 2, after: { confirmed_at: 0, id: "" }, limit: 500 };
  const upTo = { confirmed_at: 1, id: "z" };
  test.each(["archived_withdrawals"] as const)(
    "a report of %s goes over a chain's time, a shop's own lines or a bank's",
    async (table) => {
      const asked = { chain: { chainId: "c" }, shop: { merchantId: "m", deviceId: "" }, bank: { partnerId: "p" } };
      const page = (reader: Reader) => report.reportPage(table, { reader, ...span, upTo, store: undefined });
      const plans = {
        place: report.reportPlaceOn(table, span),
        chain: page(asked.chain),
        shop: page(asked.shop),
        bank: page(asked.bank),
      };
      // Of an empty table every index is as good.
      await client.query("BEGIN");
      await client.query(`INSERT INTO ${table} (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
        created_at, expires_at, confirmed_at, settle_attempts, idempotency_key, request_hash, archived_at)
        SELECT n, n % 3, n % 50, 'u', 1, 'EUR', 0, 'linked', n, n, n, 1, n, 'h', 1
        FROM generate_series(1, 5000) AS n`);
      for (const [of, query] of Object.entries(plans)) {
        const plan = (await planOf(query)).join("\n");
        const { confirmation, shop, bank } = indexes;
        expect(plan).toMatch({ place: confirmation, chain: confirmation, shop, bank }[of] ?? /none/);
        // Of a chain's page only its own 3,000 places.
        if (of !== "chain") expect(plan).not.toMatch(/^ *(Incremental )?Sort {2}/m);
      }
      await client.query("ROLLBACK");
    },
  );

  const late = Array.from({ length: 500 }, (_, n) => `w${n}`);
  test("what is due is found by when it was asked for or confirmed, and held by its key", async () => {
    const found = (await planOf(due.dueWithdrawals(defaultOptions, { from: 1, now: 2 }, 500))).join("\n");
    expect(found.match(/using withdrawals_by_creation/g)).toHaveLength(2);
    expect(found.match(/using withdrawals_by_confirmation/g)).toHaveLength(1);
    expect(found).not.toMatch(/Sort|Seq Scan/);
    const held = (await planOf(due.holdDue(late, 2))).join("\n");
    expect(held).toMatch(/withdrawals_pkey/);
    expect(held).not.toMatch(/Seq Scan/);
  });

  test("of a withdrawal's transitions the confirmation alone changes its indexes, and each row has one record in the log", async () => {
    const other = await createPlace("postgres");
    const open = await other.open();
    const { service } = await createWorld(open);
    const reader = new pg.Client({ connectionString: other.url });
    await reader.connect();
    const updates = async () => {
      const { rows } = await reader.query<{ all: number; hot: number }>(
        "SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS hot FROM pg_stat_user_tables WHERE relname = 'withdrawals'",
      );
      return rows[0] ?? { all: 0, hot: 0 };
    };
    await reader.query("CREATE EXTENSION pg_walinspect");
    // The tests beside this one make checkpoints, which take the log away.
    await reader.query("SELECT pg_create_physical_replication_slot(current_database(), true, true)");
    const begun = await reader.query<{ at: string }>("SELECT pg_current_wal_lsn()::text AS at");
    /** Records that lock a row, or say that one is there to stay which was inserted unless another was there. */
    const besideRows = async () => {
      const { rows } = await reader.query(
        `SELECT relname, record_type FROM pg_get_wal_block_info($1, pg_current_wal_lsn()) AS w
          JOIN pg_database AS d ON d.oid = w.reldatabase JOIN pg_class AS c ON pg_relation_filenode(c.oid) = w.relfilenode
          WHERE datname = current_database() AND record_type IN ('LOCK', 'HEAP_CONFIRM')
            AND relname ~ '^(withdrawals|archived_|idempotency_|terminal_references|journal_heads|status_events)'`,
        [begun.rows[0]?.at],
      );
      return rows;
    };
    try {
      for (let n = 1; n <= 20; n += 1) {
        const asked = await placeOrder(service);
        await confirmIt(service, asked);
        await approve(service, asked);
        const wait = { waitMs: 20_000, whileStatus: "settling" } as const;
        await getTransaction(service, till, asked.transaction_id, wait);
        const head = { seq: n, head: "a".repeat(43), at: new Date(n).toISOString() };
        await linkTransaction(service, till, asked.transaction_id, null, undefined, null, head);
      }
      expect(await besideRows()).toEqual([]);
      // The server counts what a connection has done at its end.
      await service.stop();
      await open.close();
      await expect.poll(async () => (await updates()).all).toBe(100);
      expect((await updates()).hot).toBeGreaterThanOrEqual(78);
    } finally {
      await service.stop();
      await reader.end();
      await other.dispose();
    }
  });

  test("those that are ended are found once, however many wait", async () => {
    const plan = (await planOf(due.expireThese(late, values.now))).join("\n");
    expect(plan).toMatch(/(Filter|Index Cond): \(id = ANY \(ARRAY\[/);
    expect(plan).not.toMatch(/Join|Nested Loop/);
  });

  test.each(["alone", "shared"])("what ends in a transaction that is %s is found and moved by its key", async (how) => {
    const queries: Query<unknown>[] = [];
    closed.closeEnded(
      { dialect: "postgres", runUnawaited: (query: Query<unknown>) => queries.push(query) } as never,
      values,
    );
    expect(queries.length).toBe(1);
    const [query] = queries as [Query<unknown>];
    const plan = (await planOf((how === "shared" && query.whenShared) || query)).join("\n");
    expect(plan).toMatch(/using withdrawals_pkey/);
    // What is there already is found by the unique index that refuses it: no ended one is read.
    expect(plan).not.toMatch(/withdrawals_by_|Seq Scan on withdrawals|Scan .*on (archived|idempotency|terminal)_/);
  });

  test("whether a month may go is seen by what is disputed and by its own rows, never by going through all that has ended", async () => {
    await client.query("BEGIN");
    await client.query(`INSERT INTO archived_withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
      created_at, expires_at, confirmed_at, settle_attempts, idempotency_key, request_hash, archived_at)
      SELECT n, n % 3, n % 50, 'u', 1, 'EUR', 0, 'linked', n, n, n, 1, n, 'h', 1 FROM generate_series(1, 5000) AS n`);
    const plan = (await planOf(closed.keptOfTime({ from: 1, to: 2, before: 3 }))).join("\n");
    await client.query("ROLLBACK");
    expect(plan).toMatch(indexes.dispute);
    expect(plan).toMatch(indexes.creation);
    expect(plan).not.toMatch(/Seq Scan|Sort {2}/);
  });

  test("what a user, a shop and a terminal have had is summed over their own, open and ended", async () => {
    const time = { from: 1, until: 2 };
    const sums = {
      user: closed.userDaySum({ partner: "bank", user: "u", currency: "EUR", ...time }),
      shop: closed.shopDaySum({ merchant: "m", ...time }),
      shop_of_a_terminal: closed.terminalHourSum({ merchant: "m", device: "d", ...time }),
    };
    await client.query("BEGIN");
    for (const [table, column, value] of [
      ["withdrawals", "", ""],
      ["archived_withdrawals", ", archived_at", ", 1"],
    ])
      await client.query(`INSERT INTO ${table} (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status,
        created_at, expires_at, confirmed_at, settle_attempts, idempotency_key, request_hash${column})
        SELECT n, n % 3, n % 50, n % 70, 1, 'EUR', 0, 'linked', n, n, n, 1, n, 'h'${value} FROM generate_series(1, 5000) AS n`);
    for (const [of, query] of Object.entries(sums)) {
      const plan = (await planOf(query)).join("\n");
      expect(plan).toMatch(of === "user" ? / withdrawals_by_user / : / withdrawals_by_shop /);
      expect(plan).toMatch(of === "user" ? indexes.user : indexes.shop);
    }
    await client.query("ROLLBACK");
  });

  test.each([
    ["a request", store.admissionFor({ ...userKey("bank", "u"), merchant: "m", key: "k" })],
    ["a check-in", blockedCustomer(userKey("bank", "u"))],
    ["a confirmation", store.confirmReady(values)],
  ])("whether the user of %s is blocked is found by the user's own rows", async (_, query) => {
    await client.query("BEGIN");
    await client.query(`INSERT INTO customers (partner_id, user_id, created_at, blocked_at)
      SELECT 'bank', 'u' || n, n, n FROM generate_series(1, 5000) AS n`);
    const plan = (await planOf(query)).join("\n");
    await client.query("ROLLBACK");
    expect(plan).toMatch(/ customers_by_folded_id /);
  });

  test.each(statements)(
    "%s goes by the key, not by an index of all that a terminal or a deadline has",
    async (_, of) => {
      const plan = await planOf(of(values));
      expect(
        plan.filter((line) => / on withdrawals( |$)/.test(line) && !line.includes("Update on")).join("\n"),
      ).toMatch(/using withdrawals_pkey/);
      expect(plan.join("\n")).not.toMatch(/withdrawals_by_/);
    },
  );

  test.each([
    ["a token", tokenByHash({ hash: "h" })],
    ["a key", credentialInUse({ id: "i" })],
  ])("%s comes with its newest entry by indexes alone, however long the audit is", async (_, query) => {
    await client.query("BEGIN");
    await client.query(`INSERT INTO audit (seq, at, event, actor, object, key_id, hash)
      SELECT n, n, 'setting', 'a', 'access of terminal s/' || n % 1000, 'k', n FROM generate_series(1, 50000) AS n`);
    await client.query("ANALYZE audit");
    const plan = (await planOf(query)).join("\n");
    await client.query("ROLLBACK");
    expect(plan).not.toMatch(/Seq Scan on (audit|tokens)/);
    expect(plan).toMatch(/audit_by_object on audit newest/);
    expect(plan.match(/using audit_pkey on audit( before)?/g)).toHaveLength(2);
  });

  // The last ones: the table stays large.
  test("a page of a day's history, and of the withdrawals that are counted, is read by an index", async () => {
    await client.query("BEGIN");
    await client.query(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, day)
      SELECT n, 1, 'transition', n, 'requested', 'partner', 1 FROM generate_series(1, 20000) AS n`);
    const proven = (await planOf(history.provenPage({ day: 1, at: 0, limit: 1_000 }))).join("\n");
    expect(proven).toMatch(indexes.day);
    expect(proven).toMatch(/Index Cond: \(\(day = /);
    const asked = (await planOf(history.askedPage({ from: 0, before: 1, limit: 1_000 }))).join("\n");
    expect(asked).toMatch(indexes.asking);
    for (const plan of [proven, asked]) expect(plan).not.toMatch(/Sort {2}|Seq Scan on withdrawal_events|Hash/);
    await client.query("SET LOCAL enable_seqscan = off");
    const next = { at: 0, id: "", namesFrom: 0, limit: 1_000 };
    const counted = (await planOf(history.countedPage(next))).join("\n");
    expect(counted).toMatch(indexes.creation);
    expect(counted).toMatch(/Index Only Scan .* on idempotency_keys_/);
    const open = (await planOf(history.openPage({ ...next, before: 1 }))).join("\n");
    expect(open).toMatch(/using withdrawals_by_creation/);
    const ended = (await planOf(history.endedPage({ ...next, before: 1 }))).join("\n");
    expect(ended).toMatch(indexes.end);
    for (const plan of [counted, open, ended]) {
      expect(plan).not.toMatch(/Gather|Seq Scan on|hashed|Join/);
      expect(plan).toMatch(/Presorted Key/);
    }
    await client.query("ROLLBACK");
  });

  test.each([
    ["before that day", true, 2],
    ["with it", true, 1],
    ["never", false, 1],
  ])("a page in the middle of a day's history reads that page, the table analyzed %s", async (_, isAnalyzed, day) => {
    const rows = 20_000;
    const fill = (day: number) =>
      client.query(`INSERT INTO withdrawal_events (transaction_id, sequence, kind, at, to_status, actor, day, asked_at)
        SELECT n || '/' || ${day}, 1, 'transition', n, 'requested', 'partner', ${day}, 1 FROM generate_series(1, ${rows}) AS n`);
    await client.query("BEGIN");
    await fill(1);
    if (isAnalyzed) await client.query("ANALYZE withdrawal_events");
    if (day === 2) await fill(2);
    const plans: string[] = [];
    const pages = [
      history.provenPage({ day, at: rows / 2, limit: 1_000 }),
      history.nextDay({ after: day - 1 }),
      history.askedPage({ from: 0, before: 2, limit: 1_000 }),
      history.nextAsked({ from: 0 }),
    ];
    for (const { text, values: given } of pages.map((page) => page.sql("postgres"))) {
      const { rows: lines } = await client.query({ text: `EXPLAIN (ANALYZE, BUFFERS) ${text}`, values: [...given] });
      plans.push(lines.map((line) => line["QUERY PLAN"]).join("\n"));
    }
    await client.query("ROLLBACK");
    expect(plans[0]).toMatch(/rows=1000.00 loops=1/);
    for (const plan of plans) {
      expect(plan).not.toMatch(/Sort {2}/);
      expect(plan).not.toMatch(new RegExp(`rows=(${rows / 2}|[2-9]\\d{3}|\\d{5})\\.`));
    }
  });
});
