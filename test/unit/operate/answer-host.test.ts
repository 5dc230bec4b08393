/** What a running service answers the program that started it, message by message. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keyCipherOf } from "../../../backend/access/key-ring.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import { answerHost, sentenceOf, troubleOf } from "../../../backend/operate/answer-host.ts";
import { UsageError } from "../../../backend/operate/arguments.ts";
import type { CommandContext } from "../../../backend/operate/context.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { openStore } from "../../../backend/store/open.ts";
import { StoreRefused } from "../../../backend/store/store.ts";
import { serviceVersion } from "../../../backend/version.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { testKeys } from "../../service/world.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-host-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = new VirtualClock(Date.UTC(2026, 10, 22, 12));
const publicUrl = "https://cash.example/till";
/** @param orders what the database says of the orders that are out. */
const ask = (
  message: object,
  more: object = {},
  orders: readonly object[] = [],
  answer: (request: Request) => Promise<Response> = () => Promise.reject(new Error("not asked")),
) => {
  const store = { read: (unit: (tx: unknown) => unknown) => unit(scriptedTx(() => orders)) };
  const database = { kind: "sqlite", path: path.join(folder, "service.db") };
  const commandContext = { store, clock, database, backups: null, ...more } as unknown as CommandContext;
  return answerHost({ commandContext, publicUrl, answer }, { id: 7, ...message });
};

test.each([{}, { ask: "stop" }, { ask: "ping", id: "7" }])("%j is no question of the parent's", async (message) => {
  expect(await ask(message)).toBeNull();
});

test("it is there", async () => expect(await ask({ ask: "ping" })).toEqual({ kind: "pong", id: 7 }));

test("a call is handled as one at the address alone, without the path that a proxy puts before it", async () => {
  const heard: unknown[] = [];
  const answer = async (request: Request) => {
    const body = Buffer.from(await request.arrayBuffer()).toString("hex");
    heard.push([request.method, request.url, request.headers.get("authorization"), body]);
    return new Response(Uint8Array.from([0, 255]), { status: 418, headers: { "x-request-id": "r-1" } });
  };
  const call = { ask: "http", path: "/transaction?id=A", headers: [["authorization", "Bearer t"]] };
  const answered = { kind: "http", id: 7, status: 418, headers: [["x-request-id", "r-1"]], body: "AP8=" };
  expect(await ask({ ...call, method: "POST", body: "AP8K" }, {}, [], answer)).toEqual(answered);
  expect(await ask({ ...call, method: "GET", body: null }, {}, [], answer)).toEqual(answered);
  const url = "https://cash.example/transaction?id=A";
  expect(heard).toEqual([
    ["POST", url, "Bearer t", "00ff0a"],
    ["GET", url, "Bearer t", ""],
  ]);
  const empty = async () => new Response(null, { status: 204 });
  expect(await ask({ ...call, method: "GET", body: null }, {}, [], empty)).toMatchObject({ status: 204, body: null });
});

test.each([
  [[], { waiting: 0, oldestAt: null }],
  [[{ depth: "3", oldest: 5 }], { waiting: 3, oldestAt: 5 }],
])("with %j orders out its state says %j", async (orders, outbox) => {
  const state = { version: serviceVersion, publicUrl, outbox, backup: null };
  expect(await ask({ ask: "state" }, {}, orders)).toEqual({ kind: "state", id: 7, state });
});

test("its state names the newest copy that is not from the future, where there are any", async () => {
  const copies = path.join(folder, "copies");
  const backups = { folder: copies, kept: 7 };
  const backupOf = async (more: object) => {
    const answer = await ask({ ask: "state" }, more);
    return answer?.kind === "state" ? answer.state.backup : answer;
  };
  expect(await backupOf({ backups })).toBeNull();
  mkdirSync(copies);
  for (const day of ["20", "21", "23"]) writeFileSync(path.join(copies, `service-202611${day}T120000000Z.db`), day);
  const newest = {
    file: path.join(copies, "service-20261121T120000000Z.db"),
    at: Date.UTC(2026, 10, 21, 12),
    bytes: 2,
  };
  expect(await backupOf({ backups })).toEqual(newest);
  expect(await backupOf({ backups, database: { kind: "postgres" } })).toBeNull();
});

const command = {
  ask: "command",
  words: ["merchants", "frobnicate", "x"],
  flags: {},
  secret: null,
  actor: "manager M1",
};
test("a command that there is not is refused by its name, without what was to be done to", async () => {
  const message = 'there is no command "merchants frobnicate"';
  expect(await ask(command)).toEqual({ kind: "refused", id: 7, fields: [], message });
});

test("a command is played with its words, its flags and its secret, and is in the audit with who gave it", async () => {
  const store = await openStore("sqlite::memory:", clock);
  const more = {
    store,
    random: systemRandom,
    keys: testKeys,
    keyCipher: keyCipherOf(testKeys, systemRandom),
    partner: null,
    proxy: null,
  };
  const play = async (words: string, flags: object = {}, secret: string | null = null) => {
    const answer = await ask({ ...command, words: words.split(" "), flags, secret }, more);
    return answer?.kind === "rows" ? answer.rows : answer;
  };
  expect(await play("merchants add corner", { name: "Corner" })).toMatchObject([{ id: "corner", name: "Corner" }]);
  expect(await play("partners add bank", { url: "https://bank.example" })).toMatchObject([{ id: "bank" }]);
  const key = `whsec_${Buffer.from("a key of this test, 24 b").toString("base64")}`;
  expect(await play("partners set-key bank")).toMatchObject({ kind: "refused" });
  expect(await play("partners set-key bank", {}, key)).toMatchObject([{ id: "bank" }]);
  const fields = { kind: "refused", id: 7, fields: ["url"] };
  expect(await play("partners add other", { url: "ftp://x" })).toMatchObject(fields);
  const [first] = (await play("audit")) as readonly object[];
  expect(first).toMatchObject({ event: "merchants add", object: "corner", actor: "manager M1" });
  await store.close();
});

test("what fails is refused as the sentence that it is", async () => {
  const read = () => Promise.reject(new ServiceError("unavailable", "the database is away"));
  const refused = { kind: "refused", id: 7, fields: [], message: "the database is away" };
  expect(await ask({ ask: "state" }, { store: { read } })).toEqual(refused);
});

const coded = (code: string) => Object.assign(new Error("listen"), { code });
test.each([
  [new StoreRefused("x", { why: "newer_database" }), "newer_database", "x"],
  [new StoreRefused("x", { why: "database_in_use" }), "database_in_use", "x"],
  [new StoreRefused("x", { why: "other_environment" }), "other_environment", "x"],
  [new StoreRefused("x"), "failed", "x"],
  [coded("EADDRINUSE"), "port_taken", "Error: listen"],
  [coded("EACCES"), "failed", "Error: listen"],
  [new UsageError("x"), "failed", "x"],
  [new ServiceError("unavailable", "x"), "failed", "x"],
  ["x", "failed", "x"],
  [null, "failed", "null"],
])("%s, which keeps it from starting, is %s, in words: %s", (error, trouble, sentence) => {
  expect([troubleOf(error), sentenceOf(error)]).toEqual([trouble, sentence]);
});
