/** What somebody who can write the database, and has not its key, changes by SQL, and how `audit verify` names it, on both stores. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addCredential } from "../../backend/access/credentials.ts";
import { createSecretHasher } from "../../backend/access/secrets.ts";
import { recordFound } from "../../backend/access/setting-entries.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { block, unblock } from "../../backend/checkin/check-in.ts";
import type { Client, Terminal } from "../../backend/context.ts";
import { acceptHistory, checkAudit } from "../../backend/operate/audit.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { commands } from "../../backend/operate/commands.ts";
import { addMerchant, changeAllowance, setMerchant } from "../../backend/operate/merchants.ts";
import { addPartner, setPartnerUrl } from "../../backend/operate/partners.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { adhoc, type Query, type Store, type Value } from "../../backend/store/store.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { decideCash } from "../../backend/withdrawals/open.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { putBack, rowsOf } from "./rows.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { accepted, createWorld, declined, freshKey, testKeys, type World } from "./world.ts";

const hourMs = 3_600_000;
const till: Terminal = { merchantId: "kiosk", deviceId: "till-1" };
const bank: Client = { partnerId: "nordbank" };
const tables = [
  ...(["merchants", "partners", "credentials", "partner_merchants", "chain_merchants", "customers"] as const),
  ...(["withdrawals", "archived_withdrawals", "withdrawal_events", "audit", "audit_head", "settings"] as const),
] as const;
const copyOf = (store: Store) => rowsOf(store, tables);

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  /** Another connection, as a person at the database has it. */
  let intruder: Store;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  let sound: Awaited<ReturnType<typeof copyOf>>;
  /** A withdrawal that went well. */
  let paid = "";

  const sql = (...texts: readonly string[]) =>
    intruder.write(async (tx) => {
      for (const text of texts) {
        const query: Query<unknown> = { kind: "query", name: null, sql: () => ({ text, values: [] }) };
        await tx.run(query);
      }
    });
  const on = () => ({ ...world.service, keys: testKeys });
  const ask = (amount = "50.00", store = "kiosk", user_id = "ann") =>
    requestWithdrawal(world.service, bank, { user_id, amount, currency: "EUR", store }, freshKey());
  const answered = async (id: string) => {
    await confirmTransaction(world.service, till, { transaction_id: id, transaction_id_partner: freshKey() });
    await resolveSca(world.service, bank, id, "approved");
    await getTransaction(world.service, till, id, { waitMs: 10_000, whileStatus: "settling" });
    return id;
  };
  const settle = async (id: string) => {
    await answered(id);
    await linkTransaction(world.service, till, id);
    return id;
  };
  const pay = async (amount?: string) => settle((await ask(amount)).transaction_id);
  const finding = () => checkAudit(on()).then(JSON.stringify, (error: Error) => error.message);
  /** As its line of the bank's report has it. */
  const reported = async (id: string) => {
    for await (const lines of reconcile(world.service, bank, { fromMs: 0, toMs: clock.now() + 1 }))
      for (const line of lines) if (line.transaction_id === id) return line;
    return null;
  };

  beforeAll(async () => {
    place = await createPlace(dialect);
    clock = new VirtualClock();
    store = await place.open(clock);
    intruder = await place.open(clock);
    world = await createWorld(store, { clock, options: { pollMs: 1e9 } });
    await recordFound(on());
    await addMerchant(on(), { id: "kiosk", name: "Kiosk", largest: "200.00" });
    await addMerchant(on(), { id: "closed", name: "Closed" });
    await addPartner({ ...on() }, { id: "nordbank", url: "https://nordbank.example" });
    await changeAllowance(on(), "allow", ["nordbank", "kiosk"], false);
    const secrets = createSecretHasher(systemRandom, { N: 2, r: 1, p: 1 });
    for (const deviceId of ["till-1", "till-2"])
      await addCredential(on(), secrets, { kind: "terminal", ownerId: "kiosk", deviceId });
    await addCredential(on(), secrets, { kind: "client", ownerId: "nordbank", deviceId: "server-1" }, ["withdrawals"]);
    await commands["credentials revoke"]?.(on() as never, ["terminal", "kiosk", "till-2"], {});
    await commands["credentials add"]?.(on() as never, ["chain", "acme"], { shops: "kiosk" });
    await block(on(), { partnerId: "nordbank", userId: "Bob" });
    paid = await pay();
    clock.jump(48 * hourMs);
    await closeDays(on());
    sound = await copyOf(store);
  });
  beforeEach(() => putBack(store, sound));
  afterAll(async () => {
    await world.service.stop();
    await place.dispose();
  });

  test("what a service, its commands and a first look at what was there have left holds", async () => {
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    expect(await reported(paid)).toMatchObject({ finding: "matched" });
  });

  /** Both tables: a withdrawal lies in one of them. */
  const inBoth = (text: (table: string) => string) => sql(text("withdrawals"), text("archived_withdrawals"));
  /** Adds a copy of the withdrawal, changed, to one of the tables. */
  const addCopy = (table: "withdrawals" | "archived_withdrawals", changes: Record<string, Value>) => {
    const { archived_at: _, ...real } =
      [...sound.withdrawals, ...sound.archived_withdrawals].find((row) => row.id === paid) ?? {};
    const more = table === "withdrawals" ? {} : { archived_at: 1 };
    const row = { ...real, ...more, idempotency_key: "x", transaction_id_partner: "x", ...changes };
    return intruder.write((tx) => tx.run(adhoc((db) => db.insertInto(table).values(row as never))));
  };
  const lines = async () => {
    const found: string[] = [];
    for await (const page of reconcile(world.service, bank, { fromMs: 0, toMs: clock.now() + 1 }))
      found.push(...page.map(({ amount, finding }) => `${amount} ${finding}`));
    return found.toSorted();
  };
  const other = () => (sound.withdrawals.some(({ id }) => id === paid) ? "archived_withdrawals" : "withdrawals");

  const books: readonly [string, () => Promise<unknown>, RegExp, readonly string[]][] = [
    [
      "another amount",
      () => inBoth((table) => `update ${table} set amount = 90000 where id = '${paid}'`),
      /row 1 of \w+ was changed, or its withdrawal was/,
      ["900.00 matched"],
    ],
    [
      "an end that is taken away, with what counts it",
      async () => {
        await sql(`delete from withdrawal_events where transaction_id = '${paid}' and sequence = 6`);
        const changes = "status = 'settled', linked_at = null, cashier = null, history_length = 5";
        await inBoth((table) => `update ${table} set ${changes} where id = '${paid}'`);
      },
      /entry \d+ of the audit counts 6 rows of \S+ \S+, 5 are left/,
      ["50.00 not_linked"],
    ],
    [
      "a forged copy beside the real one",
      () => addCopy(other(), { amount: 90_000 }),
      /the withdrawal \w+ is there twice/,
      ["50.00 matched", "900.00 matched"],
    ],
    [
      "a withdrawal that nobody asked for",
      () => addCopy("archived_withdrawals", { id: "INVENTED", history_length: 0 }),
      /the withdrawal INVENTED has no history/,
      ["50.00 matched", "50.00 matched"],
    ],
    [
      "one from before there was a history",
      () => addCopy("archived_withdrawals", { id: "INVENTED", history_length: 0, created_at: 1, confirmed_at: 1 }),
      /INVENTED has no history|of 1970-01/,
      ["50.00 matched", "50.00 matched"],
    ],
    [
      "a row of its history deleted",
      () => sql(`delete from withdrawal_events where transaction_id = '${paid}' and sequence = 3`),
      /a row before row 4 of \w+ is missing/,
      ["50.00 matched"],
    ],
    [
      "the withdrawal deleted, with its history",
      async () => {
        await sql(`delete from withdrawal_events where transaction_id = '${paid}'`);
        await inBoth((table) => `delete from ${table} where id = '${paid}'`);
      },
      /entry \d+ of the audit counts 6 rows of \S+ \S+, none is left/,
      [],
    ],
  ];
  test.each(books)("%s shows", async (_, tamper, shown, report) => {
    expect(await finding()).toMatch(/"history":"whole"/);
    await tamper();
    expect(await finding()).toMatch(shown);
    expect(await lines()).toEqual(report);
  });

  const partitions: readonly [
    string,
    (part: (table: string) => string) => readonly string[],
    RegExp,
    readonly string[],
  ][] = [
    [
      "an amount in its partition",
      (part) => [`update ${part("archived_withdrawals")} set amount = 90000 where id = '${paid}'`],
      /row 1 of \w+ was changed, or its withdrawal was/,
      ["900.00 matched"],
    ],
    [
      "a row of history in its partition",
      (part) => [
        `update ${part("withdrawal_events")} set at = at + 1 where transaction_id = '${paid}' and sequence = 3`,
      ],
      /row 3 of \w+ was changed/,
      ["50.00 matched"],
    ],
    [
      "a row put into a partition",
      (part) => [
        `create temp table forged on commit drop as select * from ${part("archived_withdrawals")} where id = '${paid}'`,
        "update forged set id = 'INVENTED', history_length = 0, idempotency_key = 'x', transaction_id_partner = 'x'",
        `insert into ${part("archived_withdrawals")} select * from forged`,
      ],
      /the withdrawal INVENTED has no history/,
      ["50.00 matched", "50.00 matched"],
    ],
    [
      "a copy in a partition of another month",
      (part) => [
        `create table forged (like archived_withdrawals including defaults including constraints)`,
        `insert into forged select * from ${part("archived_withdrawals")} where id = '${paid}'`,
        "update forged set created_at = 1, confirmed_at = 1",
        "alter table archived_withdrawals attach partition forged for values from (0) to (1000)",
      ],
      /the withdrawal \w+ is there twice/,
      ["50.00 matched", "50.00 matched"],
    ],
    [
      "a month of withdrawals taken off",
      (part) => [`alter table archived_withdrawals detach partition ${part("archived_withdrawals")}`],
      /the withdrawal \w+ is gone, its history is not/,
      [],
    ],
    [
      "a month of history taken off",
      (part) => [`alter table withdrawal_events detach partition ${part("withdrawal_events")}`],
      /entry \d+ of the audit counts 6 rows of \S+ \S+, none is left/,
      ["50.00 matched"],
    ],
    [
      "both taken off",
      (part) =>
        ["archived_withdrawals", "withdrawal_events"].map(
          (table) => `alter table ${table} detach partition ${part(table)}`,
        ),
      /entry \d+ of the audit counts 6 rows of \S+ \S+, none is left/,
      [],
    ],
  ];
  if (dialect === "postgres")
    describe("in partitions", () => {
      const rows = async (text: string) =>
        (await intruder.read((tx) => {
          const query: Query<Record<string, string>> = { kind: "query", name: null, sql: () => ({ text, values: [] }) };
          return tx.all(query);
        })) as readonly Record<string, string>[];
      const boundOf = async (name: string) =>
        (await rows(`select pg_get_expr(relpartbound, oid) as bound from pg_class where oid = '${name}'::regclass`))[0]
          ?.bound;
      test.each(partitions)("%s shows", async (_, tamper, shown, report) => {
        const parts = new Map<string, { readonly name: string; readonly bound: string | undefined }>();
        for (const [table, key] of [
          ["archived_withdrawals", "id"],
          ["withdrawal_events", "transaction_id"],
        ] as const) {
          const found = await rows(
            `select distinct tableoid::regclass::text as name from ${table} where ${key} = '${paid}'`,
          );
          expect(found).toHaveLength(1);
          const name = found[0]?.name ?? "";
          parts.set(table, { name, bound: await boundOf(name) });
        }
        expect(await finding()).toMatch(/"history":"whole"/);
        await sql(...tamper((table) => parts.get(table)?.name ?? ""));
        try {
          expect(await finding()).toMatch(shown);
          expect(await lines()).toEqual(report);
        } finally {
          await sql("drop table if exists forged");
          for (const [table, { name, bound }] of parts)
            if ((await boundOf(name)) == null) await sql(`alter table ${table} attach partition ${name} ${bound}`);
        }
      });
    });

  const settings: readonly [string, readonly string[], RegExp][] = [
    [
      "a shop's limit",
      ["update merchants set amount_max = 90000 where id = 'kiosk'"],
      /the largest amount of shop kiosk is 900.00, its last audited value is 200.00/,
    ],
    [
      "a limit of a shop that there was before its settings were audited",
      ["update merchants set shop_day_max = 100 where id = 'corner-shop'"],
      /the most in a day of shop corner-shop is 1.00, its last audited value is none/,
    ],
    [
      "a bank's address",
      ["update partners set url = 'https://evil.example' where id = 'nordbank'"],
      /the address of bank nordbank is https:\/\/evil.example, its last audited value is https:\/\/nordbank.example/,
    ],
    [
      "a bank's key",
      ["update partners set secret = 'whsec_evil' where id = 'nordbank'"],
      /the key of bank nordbank is not the one that was audited last/,
    ],
    [
      "a key that was revoked brought back to life",
      ["update credentials set revoked_at = null where device_id = 'till-2'"],
      /the revocation of access of terminal kiosk\/till-2 is none, its last audited value is 2026-/,
    ],
    [
      "a key's secret put in the place of another's",
      [
        "update credentials set secret_hash = (select secret_hash from credentials where device_id = 'till-2') where device_id = 'till-1'",
      ],
      /the secret of access of terminal kiosk\/till-1 is not the one that was audited last/,
    ],
    [
      "a scope made wider",
      ["update credentials set scopes = 'withdrawals users' where owner_id = 'nordbank'"],
      /the scope of access of client nordbank\/server-1 is withdrawals users, its last audited value is withdrawals[.;]/,
    ],
    [
      "a key that nobody has made",
      [
        "insert into credentials select 'x', kind, owner_id, 'till-9', secret_hash, scopes, created_at, null from credentials where device_id = 'till-1'",
      ],
      /access of terminal kiosk\/till-9 has no entry in the audit/,
    ],
    [
      "a shop that is gone",
      ["delete from merchants where id = 'closed'"],
      /shop closed is gone, and the audit does not say why/,
    ],
    [
      "a bank that may use one shop more",
      ["insert into partner_merchants values ('nordbank', 'closed', 1)"],
      /permission of bank nordbank for shop closed has no entry in the audit/,
    ],
    [
      "a bank that may not use a shop any more",
      ["delete from partner_merchants where partner_id = 'nordbank'"],
      /permission of bank nordbank for shop kiosk is gone/,
    ],
    [
      "a chain that sees one shop more",
      ["insert into chain_merchants values ('acme', 'closed', 1)"],
      /place of shop closed in chain acme has no entry in the audit/,
    ],
    [
      "a user who is not blocked any more",
      ["update customers set blocked_at = null where user_id = 'bob'"],
      /block of user [0-9a-f]{16} of bank nordbank is gone/,
    ],
    [
      "an entry rewritten with its row",
      [
        "update merchants set amount_max = 90000 where id = 'kiosk'",
        `update audit set detail = replace(detail, '20000', '90000') where object = 'shop kiosk'`,
      ],
      /The audit does not hold: entry \d+ was changed/,
    ],
  ];
  test.each(settings)("%s shows", async (_, texts, shown) => {
    await sql(...texts);
    expect(await finding()).toMatch(shown);
    expect(await finding()).toMatch(/The settings do not hold|The audit does not hold/);
    expect(await reported(paid)).toMatchObject({ finding: "matched", amount: "50.00" });
  });

  const largest = (minor: number) => `update merchants set amount_max = ${minor} where id = 'kiosk'`;
  const address = (url: string) => `update partners set url = '${url}' where id = 'nordbank'`;
  const home = address("https://nordbank.example");

  test("a shop's limit that was changed, used and put back shows by the withdrawal", async () => {
    await sql(largest(90_000));
    const { transaction_id: id } = await ask("900.00");
    await sql(largest(20_000));
    expect(await finding()).toMatch(
      `The settings do not hold: the withdrawal ${id} was asked for under largest amount 900.00 of shop kiosk, audited was 200.00.`,
    );
    expect(await reported(await settle(id))).toMatchObject({ finding: "matched", amount: "900.00" });
    clock.jump(48 * hourMs);
    await closeDays(on());
    await expect(checkAudit(on(), { new: "1" })).rejects.toThrow(/The settings do not hold/);
    const verified = adhoc((db) => db.selectFrom("audit").select("object").where("event", "=", "history_verified"));
    expect(await store.read((tx) => tx.all(verified))).toEqual([]);
  });

  test.each([
    ["the funds were secured", 2],
    ["the payment was ordered", 5],
  ])("a bank's address that was another while %s shows by the withdrawal", async (_, row) => {
    const evil = address("https://evil.example");
    if (row === 2) await sql(evil);
    const { transaction_id: id } = await ask();
    await sql(row === 2 ? home : evil);
    await settle(id);
    await sql(home);
    expect(world.bank.requests.filter(({ url }) => url.startsWith("https://evil.example"))).not.toEqual([]);
    expect(await finding()).toMatch(
      `the bank's answer in row ${row} of ${id} came from address https://evil.example of bank nordbank, audited was https://nordbank.example`,
    );
    expect(await reported(id)).toMatchObject({ finding: "matched" });
  });

  test("a permission that was given for one withdrawal shows by it", async () => {
    await sql("insert into partner_merchants values ('nordbank', 'closed', 1)");
    const { transaction_id: id } = await ask("50.00", "closed");
    await sql("delete from partner_merchants where merchant_id = 'closed'");
    expect(await finding()).toMatch(
      `the withdrawal ${id} was asked for under what the audit did not have: permission of bank nordbank for shop closed.`,
    );
  });

  test("a permission that the service records as found, while the entry that all were recorded is away, shows", async () => {
    const recorded = (from: string, to: string) => `update audit set event = '${to}' where event = '${from}'`;
    await sql(recorded("settings_recorded", "away"), "insert into partner_merchants values ('nordbank', 'closed', 1)");
    expect(await recordFound(on())).toBe(1);
    await sql(recorded("away", "settings_recorded"));
    expect(await finding()).toMatch(
      /permission of bank nordbank for shop closed was recorded as found, after all were \(entry \d+ of the audit\)/,
    );
  });

  const freed = (user: string) => `update customers set blocked_at = null where user_id = '${user}'`;
  const barred = (user: string) => `update customers set blocked_at = 1 where user_id = '${user}'`;

  test.each(["bob", "BOB"])("a block of %s that was taken off for one withdrawal shows by it", async (user) => {
    await sql(freed("bob"));
    const { transaction_id: id } = await ask("50.00", "kiosk", user);
    await sql(barred("bob"));
    expect(await finding()).toMatch(
      new RegExp(`the withdrawal ${id} was asked for in spite of the block of user \\w{16} of bank nordbank`),
    );
  });

  test.each([
    [301_000, "confirmed in spite of the block of user"],
    [299_000, '"settings":"whole"}'],
  ])("a block of %i ms before that was taken off for a confirmation: %s", async (ms, found) => {
    const { transaction_id: id } = await ask("50.00", "kiosk", "eve");
    await block(on(), { partnerId: "nordbank", userId: "eve" });
    clock.jump(ms);
    await sql(freed("eve"));
    await confirmTransaction(world.service, till, { transaction_id: id, transaction_id_partner: freshKey() });
    await sql(barred("eve"));
    clock.jump(hourMs);
    expect(await finding()).toMatch(found);
  });

  test("what a user asked for before a block, and after its end, is no finding", async () => {
    await settle((await ask("50.00", "kiosk", "eve")).transaction_id);
    clock.jump(hourMs);
    for (const each of [block, unblock, block]) {
      await each(on(), { partnerId: "nordbank", userId: "eve" });
      clock.jump(hourMs);
    }
    await unblock(on(), { partnerId: "nordbank", userId: "EVE" });
    clock.jump(hourMs);
    await settle((await ask("50.00", "kiosk", "eve")).transaction_id);
    expect(await finding()).toMatch(/"settings":"whole"}$/);
  });

  test("a clock that was ahead when a block ended, or before it began, makes no finding", async () => {
    const eve = { partnerId: "nordbank", userId: "eve" };
    await block(on(), eve);
    clock.jump(48 * hourMs);
    await unblock(on(), eve);
    await ask("50.00", "kiosk", "ben");
    clock.jump(-47 * hourMs);
    await block(on(), { partnerId: "nordbank", userId: "ben" });
    await ask("50.00", "kiosk", "eve");
    expect(await finding()).toMatch(/"settings":"whole"}$/);
  });

  test("a dispute that was taken off the report shows, one that an operator has closed does not", async () => {
    world.bank.onSettle = () => declined;
    const id = await answered((await ask()).transaction_id);
    world.bank.onSettle = () => accepted;
    const order = {
      ...{ id: `settle_${id}`, transaction_id: id, partner_id: "nordbank", body: "{}", attempts: 2, due_at: 0 },
      ...{ claimed_by: "w", created_at: 0, last_error: null, partner_reference: null, unsent_attempts: 0 },
    };
    await settleAnswered(world.service, order, "accepted", "https://nordbank.example");
    expect(await reported(id)).toMatchObject({ finding: "disputed" });
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    const disputed = await copyOf(store);
    await sql(`update archived_withdrawals set disputed_at = null where id = '${id}'`);
    expect((await reported(id))?.finding).not.toBe("disputed");
    expect(await finding()).toMatch(
      `The history does not hold: the withdrawal ${id} is disputed by its history, and not marked as it`,
    );
    await putBack(store, disputed);
    await closeDispute(world.service, id, "olga", "the bank has paid it back");
    expect(await finding()).toMatch(/"settings":"whole"}$/);
  });

  test("so does what a terminal said otherwise than an operator", async () => {
    const id = await answered((await ask()).transaction_id);
    clock.jump(hourMs);
    await decideCash(world.service, id, "not-handed-out", "olga", "the drawer was counted", true);
    await linkTransaction(world.service, till, id, null, undefined, "A");
    expect(await reported(id)).toMatchObject({ finding: "disputed" });
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    await sql(`update archived_withdrawals set disputed_at = null where id = '${id}'`);
    expect(await finding()).toMatch(`the withdrawal ${id} is disputed by its history, and not marked as it`);
    clock.jump(24 * hourMs);
    await closeDays(on());
    for (const look of ["first", "second"]) await expect(checkAudit(on(), { new: "1" }), look).rejects.toThrow(id);
  });

  test("a change by the operator is no finding, also for what was under way in it", async () => {
    await setMerchant(on(), { id: "kiosk", largest: "300.00" });
    await pay("300.00");
    world.bank.onSettle = async () => {
      await setPartnerUrl({ ...on() }, "nordbank", "https://moved.example");
      clock.jump(60_000);
      return accepted;
    };
    await pay();
    clock.jump(hourMs);
    world.bank.onSettle = () => accepted;
    await setMerchant(on(), { id: "kiosk", largest: "100.00" });
    await pay("100.00");
    expect(await finding()).toMatch(/"settings":"whole"}$/);
  });

  test("a withdrawal of a clock that was ahead is not held against what was changed after it was set right", async () => {
    const ahead = await createWorld(store, {
      clock: new VirtualClock(clock.now() + 9_000 * hourMs),
      options: { pollMs: 1e9 },
    });
    const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: "kiosk" };
    await requestWithdrawal(ahead.service, bank, body, freshKey());
    await ahead.service.stop();
    await setMerchant(on(), { id: "kiosk", largest: "300.00" });
    expect(await finding()).toMatch(/"settings":"whole"}$/);
  });

  test("a change, and the end of a block, by a clock that was ahead hold for what comes once it is set right", async () => {
    const eve = { partnerId: "nordbank", userId: "eve" };
    await block(on(), eve);
    clock.jump(48 * hourMs);
    await setMerchant(on(), { id: "kiosk", largest: "300.00" });
    await unblock(on(), eve);
    clock.jump(-47 * hourMs);
    await ask("300.00", "kiosk", "eve");
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    clock.jump(hourMs);
    await setMerchant(on(), { id: "kiosk", "support-phone": "+43 1 123" });
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    await sql(largest(90_000));
    const { transaction_id: id } = await ask("900.00");
    await sql(largest(30_000));
    expect(await finding()).toMatch(
      `${id} was asked for under largest amount 900.00 of shop kiosk, audited was 300.00`,
    );
  });

  test("what an operator accepts is audited as it is from then on", async () => {
    await sql(largest(90_000), "delete from merchants where id = 'closed'");
    await pay("900.00");
    await sql("update customers set blocked_at = null where user_id = 'bob'");
    expect(await finding()).toMatch(/The settings do not hold/);
    clock.jump(1);
    const what = { name: "audit accept", words: [], flags: {}, actor: "operator olga" };
    await acceptHistory({ ...on(), store: auditedStore(store, testKeys, clock, what) }, "a release before");
    expect(await finding()).toMatch(/"settings":"whole"}$/);
    clock.jump(hourMs);
    await sql(largest(20_000));
    expect(await finding()).toMatch(/is 200.00, its last audited value is 900.00/);
  });
});
