/** What a manager's forms change in the service of this terminal, and what they leave as it was. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  promises,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { createOwnServiceWork } from "../../../main/service/own/commands.ts";
import { databaseIn, ownEnvironment, portsOf, type saveOwnSettings } from "../../../main/service/own/process.ts";
import { waitsFor } from "../../disk-calls.ts";
import { freePort } from "../../free-port.ts";
import { bankSecret } from "../../service/bank-server.ts";
import {
  actor,
  bank,
  certificateIn,
  form,
  program,
  quietPort,
  rows,
  serviceFolders,
  shop,
  terminalOn,
} from "./own-service-program.ts";

const newFolder = serviceFolders();
const manager = "manager M1 at the terminal";
const done = { kind: "done" };

/** A program on a folder of its own, which ends with the test. */
const begun = (starts?: Parameters<typeof program>[2]) => {
  const folder = newFolder();
  const run = program(folder, undefined, starts);
  onTestFinished(() => run.service.stop());
  return { ...run, folder, file: path.join(folder, "for-the-bank.txt") };
};
/** The same, set up. */
const settled = async (sent = form) => {
  const envs: Record<string, string | undefined>[] = [];
  const run = begun((env) => void envs.push(env));
  expect(await run.setUp(sent)).toEqual(done);
  return { ...run, envs };
};
type Run = ReturnType<typeof begun>;
const shops = ({ service }: Pick<Run, "service">) => rows(service, "merchants", "list");
const banks = ({ service }: Pick<Run, "service">) => rows(service, "partners", "list");
/** The keys that sign, as they are stored. */
const keysOf = ({ folder }: Pick<Run, "folder">) => {
  const database = new DatabaseSync(databaseIn(folder), { readOnly: true });
  const keys = database.prepare("SELECT secret, previous_secret AS previous FROM partners WHERE id = 'my-bank'").get();
  database.close();
  return keys;
};
/** By whom an operator's commands were given, in the order in which they came first. */
const actorsIn = ({ folder }: Pick<Run, "folder">) => {
  const database = new DatabaseSync(databaseIn(folder), { readOnly: true });
  const sql = "SELECT actor FROM audit WHERE event LIKE '% %' GROUP BY actor ORDER BY min(seq)";
  const actors = database.prepare(sql).all();
  database.close();
  return actors.map(({ actor }) => actor);
};
/** Also the system's administrator can write nothing there. */
const takesNothing = process.platform === "linux" ? "/proc" : "none";
const swiss = { ...shop, currency: "CHF", smallest: "20.00", largest: "200.00", step: "20.00" };
const events = "https://bank.example/events";

test("the set-up keeps each field of the form, and a key of the bank's own stands in no file", async () => {
  const run = await settled({ ...form, shop: swiss, bank: { ...bank, eventsUrl: events, key: bankSecret } });
  expect(await shops(run)).toMatchObject([
    { id: "corner-shop", name: "Corner shop", currency: "CHF", smallest: "20.00", largest: "200.00", step: "20.00" },
  ]);
  expect(await banks(run)).toMatchObject([{ id: "my-bank", url: "https://bank.example", events_url: events }]);
  expect(keysOf(run)).toEqual({ secret: bankSecret, previous: null });
  const text = readFileSync(run.file, "utf8");
  expect(text).toContain("the key that the bank gave");
  expect(text).not.toContain("whsec_");
  expect(statSync(run.file).mode & 0o777).toBe(0o600);
  const copies = path.join(run.folder, "copies");
  expect(run.envs).toMatchObject([{ HOST: "127.0.0.1", METRICS_PORT: "0", BACKUP_DIR: copies }]);
  expect([statSync(copies).mode & 0o777, readdirSync(copies)]).toEqual([0o700, []]);
});

test("what the form did is in the service's audit, with who sent it", async () => {
  const run = await settled({ ...form, shop: swiss });
  const acts = (await rows(run.service, "audit")).filter(({ actor }) => actor === "manager M1");
  const limits = "--smallest 20.00 --largest 200.00 --step 20.00";
  expect(acts.map(({ event, object, detail }) => [event, object, detail])).toEqual([
    ["merchants add", "corner-shop", `--name Corner shop --currency CHF ${limits}`],
    ["partners add", "my-bank", "--url https://bank.example"],
    ["partners set", "my-bank", "--events-url none"],
    ["partners allow", "my-bank corner-shop", null],
    ["credentials add", "client my-bank server-1", null],
    ["credentials add", "terminal corner-shop till-1", "--enrol 1"],
  ]);
});

test("a key that the service made is in the bank's file, and no earlier one signs beside it", async () => {
  const run = await settled();
  const { secret, previous } = keysOf(run) ?? {};
  expect(readFileSync(run.file, "utf8")).toContain(`\n  ${secret}\n`);
  expect(previous).toBeNull();
});

test("a bank that a set-up had added and not told gets a key that alone signs, and is told that one", async () => {
  const run = begun();
  await run.setUp({ ...form, bank: { ...bank, eventsUrl: "ftp://x" } });
  const before = keysOf(run);
  expect(await run.setUp()).toEqual(done);
  const { secret } = keysOf(run) ?? {};
  expect(secret).not.toBe(before?.secret);
  expect(readFileSync(run.file, "utf8")).toContain(`\n  ${secret}\n`);
  expect(await banks(run)).toMatchObject([{ old_key_until: null }]);
});

test("the bank counts as told once its file is written, and not before", async () => {
  const run = begun();
  const written: boolean[] = [];
  const save = (settings: Parameters<typeof run.service.save>[0]) => {
    if (settings.isBankTold) written.push(existsSync(run.file));
    run.service.save(settings);
  };
  const work = createOwnServiceWork({ ...run.service, save });
  expect(await work.setUp(form, manager, async () => null)).toEqual(done);
  expect(new Set(written)).toEqual(new Set([true]));
});

test("sent again with other values it changes these, makes no second key, and takes up the folder for copies", async () => {
  const run = await settled({ ...form, shop: swiss });
  const [before, text] = [keysOf(run), readFileSync(run.file, "utf8")];
  const again = {
    shop: { ...swiss, name: "Corner", largest: "300.00" },
    bank: { ...bank, url: "https://new.bank.example", eventsUrl: events },
    backupFolder: path.join(run.folder, "elsewhere"),
  };
  expect(await run.setUp(again)).toEqual(done);
  expect(await shops(run)).toMatchObject([{ name: "Corner", currency: "CHF", smallest: "20.00", largest: "300.00" }]);
  expect(await banks(run)).toMatchObject([{ url: "https://new.bank.example", events_url: events }]);
  expect(keysOf(run)).toEqual(before);
  expect(readFileSync(run.file, "utf8")).toBe(text);
  expect(run.service.settings()).toMatchObject({ backupFolder: again.backupFolder, attempts: [] });
  // It served on: a press of the set-up ends no withdrawal.
  expect(run.envs).toHaveLength(1);
  expect(await run.setUp({ ...again, shop: { ...swiss, currency: "EUR" } })).toEqual({
    kind: "refused",
    fields: ["currency"],
    output: "the shop's books are in CHF",
  });
});

test.each<[string, Partial<typeof form>, object]>([
  ["a folder that is none", { backupFolder: "copies" }, { fields: ["backupFolder"], output: null }],
  ["a folder that takes nothing", { backupFolder: takesNothing }, { fields: ["backupFolder"], output: null }],
  ["a shop without a name", { shop: { ...shop, name: "" } }, { fields: ["shopName"] }],
  ["a bank's address in the open", { bank: { ...bank, url: "http://bank.example" } }, { fields: ["bankUrl"] }],
  ["an address for events that is none", { bank: { ...bank, eventsUrl: "ftp://x" } }, { fields: ["eventsUrl"] }],
  ["a weak key of the bank", { bank: { ...bank, key: "whsec_c2hvcnQ=" } }, { fields: ["bankKey"] }],
])("a set-up with %s is refused there, and enrols nobody", async (_, part, refused) => {
  const run = begun();
  expect(await run.setUp({ ...form, ...part })).toMatchObject({ kind: "refused", ...refused });
  expect(run.codes).toEqual([]);
  expect(run.service.settings()).toMatchObject({ shop: null, bank: null });
});

test("a terminal that could not be enrolled says why, and what was mistyped is still known", async () => {
  const run = begun();
  const mistyped = { ...form, shop: { ...shop, id: "crner-shop" }, bank: { ...bank, id: "my-bnak" } };
  const refused = { kind: "refused", fields: [], output: "the journal is full" };
  expect(await run.setUp(mistyped, async () => "the journal is full")).toEqual(refused);
  expect(run.service.settings()?.attempts).toEqual([{ shop: "crner-shop", bank: "my-bnak" }]);
  expect(await run.setUp()).toEqual(done);
  expect(run.service.settings()?.attempts).toEqual([]);
  // Its access is gone; what it could ask of the right shop stays.
  expect((await banks(run)).map(({ id, shops }) => [id, shops])).toEqual([
    ["my-bank", "corner-shop"],
    ["my-bnak", null],
  ]);
  const listed = await rows(run.service, "credentials", "list");
  expect(listed.filter(({ status }) => status === "in use").map((row) => row.merchant_id)).toEqual(["my-bank"]);
});

test.each([
  ["the shop alone was", { shop: { ...shop, id: "crner-shop" } }, [["my-bank", "corner-shop"]]],
  [
    "the bank alone was",
    { bank: { ...bank, id: "my-bnak" } },
    [
      ["my-bank", "corner-shop"],
      ["my-bnak", null],
    ],
  ],
  [
    "a key was refused and both were",
    { shop: { ...shop, id: "crner-shop" }, bank: { ...bank, id: "my-bnak", key: "whsec_c2hvcnQ=" } },
    [
      ["my-bank", "corner-shop"],
      ["my-bnak", null],
    ],
  ],
])("where %s mistyped, the right one keeps its access", async (_, part, allowed) => {
  const run = begun();
  await run.setUp({ ...form, ...part }, async () => "not now");
  expect(await run.setUp()).toEqual(done);
  expect((await banks(run)).map(({ id, shops }) => [id, shops])).toEqual(allowed);
  const listed = await rows(run.service, "credentials", "list");
  expect(listed.filter(({ status }) => status === "in use").map((row) => row.merchant_id)).toEqual(["my-bank"]);
});

test("a shop that this terminal has a key for was no mistake: the bank may go on using it", async () => {
  const run = begun();
  const enrolled = async () => {
    await rows(run.service, "credentials", "add", "terminal", "corner-shop", "till-1");
    return "the program ended";
  };
  await run.setUp(form, enrolled);
  expect(await run.setUp({ ...form, shop: { ...shop, id: "second-shop" } })).toEqual(done);
  expect((await banks(run)).map(({ shops }) => shops)).toEqual(["corner-shop second-shop"]);
});

test("of the shops that were tried the last fifty are known, each once, and read again by the next run", async () => {
  const run = begun();
  const tried = Array.from({ length: 50 }, (_, n) => ({ shop: `shop-${n}`, bank: "my-bank" }));
  const before = run.service.settings();
  if (before === null) throw new Error("there are no settings");
  run.service.save({ ...before, attempts: tried });
  const nameless = { ...shop, name: "" };
  await run.setUp({ ...form, shop: { ...nameless, id: "shop-7" } });
  await run.setUp({ ...form, shop: nameless });
  const last = [
    { shop: "shop-7", bank: "my-bank" },
    { shop: "corner-shop", bank: "my-bank" },
  ];
  const left = tried.filter(({ shop }) => shop !== "shop-7" && shop !== "shop-0");
  expect(program(run.folder).service.settings()?.attempts).toEqual([...left, ...last]);
});

test("the forms of later days change shop and bank, and no other one than these", async () => {
  const run = await settled({ ...form, bank: { ...bank, eventsUrl: events } });
  const named = { ...shop, name: "The corner", largest: "90.00" };
  expect(await run.work.changeShop(named, manager)).toEqual(done);
  expect(await shops(run)).toMatchObject([{ name: "The corner", largest: "90.00" }]);
  const moved = { ...bank, url: "https://new.bank.example", key: bankSecret };
  expect(await run.work.changeBank(moved, manager)).toEqual(done);
  expect(await banks(run)).toMatchObject([{ url: "https://new.bank.example", events_url: null }]);
  expect(keysOf(run)).toEqual({ secret: bankSecret, previous: null });
  const refused = (field: string) => ({ kind: "refused", fields: [field], output: null });
  expect(await run.work.changeShop({ ...shop, id: "other" }, manager)).toEqual(refused("shopId"));
  expect(await run.work.changeBank({ ...bank, id: "other" }, manager)).toEqual(refused("bankId"));
  expect([await shops(run), await banks(run)].map(({ length }) => length)).toEqual([1, 1]);
});

test("a shop that was tried in vain, and whose name is a part of the right one's, keeps nothing from being set up", async () => {
  const run = begun();
  expect(await run.setUp({ ...form, shop: { ...shop, id: "corner", name: "" } })).toMatchObject({
    fields: ["shopName"],
  });
  expect(await run.setUp()).toEqual(done);
  expect((await banks(run)).map(({ shops }) => shops)).toEqual(["corner-shop"]);
});

test("copies go into another folder once the service has started with it", async () => {
  const run = await settled();
  const folder = path.join(run.folder, "elsewhere");
  expect(await run.work.changeBackups("elsewhere")).toMatchObject({ kind: "refused", fields: ["backupFolder"] });
  const changing = async () => expect(await run.work.changeBackups(folder)).toEqual(done);
  // The terminal goes on meanwhile.
  expect(await waitsFor(folder, changing)).toEqual([]);
  expect(run.envs.map(({ BACKUP_DIR }) => BACKUP_DIR)).toEqual([path.join(run.folder, "copies"), folder]);
  expect(await run.work.backUp(manager)).toEqual(done);
  expect((await run.work.view(manager))?.live?.service.backup?.bytes).toBeGreaterThan(0);
});

test("a folder for copies that does not answer is refused, and kept waiting for once", async () => {
  const run = await settled();
  const [held, { mkdir }] = [Promise.withResolvers<void>(), promises];
  const holding = vi.spyOn(promises, "mkdir").mockImplementation(async (...of) => {
    await held.promise;
    return mkdir(...of);
  });
  syncBuiltinESMExports();
  const work = createOwnServiceWork(run.service, 50);
  const choose = () => work.changeBackups(path.join(run.folder, "elsewhere"));
  for (const _ of [1, 2, 3]) expect(await choose()).toMatchObject({ kind: "refused", fields: ["backupFolder"] });
  expect(holding).toHaveBeenCalledTimes(1);
  held.resolve();
  await expect.poll(choose).toEqual(done);
  holding.mockRestore();
  syncBuiltinESMExports();
});

/** A service that does not start any more. */
const stopped = ({ service }: Pick<Run, "service">) => ({
  ...service,
  channel: () => null,
  start: async () => null,
  lastOutput: () => "the disk is full",
});

test("a set-up on a new folder begins at the usual port, closed to other machines, and says why nothing starts", async () => {
  const run = begun();
  rmSync(path.join(run.folder, "service.json"));
  const folder = path.join(run.folder, "new");
  const { service } = program(folder);
  const refused = { kind: "refused", fields: [], output: "the disk is full" };
  const sent = { ...form, backupFolder: path.join(run.folder, "copies") };
  expect(await createOwnServiceWork(stopped({ service })).setUp(sent, manager, async () => null)).toEqual(refused);
  expect(service.settings()).toEqual({
    version: 1,
    port: 8787,
    backupFolder: sent.backupFolder,
    network: null,
    shop: null,
    bank: null,
    isBankTold: false,
    attempts: [{ shop: "corner-shop", bank: "my-bank" }],
  });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test("what does not run says why to whoever changes its folder, its shop or its bank, or looks at it", async () => {
  const run = await settled();
  const work = createOwnServiceWork(stopped(run));
  const refused = { kind: "refused", fields: [], output: "the disk is full" };
  expect(await work.changeBackups(path.join(run.folder, "elsewhere"))).toEqual(refused);
  expect(await work.changeShop(shop, manager)).toEqual(refused);
  expect(await work.changeBank(bank, manager)).toEqual(refused);
  expect(await work.view(manager)).toMatchObject({ lastOutput: "the disk is full", live: null, bankFile: run.file });
});

test("opened to other machines the bank is told that address", async () => {
  const run = await settled();
  const open = { publicUrl: "https://till.example", port: await freePort(), ...certificateIn(run.folder) };
  expect(await run.work.changeNetwork({ ...open, publicUrl: "https://other.example" })).toMatchObject({
    fields: ["certFile"],
  });
  expect(run.envs).toHaveLength(1);
  expect(await run.work.changeNetwork(open)).toEqual(done);
  expect(await run.work.view(manager)).toMatchObject({ network: open });
  const told = { HOST: "0.0.0.0", PORT: String(open.port), PUBLIC_URL: "https://till.example" };
  expect(run.envs.at(-1)).toMatchObject({ ...told, TLS_CERT: open.certFile, TLS_KEY: open.keyFile });
  expect(await run.work.renewBankAccess(manager)).toEqual(done);
  expect(readFileSync(run.file, "utf8")).toMatch(/^Service +https:\/\/till\.example$/m);
});

test("new access for the bank: another password, and the key from before signs for a day beside the new one", async () => {
  const run = await settled();
  const [before, text] = [keysOf(run), readFileSync(run.file, "utf8")];
  chmodSync(run.file, 0o644);
  expect(await run.work.renewBankAccess(manager)).toEqual(done);
  expect(statSync(run.file).mode & 0o777).toBe(0o600);
  const { secret, previous } = keysOf(run) ?? {};
  expect(previous).toBe(before?.secret);
  const password = (of: string) => /^ +password +(\S+)$/m.exec(of)?.[1];
  const renewed = readFileSync(run.file, "utf8");
  expect(renewed).toContain(String(secret));
  expect(password(renewed)).not.toBe(password(text));
  const [{ old_key_until: until } = {}] = await banks(run);
  const leftHours = (Date.parse(String(until)) - systemClock.now()) / 3_600_000;
  expect(leftHours).toBeGreaterThan(23.9);
  expect(leftHours).toBeLessThanOrEqual(24);
  expect(await run.work.renewBankAccess(manager), "also in a rotation").toEqual(done);
});

test("access that was revoked is made anew", async () => {
  const run = await settled();
  await rows(run.service, "credentials", "revoke", "client", "my-bank", "server-1");
  expect(await run.work.renewBankAccess(manager)).toEqual(done);
  expect(await rows(run.service, "credentials", "list")).toMatchObject([{ merchant_id: "my-bank", status: "in use" }]);
});

test("before its set-up there is nothing to see, to renew or to copy, and nothing is made", async () => {
  const run = begun();
  expect(await run.work.view(manager)).toBeNull();
  for (const asked of [run.work.renewBankAccess(manager), run.work.backUp(manager)])
    expect(await asked).toMatchObject({ kind: "refused", fields: [] });
  expect(existsSync(run.file)).toBe(false);
});

test("a page sees where everything lies, and the bank's file until it is thrown away", async () => {
  const run = await settled({ ...form, shop: swiss, bank: { ...bank, eventsUrl: events } });
  expect(await run.work.view(manager)).toMatchObject({
    state: "running",
    address: `http://127.0.0.1:${run.service.settings()?.port}`,
    database: databaseIn(run.folder),
    bankFile: run.file,
    lastOutput: null,
    live: { shop: swiss, bank: { id: "my-bank", url: bank.url, eventsUrl: events } },
  });
  run.work.discardBankFile();
  expect(await run.work.view(manager)).toMatchObject({ bankFile: null });
});

const setUpCommand = { type: "set_up_service", ...form };

test("in training the service is neither shown nor touched", async () => {
  const run = begun();
  const { send, shown, acts, passed } = terminalOn(run.service, 0, true);
  for (const command of [setUpCommand, { type: "get_service" }, { type: "restart_service" }])
    expect(await send(command)).toEqual({ ok: false, code: "invalid" });
  expect(await send({ type: "list_cashiers" })).toEqual({ ok: true });
  expect([shown, acts, passed]).toEqual([[], [], ["list_cashiers"]]);
});

test("while a withdrawal is open nothing is set up", async () => {
  const run = begun();
  expect(await terminalOn(run.service, 1).send(setUpCommand)).toEqual({ ok: false, code: "undecided" });
  expect(run.service.channel()).toBeNull();
});

const own = (port: number) => ({
  serviceUrl: `http://127.0.0.1:${port}`,
  merchantId: "corner-shop",
  deviceId: "till-1",
});

test.each<[string, ReturnType<typeof own>, boolean]>([
  ["the same shop and terminal at the service of this machine", own(quietPort), true],
  ["another shop", { ...own(quietPort), merchantId: "other-shop" }, false],
  ["another terminal", { ...own(quietPort), deviceId: "till-2" }, false],
  ["a provider's service", { ...own(quietPort), serviceUrl: "https://cash.example" }, false],
])("while a withdrawal is open, of %s, a set-up leads back there, or nowhere", async (_, identity, isBack) => {
  const run = begun();
  const reply = await terminalOn(run.service, 1, false, { identity }).send(setUpCommand);
  expect(reply).toMatchObject(isBack ? { ok: true } : { ok: false, code: "undecided" });
  expect(run.service.channel() !== null).toBe(isBack);
});

test("what a manager has decided stands in no set-up's way, though its report waits", async () => {
  const run = begun();
  const identity = { ...own(quietPort), serviceUrl: "https://cash.example" };
  expect(await terminalOn(run.service, 0, false, { identity, unfinished: 1 }).send(setUpCommand)).toMatchObject({
    ok: true,
  });
});

test("an act is written down before it is done, and an enrolment that failed is said", async () => {
  const run = begun();
  const { send, acts, passed, enrolled, shown, ranAtAct } = terminalOn(run.service, 0);
  expect(await send(setUpCommand)).toEqual({
    ok: true,
    data: { kind: "refused", fields: [], output: "enrolment: failed" },
  });
  expect(acts).toEqual(["service_set_up_service"]);
  expect(ranAtAct).toEqual([false]);
  expect(passed).toEqual(["enroll_by_code"]);
  expect(enrolled).toEqual([[`http://127.0.0.1:${run.service.settings()?.port}`, true, actor]]);
  expect(shown.at(-1)).toEqual({ ownService: { state: "running", why: null } });
  expect(await send({ type: "get_service" })).toMatchObject({ ok: true, data: { state: "running" } });
  expect(acts).toHaveLength(1);
});

test("a running service is not started again, and new access that is asked for twice at once is made once", async () => {
  const run = await settled();
  const { send } = terminalOn(run.service, 0);
  expect(await send({ type: "restart_service" })).toEqual({ ok: true });
  expect(run.envs).toHaveLength(1);
  const before = keysOf(run);
  const renew = { type: "renew_bank_access" };
  expect(await Promise.all([send(renew), send(renew)])).toEqual(Array(2).fill({ ok: true, data: { kind: "done" } }));
  expect(keysOf(run)?.previous).toBe(before?.secret);
  await send(renew);
  expect(keysOf(run)?.previous).not.toBe(before?.secret);
});

test("a form that is sent twice at once makes one key, which the bank's file has", async () => {
  const run = begun();
  const { send, passed } = terminalOn(run.service, 0);
  await Promise.all([send(setUpCommand), send(setUpCommand)]);
  expect(passed).toHaveLength(2);
  const { secret, previous } = keysOf(run) ?? {};
  expect(previous).toBeNull();
  expect(readFileSync(run.file, "utf8")).toContain(`\n  ${secret}\n`);
});

test("each form and button of the page does its part, under the manager's name in the audit", async () => {
  const run = await settled();
  const { send } = terminalOn(run.service, 0);
  const change = async (part: object) =>
    expect(await send({ type: "change_service", change: part })).toEqual({ ok: true, data: done });
  const folder = path.join(run.folder, "elsewhere");
  await change({ part: "shop", shop: { ...shop, name: "The corner" } });
  await change({ part: "bank", bank: { ...bank, url: "https://new.bank.example" } });
  await change({ part: "backups", folder });
  expect([await shops(run), await banks(run)]).toMatchObject([
    [{ name: "The corner" }],
    [{ url: "https://new.bank.example" }],
  ]);
  expect(await send({ type: "back_up_service" })).toEqual({ ok: true, data: done });
  expect(readdirSync(folder)).toHaveLength(1);
  expect(await send({ type: "discard_bank_file" })).toEqual({ ok: true });
  expect(existsSync(run.file)).toBe(false);
  expect(actorsIn(run)).toEqual(["manager M1", manager]);
});

test("before its set-up it is neither shown nor started", async () => {
  const run = begun();
  const { send } = terminalOn(stopped(run), 0);
  expect(await send({ type: "get_service" })).toEqual({ ok: false, code: "invalid" });
  expect(await send({ type: "restart_service" })).toEqual({ ok: false, code: "failed" });
});

test("what fails on the way is logged, and refused as that", async () => {
  const run = await settled();
  const { send, logged } = terminalOn(
    {
      ...run.service,
      save: () => {
        throw new Error("no disk");
      },
    },
    0,
  );
  expect(await send({ type: "change_service", change: { part: "network", network: null } })).toEqual({
    ok: false,
    code: "failed",
  });
  expect(logged).toHaveLength(1);
});

test("settings of a newer program are left alone: the service is given up, and nothing is saved over them", async () => {
  const folder = newFolder();
  const file = path.join(folder, "service.json");
  const text = JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: 2 });
  writeFileSync(file, text);
  const run = program(folder);
  expect(run.service.status()).toEqual({ state: "given_up", why: "newer_settings" });
  expect(() => run.service.save({} as Parameters<typeof saveOwnSettings>[1])).toThrow("a newer program's");
  expect(await run.service.start()).toBeNull();
  expect(readFileSync(file, "utf8")).toBe(text);
});

test.each<[string, (kept: Record<string, unknown>) => string, boolean]>([
  ["of a version that knew of no other tries", ({ attempts: _, ...kept }) => JSON.stringify(kept), true],
  ["with a port that is none", (kept) => JSON.stringify({ ...kept, port: 0 }), false],
  ["that are damaged", () => "{", false],
])("settings %s are read as what they are, and a new set-up finds all else again", async (_, change, areRead) => {
  const run = begun();
  const file = path.join(run.folder, "service.json");
  const kept = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  writeFileSync(file, change(kept));
  const { service } = program(run.folder);
  expect(service.settings()).toEqual(areRead ? { ...kept, attempts: [] } : null);
  expect([service.status(), existsSync(`${file}.damaged`)]).toEqual([null, !areRead]);
  service.save({ ...kept, backupFolder: "/copies" } as Parameters<typeof service.save>[0]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 1, backupFolder: "/copies" });
});

test("while it starts for the first time nothing is wrong with it yet", async () => {
  const run = await settled();
  await run.service.stop();
  const again = program(run.folder);
  onTestFinished(() => again.service.stop());
  expect(again.service.status()).toEqual({ state: "starting", why: null });
  await expect.poll(() => again.service.status()).toEqual({ state: "running", why: null });
});

test("who watches it is told of what was kept, once it counts; what the disk does not take does not", () => {
  const { service, folder } = begun();
  const seen: unknown[] = [];
  service.watch(() => seen.push(service.settings()?.isBankTold));
  const kept = service.settings();
  if (kept === null) throw new Error("there are no settings");
  service.save({ ...kept, isBankTold: true });
  mkdirSync(path.join(folder, "service.json.new"));
  expect(() => service.save({ ...kept, backupFolder: "/copies" })).toThrow("EISDIR");
  expect(service.settings()).toMatchObject({ isBankTold: true, backupFolder: kept.backupFolder });
  expect(seen).toEqual([true]);
});

test("a bank behind the company's proxy and authority is reached from here too, and nothing else is passed on", () => {
  const { service } = begun();
  const kept = service.settings();
  if (kept === null) throw new Error("there are no settings");
  const network = { publicUrl: "https://till.example", port: 8443, certFile: "cert.pem", keyFile: "key.pem" };
  const around = { NODE_EXTRA_CA_CERTS: "ca.pem", HTTPS_PROXY: "a", https_proxy: "b", NO_PROXY: "c", no_proxy: "d" };
  expect(ownEnvironment("data", kept, { ...around, SERVICE_KEY: "x" })).toMatchObject(around);
  expect(ownEnvironment("data", kept, { ...around, SERVICE_KEY: "x" })).not.toHaveProperty("SERVICE_KEY");
  expect(portsOf({ port: 8787, network })).toEqual([8787, 8443]);
  expect([portsOf({ port: 8787, network: null }), portsOf(null)]).toEqual([[8787], []]);
});
