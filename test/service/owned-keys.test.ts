/** A key that a shop or a bank chooses is theirs alone: in no table does it take the same key from another one. */
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlace, type Place } from "./stores.ts";

const owners = ["partner_id", "merchant_id", "owner_id"];
/** Keys without an owner, each with who makes them: nobody outside can choose one that is taken. */
const ownerless: Readonly<Record<string, string>> = {
  "archived_withdrawals.id": "random, by the service",
  "audit.seq": "counted",
  "audit_head.id": "the one row",
  "checkins.id": "random, by the service",
  "checkins.token_hash": "of a random token",
  "credentials.id": "random, by the service",
  "enrolments.code_hash": "of a random code",
  "limit_locks.bucket": "holds shop, bank or terminal in its text, and nothing else",
  "manager_resets.code_hash": "of a random code",
  "merchants.id": "the owner itself, named by the operator",
  "outbox.id": "random, by the service",
  "partner_brands.digest": "of a text that holds the bank's id",
  "partners.id": "the owner itself, named by the operator",
  "restored_reports.id": "random, by the service",
  "restores.restored_at": "of the installation",
  "schema_version.id": "the one row",
  "settings.name": "of the installation",
  "status_events.id": "random, by the service",
  "tokens.token_hash": "of a random token",
  "withdrawal_events.asked_at,transaction_id,sequence": "of a withdrawal, whose id is the service's",
  "withdrawal_events.transaction_id,sequence": "of a withdrawal, whose id is the service's",
  "withdrawals.id": "random, by the service",
  "workers.id": "random, by the service",
};

interface Key {
  readonly table: string;
  readonly columns: readonly string[];
  readonly name: string;
}

let place: Place;
let db: DatabaseSync;
beforeAll(async () => {
  place = await createPlace("sqlite");
  await (await place.open()).close();
  db = new DatabaseSync(place.url.replace(/^sqlite:/, ""), { enableForeignKeyConstraints: false });
});
afterAll(async () => {
  db.close();
  await place.dispose();
});

const rows = (sql: string): readonly Record<string, unknown>[] => db.prepare(sql).all();
const keysOf = (table: string): readonly Key[] =>
  rows(`PRAGMA index_list(${table})`)
    .filter((index) => index.unique === 1)
    .map((index) => rows(`PRAGMA index_info(${String(index.name)})`).map((column) => String(column.name)))
    .map((columns) => ({ table, columns, name: `${table}.${columns.join(",")}` }));
const keys = (): readonly Key[] =>
  rows("SELECT name FROM sqlite_master WHERE type = 'table'").flatMap(({ name }) => keysOf(String(name)));
const ownerOf = ({ columns }: Key): string | undefined => columns.find((column) => owners.includes(column));

/** Writes a row whose key is `number` in the columns of the key and `other` everywhere else. */
const insert = (key: Key, number: (column: string) => number, other: number): void => {
  const columns = rows(`PRAGMA table_info(${key.table})`).map((column) => String(column.name));
  const values = columns.map((column) => (key.columns.includes(column) ? number(column) : other));
  db.prepare(`INSERT INTO ${key.table} (${columns.join(",")}) VALUES (${columns.map(() => "?").join(",")})`).run(
    ...values,
  );
};

test("every unique key names its owner, or is one that nobody outside chooses", () => {
  const without = keys().filter((key) => ownerOf(key) === undefined);
  expect(without.map(({ name }) => name).sort()).toEqual(Object.keys(ownerless).sort());
});

test("the same key of another owner is free, and one's own is taken", () => {
  const owned = keys().filter((key) => ownerOf(key) !== undefined);
  expect(owned.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      "withdrawals.partner_id,idempotency_key",
      "withdrawals.merchant_id,device_id,transaction_id_partner",
      "users.partner_id,id_folded",
      "credentials.kind,owner_id,device_id",
    ]),
  );
  for (const key of owned) {
    insert(key, () => 1, 2);
    if (key.columns.length > 1) insert(key, (column) => (column === ownerOf(key) ? 3 : 1), 4);
    expect(() => insert(key, () => 1, 5)).toThrow(/UNIQUE/);
    db.exec(`DELETE FROM ${key.table}`);
  }
});
