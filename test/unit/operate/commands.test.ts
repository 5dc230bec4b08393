/** The table of commands: what each takes of its words and flags, whom a key or a code is for, and what is said of it. */
import { beforeEach, expect, test } from "vitest";
import { readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { commands } from "../../../backend/operate/commands.ts";
import type { CommandContext } from "../../../backend/operate/context.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["chain_merchants", "partner_merchants"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
    await tx.run(adhoc((db) => db.updateTable("merchants").set({ disabled_at: null })));
    await tx.run(adhoc((db) => db.deleteFrom("partners").where("id", "in", ["keyless", "keyed"])));
  }),
);
type Flags = Readonly<Record<string, string>>;
let publicUrl: string;
beforeEach(() => {
  publicUrl = "https://cash.example";
});
const run = async (line: string, flags: Flags = {}) => {
  const { store, clock, random, keys } = stage.service;
  const given = { partner: null, partnerSecret: null, proxy: null, backups: null, publicUrl };
  const on = { store, clock, random, keys, database: { kind: "sqlite", path: ":memory:" }, ...given };
  const words = line.split(" ");
  const name = [words.slice(0, 2).join(" "), words[0] ?? ""].find((each) => each in commands) ?? line;
  return commands[name]?.(on as CommandContext, words.slice(name.split(" ").length), flags);
};
const refusal = (line: string, flags?: Flags) =>
  run(line, flags).then(
    () => "nothing",
    (error: Error) => error.message,
  );

const till = "terminal corner-shop till-1";
const enrol = { enrol: "1" };

test.each<[line: string, flags: Flags, said: RegExp]>([
  ["merchants import", {}, /^the FILE is missing; name it as: merchants import/],
  ["credentials import", {}, /^the FILE is missing; name it as: credentials import/],
  ["backup", {}, /^this is for an SQLite file; back a Po/],
  ["restored", {}, /^since when\? restored --since TIME/],
  ["audit", { from: "noon" }, /^--from must be a day/],
  ["audit days", { from: "noon" }, /^--from must be a day/],
  ["audit verify", { expect: "1:x" }, /^--expect must be an entry's number and hash/],
  ["audit accept", {}, /^--note is missing; name it as: audit accept --note TEXT$/],
  ["terminals list", { older: "noon" }, /^--older must be a whole number of minutes$/],
  ["withdrawals list", { older: "noon" }, /^--older must be a whole number of minutes$/],
  ["withdrawals show T", {}, /^there is no withdrawal T$/],
  ["withdrawals resolve T", {}, /^--note is missing; name it as: withdrawals resolve TRANSACTION/],
  ["reports decide T", {}, /^--note is missing; name it as: withdrawals resolve TRANSACTION/],
  ["reports close T", {}, /^--note is missing; name it as: reports close TRANSACTION/],
  ["credentials add", {}, /^name it as: terminal MERCHANT DEVICE, client PARTNER DEVICE, or chain NAME$/],
  [
    "credentials add robot corner-shop till-1",
    {},
    /^name it as: terminal MERCHANT DEVICE, client PARTNER DEVICE, or ch/,
  ],
  ["credentials add terminal", {}, /^the MERCHANT and the DEVICE are missing; name it as: terminal MERCHANT DEVICE/],
  ["credentials add client", {}, /^the PARTNER and the DEVICE are missing; name it as: terminal MERCHANT DEVICE/],
  ["credentials add terminal corner-shop", {}, /^the DEVICE of corner-shop is missing; name it as: terminal/],
  ["credentials add client bank s x", {}, /^"x" is one word too many; name it as: terminal/],
  ["credentials add terminal corner-shop -1", {}, /^the DEVICE must be 1 to 64 of letters/],
  ["credentials add chain", {}, /^the NAME is missing; name it as: terminal/],
  ["credentials add chain -1", {}, /^the NAME must be 1 to 64 of letters/],
  ["credentials add terminal bank till-1", {}, /^there is no merchant bank; add it with: merchants add bank$/],
  [
    "credentials add client corner-shop s",
    {},
    /^there is no partner corner-shop; add it with: partners add corner-shop$/,
  ],
  ["credentials add terminal bank till-1", enrol, /^there is no merchant bank/],
  ["credentials add client bank s", { scope: "transactions" }, /^a client has only the scopes checkin users with/],
  ["credentials add client bank s", { scope: "users,reports" }, /^a client has only the scopes checkin users with/],
  ["credentials add client bank s", { shops: "corner-shop" }, /^--shops: not for a client$/],
  ["credentials add client bank s", { days: "3", shops: "x" }, /^--days, --shops: not for a client$/],
  [`credentials add ${till}`, { days: "3" }, /^--days: not for a terminal without --enrol$/],
  [`credentials add ${till}`, { ...enrol, scope: "transactions" }, /^--scope: not for a terminal with --enrol$/],
  [`credentials add ${till}`, { ...enrol, shops: "x" }, /^--shops: not for a terminal with --enrol$/],
  ["credentials add client bank s", enrol, /^--enrol is for terminals; another key is printed once$/],
  ["credentials add chain north", { ...enrol, shops: "corner-shop" }, /^--enrol is for terminals; another key is/],
  ["credentials add chain north", { days: "3", shops: "corner-shop" }, /^--days: not for a chain$/],
  ["credentials rotate client bank s", { scope: "users" }, /^--scope: not for a client$/],
  ["credentials rotate chain north", { shops: "corner-shop" }, /^--shops: not for a chain$/],
  [`credentials rotate ${till}`, { days: "3" }, /^--days: not for a terminal without --enrol$/],
  ["credentials rotate chain north", enrol, /^--enrol is for terminals; another key is printed once$/],
  [`credentials add ${till}`, { ...enrol, days: "31" }, /^--days must be 1 to 30$/],
  [`credentials rotate ${till}`, enrol, /^terminal corner-shop \/ till-1 has no credential in use; name it as: cred/],
  ["credentials reset-manager client bank s", {}, /^only a terminal has managers; name it as: terminal MERCHANT DEV/],
  [`credentials reset-manager ${till}`, {}, /^terminal corner-shop \/ till-1 has no credential in use$/],
  ["users block bank", {}, /^name it as: users block\|unblock\|erase PARTNER USER$/],
  ["users unblock", {}, /^name it as: users block\|unblock\|erase PARTNER USER$/],
  [`users erase bank ${"y".repeat(65)}`, {}, /^the USER must be 1 to 64 characters long$/],
  ["users block bank a\tb", {}, /^the USER must hold no control characters$/],
  ["users block corner-shop ann", {}, /^there is no partner corner-shop/],
  ["users erase corner-shop ann", {}, /^there is no partner corner-shop/],
  ["partners allow bank corner-shop", { all: "1" }, /^name it as: partners allow PARTNER SHOP, or partners allow PAR/],
  ["partners disallow bank corner-shop other-shop", {}, /^name it as: partners disallow PARTNER SHOP, or/],
  ["partners disallow bank corner-shop", {}, /^partner bank was not allowed corner-shop$/],
  ["partners allow", { all: "1" }, /^name it as: partners allow PARTNER SHOP, or partners allow PARTNER --all$/],
])("%s %j is refused", async (line, flags, said) => {
  expect(await refusal(line, flags)).toMatch(said);
});

test.each(["http://cash.example", ""])("codes that would lead to %j are refused", async (address) => {
  publicUrl = address;
  expect(await refusal(`credentials add ${till}`, enrol)).toMatch(/^PUBLIC_URL must be the https address at which/);
});

const named = (device_type: string, merchant_id: string, device_id: string) => ({
  device_type,
  merchant_id,
  device_id,
});
const password = expect.stringMatching(/^[\w-]{43}$/);

test.each<[line: string, flags: Flags, row: object]>([
  [till, {}, { ...named("terminal", "corner-shop", "till-1"), scope: "transactions" }],
  [till, { scope: "transactions" }, { ...named("terminal", "corner-shop", "till-1"), scope: "transactions" }],
  ["client bank s", {}, { ...named("client", "bank", "s"), scope: "checkin users withdrawals reconciliation" }],
  ["client bank s", { scope: "users, checkin" }, { ...named("client", "bank", "s"), scope: "checkin users" }],
  [
    "chain north",
    { shops: "other-shop,corner-shop", scope: "terminals" },
    { ...named("chain", "north", "office"), scope: "terminals", shops: "other-shop corner-shop" },
  ],
])(
  "a key for %s %j is shown once with all that it may; it is listed, replaced and revoked by its name",
  async (line, flags, row) => {
    const { scope, ...name } = { scope: null, shops: null, ...row } as Record<string, string | null>;
    const key = named(String(name.device_type), String(name.merchant_id), String(name.device_id));
    const [made] = (await run(`credentials add ${line}`, flags)) ?? [];
    expect(made).toEqual({ ...row, password });
    expect(await run("credentials list")).toEqual([{ ...key, scope, status: "in use" }]);
    const [rotated] = (await run(`credentials rotate ${line}`)) ?? [];
    expect(rotated).toEqual({ ...key, password });
    expect(rotated?.password).not.toBe(made?.password);
    expect(await run(`credentials revoke ${line}`)).toEqual([{ ...key, status: "revoked" }]);
    expect(await run("credentials list")).toEqual([{ ...key, scope, status: "revoked" }]);
  },
);

test("a chain's shops are added and taken away; what it has is in the audit once", async () => {
  await run("credentials add chain north", { shops: "corner-shop" });
  const both = [
    { chain: "north", shop: "corner-shop", name: expect.any(String) },
    { chain: "north", shop: "other-shop", name: expect.any(String) },
  ];
  expect(await run("credentials shops north", { add: "corner-shop, other-shop" })).toEqual(both);
  expect(await run("credentials shops north")).toEqual(both);
  expect(await run("credentials shops north", { remove: "corner-shop" })).toEqual(both.slice(1));
  expect(await stage.audited()).toEqual([
    "chain shop added | chain north shop corner-shop",
    "chain shop added | chain north shop other-shop",
    "chain shop removed | chain north shop corner-shop",
  ]);
});

const dayMs = 86_400_000;

test("a code enrols one terminal, for a day or as long as it says: instead of a key, or in place of one that is in use", async () => {
  const made = (days: number) => ({
    merchant_id: "corner-shop",
    device_id: "till-1",
    code: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
    valid_until: toTime(stage.clock.now() + days * dayMs),
    enrolment: expect.any(String),
  });
  const [first] = (await run(`credentials add ${till}`, enrol)) ?? [];
  expect(first).toEqual(made(1));
  const code = String(first?.code).replaceAll("-", "");
  expect(readEnrolmentLink(String(first?.enrolment))).toEqual({ serviceUrl: "https://cash.example", code });
  expect(await run(`credentials add ${till}`, { ...enrol, days: "3" })).toEqual([made(3)]);
  await run(`credentials add ${till}`);
  expect(await refusal(`credentials add ${till}`, enrol)).toMatch(/^terminal corner-shop \/ till-1 already has a cred/);
  expect(await run(`credentials rotate ${till}`, { ...enrol, days: "30" })).toEqual([made(30)]);
  expect((await stage.audited()).map((entry) => entry.split(" | ")[0])).toEqual([
    ...["enrolment_code_made", "enrolment_code_made", "replacement_code_made"],
  ]);
  expect(await run(`credentials reset-manager ${till}`)).toEqual([
    { merchant_id: "corner-shop", device_id: "till-1", code: made(1).code, valid_until: made(1).valid_until },
  ]);
  await run(`credentials revoke ${till}`);
  expect(await refusal(`credentials reset-manager ${till}`)).toMatch(/has no credential in use$/);
  expect(await refusal(`credentials rotate ${till}`, enrol)).toMatch(/has no credential in use; name it as: credent/);
  expect(await run(`credentials add ${till}`, enrol)).toEqual([made(1)]);
});

test("a user who is blocked, let in again and erased, each said by its word", async () => {
  const customer = { partner: "bank", user: "bob" };
  expect(await run("users block bank bob")).toEqual([{ ...customer, status: "blocked" }]);
  expect(await run("users unblock bank bob")).toEqual([{ ...customer, status: "not blocked" }]);
  const erased = { partner: "bank", status: "erased", in_the_books: expect.stringMatching(/^erased/), withdrawals: 0 };
  expect(await run("users erase bank bob")).toEqual([erased]);
});

test("a bank without an address has no key, and gets its first with one", async () => {
  expect(await run("partners add keyless")).toEqual([{ id: "keyless", url: null }]);
  const secret = expect.stringMatching(/^whsec_.{44}$/);
  const url = "https://bank.example";
  expect(await run(`partners set-url keyless ${url}`)).toEqual([{ id: "keyless", url, secret }]);
  expect(await run(`partners set-url keyless ${url}/`)).toEqual([{ id: "keyless", url }]);
  expect(await run("partners add keyed", { url })).toEqual([{ id: "keyed", url, secret }]);
});

test("a shop is closed and opened, and a bank's shops are allowed and taken away, all of them or one", async () => {
  expect(await run("merchants disable corner-shop")).toMatchObject([{ id: "corner-shop", status: "disabled" }]);
  expect(await run("merchants enable corner-shop")).toMatchObject([{ id: "corner-shop", status: "in use" }]);
  expect(await run("partners allow bank corner-shop")).toEqual([{ id: "bank", shops: "corner-shop" }]);
  expect(await run("partners allow bank", { all: "1" })).toEqual([{ id: "bank", shops: "* corner-shop" }]);
  expect(await run("partners disallow bank", { all: "1" })).toEqual([{ id: "bank", shops: "corner-shop" }]);
  expect(await run("partners disallow bank corner-shop")).toEqual([{ id: "bank", shops: null }]);
});
