/** Erasing a user: what stands in its way, and that it ends with the last of many withdrawals. */
import { beforeEach, expect, test } from "vitest";
import { eraseUser, isErasedName } from "../../../backend/operate/erase-user.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["withdrawals", "archived_withdrawals", "idempotency_keys", "status_events"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
    for (const table of ["customers", "checkins"] as const) await tx.run(adhoc((db) => db.deleteFrom(table)));
  }),
);
const add = (query: Parameters<typeof adhoc>[0]) => stage.store.write((tx) => tx.run(adhoc(query)));
const ended = (n: number) => ({
  ...rowWith({ id: `W${n}`, status: "linked", idempotency_key: `k${n}`, transaction_id_partner: `p${n}` }),
  archived_at: 1,
});
const event = { id: "event_1", transaction_id: "W1", partner_id: "bank", body: "{}", attempts: 0, due_at: 1 };

test.each<[string, () => Promise<unknown>, string]>([
  [
    "a withdrawal that has not ended",
    () => add((db) => db.insertInto("withdrawals").values(rowWith({ status: "ready" }))),
    "has not ended",
  ],
  [
    "a status event that waits and names the user",
    async () => {
      await add((db) => db.insertInto("archived_withdrawals").values(ended(1)));
      const values = { ...event, body: '{"user_id":"ann"}', claimed_by: "", created_at: 1, last_error: null };
      await add((db) => db.insertInto("status_events").values({ ...values, partner_reference: "of ann" }));
    },
    "still waits for the bank",
  ],
  [
    "a block",
    () =>
      add((db) =>
        db.insertInto("customers").values({ partner_id: "bank", user_id: "ann", created_at: 1, blocked_at: 1 }),
      ),
    "is blocked",
  ],
])("%s stands in the way", async (_, prepare, why) => {
  await prepare();
  await expect(eraseUser(stage.service, "bank", "Ann")).rejects.toMatchObject({
    code: "validation_failed",
    message: expect.stringContaining(why),
  });
});

test.each([
  ["requested", true],
  ["ready", true],
  ["awaiting_sca", true],
  ["settling", true],
  // Of these the bank is asked nothing more that names the user.
  ["settled", false],
  ["linked", false],
] as const)("one that is %s stands in the way, as its bank may still be asked about it: %s", async (status, stands) => {
  await add((db) => db.insertInto("withdrawals").values({ ...left(1), status }));
  const erased = eraseUser(stage.service, "bank", "ann");
  if (stands) await expect(erased).rejects.toThrow("has not ended");
  else expect(await erased).toMatchObject({ withdrawals: 1 });
});

test("what is of another customer, or of another bank's of the same name, stands in nobody's way and stays", async () => {
  const open = (n: number) => ({ ...left(n), status: "ready" as const });
  const others = [
    { ...open(1), user_id: "ben" },
    { ...open(2), partner_id: "other-bank" },
  ];
  const key = { partner_id: "bank", idempotency_key: "of ann", transaction_id: "W3", created_at: 1_000 };
  await add((db) => db.insertInto("withdrawals").values(others));
  await add((db) => db.insertInto("archived_withdrawals").values({ ...ended(3), idempotency_key: "of ann" }));
  await add((db) => db.insertInto("idempotency_keys").values([key, { ...key, partner_id: "other-bank" }]));
  expect(await eraseUser(stage.service, "bank", "ann")).toMatchObject({ withdrawals: 1 });
  const keys = adhoc((db) => db.selectFrom("idempotency_keys").select("partner_id"));
  expect(await stage.store.read((tx) => tx.all(keys))).toEqual([{ partner_id: "other-bank" }]);
  const users = adhoc((db) => db.selectFrom("withdrawals").select("user_id").orderBy("id"));
  expect(await stage.store.read((tx) => tx.all(users))).toEqual([{ user_id: "ben" }, { user_id: "ann" }]);
});

test.each([
  ["erased-abcdefghijklmno_", true],
  ["erased-abcdefghijklmn", false],
  ["erased-abcdefghijklmno_x", false],
  ["un-erased-abcdefghijklmno_", false],
])("%s is the name of an erased user: %s", (name, isOne) => expect(isErasedName(name)).toBe(isOne));

test("of more withdrawals than a batch holds none keeps the name", async () => {
  const rows = Array.from({ length: 501 }, (_, n) => ended(n));
  for (let from = 0; from < rows.length; from += 100)
    await add((db) => db.insertInto("archived_withdrawals").values(rows.slice(from, from + 100)));
  const { name, withdrawals } = await eraseUser(stage.service, "bank", "ANN");
  expect(withdrawals).toBe(501);
  const users = adhoc((db) => db.selectFrom("archived_withdrawals").select("user_id").distinct());
  expect(await stage.store.read((tx) => tx.all(users))).toEqual([{ user_id: name }]);
});

test.each([
  ["Özgür", "özgür", 1],
  ["özgür", "ÖZGÜR", 1],
  ["ÖZGÜR", "Özgür", 1],
  ["ΝΊΚΟΣ", "Νίκος", 1],
  ["irmak", "ırmak", 0],
  ["strasse", "straße", 0],
])("%s is erased as %s: %i", async (user_id, as, rows) => {
  await add((db) => db.insertInto("archived_withdrawals").values({ ...ended(1), user_id }));
  expect(await eraseUser(stage.service, "bank", as)).toMatchObject({ withdrawals: rows });
});

const namesIn = async (table: "withdrawals" | "archived_withdrawals"): Promise<number> =>
  (await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll())))).filter((row) =>
    JSON.stringify(row).includes("ann"),
  ).length;
const left = (n: number) => {
  const { archived_at: _, ...row } = ended(n);
  return row;
};

test.each<[string, () => Promise<unknown>]>([
  ["has moved to the ended ones", () => add((db) => db.insertInto("archived_withdrawals").values(ended(2)))],
  ["ends", () => add((db) => db.insertInto("withdrawals").values(left(2)))],
])("a withdrawal of the user that %s while others are renamed does not keep the name", async (_, meanwhile) => {
  await add((db) => db.insertInto("withdrawals").values(left(1)));
  let writes = 0;
  const store: typeof stage.store = {
    ...stage.store,
    async write(unit, about) {
      const result = await stage.store.write(unit, about);
      writes += 1;
      if (writes === 1) await meanwhile();
      return result;
    },
  };
  await eraseUser({ ...stage.service, store }, "bank", "ann");
  // A batch each, and the one that finds nobody any more.
  expect(writes).toBe(3);
  expect([await namesIn("withdrawals"), await namesIn("archived_withdrawals")]).toEqual([0, 0]);
});

test("what is in no book is gone: the account with its address, the customer and the check-ins", async () => {
  const account = {
    id: "Ann",
    id_folded: "ann",
    partner_id: "bank",
    password_hash: "-",
    auto_update: 0,
    created_at: 1,
  };
  await add((db) => db.insertInto("users").values({ ...account, email: "ann@example.org", phone: null }));
  await add((db) =>
    db.insertInto("customers").values({ partner_id: "bank", user_id: "ann", created_at: 1, blocked_at: null }),
  );
  // Another bank's user of that name is somebody else.
  const theirs = { ...event, partner_id: "other-bank", body: '{"user_id":"ann"}', partner_reference: "of ann" };
  await add((db) =>
    db.insertInto("status_events").values({ ...theirs, claimed_by: "", created_at: 1, last_error: null }),
  );
  await add((db) => db.insertInto("users").values({ ...account, partner_id: "other-bank", email: null, phone: null }));
  const blocked = { partner_id: "other-bank", user_id: "ann", created_at: 1, blocked_at: 1 };
  await add((db) => db.insertInto("customers").values(blocked));
  for (const partner_id of ["bank", "other-bank"]) {
    const values = {
      id: partner_id,
      partner_id,
      token_hash: partner_id,
      reference_id: "r",
      brand: "b",
      user_id: "ann",
    };
    const money = { balance: 1, currency: "EUR", url_back: "https://x", created_at: 1, expires_at: 2 };
    await add((db) => db.insertInto("checkins").values({ ...values, ...money }));
  }
  await eraseUser(stage.service, "bank", "ANN");
  for (const table of ["users", "customers", "checkins"] as const) {
    const rows = await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select("partner_id"))));
    expect(rows, table).toEqual([{ partner_id: "other-bank" }]);
  }
});

test("an erasure that leaves the id in the database's log says so, and one more empties it", async () => {
  await add((db) => db.insertInto("archived_withdrawals").values(ended(1)));
  let isEmpty = false;
  const store = { ...stage.store, emptyLog: async () => isEmpty };
  await expect(eraseUser({ ...stage.service, store }, "bank", "ann")).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("still in the database's log"),
  });
  expect(await namesIn("archived_withdrawals")).toBe(0);
  isEmpty = true;
  expect(await eraseUser({ ...stage.service, store }, "bank", "ann")).toMatchObject({ withdrawals: 0 });
});
