/** SERVICE_KEY is replaced while the service runs: nothing is lost, nothing is unproven, and no process writes under a key that others lack. */
import { rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { createAccess } from "../../backend/access/access.ts";
import { appendAudit, auditKeyInUse } from "../../backend/access/audit.ts";
import { createTokens } from "../../backend/access/credentials.ts";
import { keyCipherOf, openKeyRing, watchServiceKey } from "../../backend/access/key-ring.ts";
import { enrol, redeemManagerReset } from "../../backend/access/one-time-codes.ts";
import { loadKeptServiceKey, serviceKeyFile, serviceKeysFrom } from "../../backend/access/secrets.ts";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { keyNames } from "../../backend/context.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { commands } from "../../backend/operate/commands.ts";
import { manage } from "../../backend/operate/manage.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { rotateServiceKey } from "../../backend/operate/service-key.ts";
import { allPartners } from "../../backend/partner/partners.ts";
import { type Running, startService } from "../../backend/serve.ts";
import { startFailure } from "../../backend/start-failure.ts";
import { readDatabaseUrl } from "../../backend/store/database-url.ts";
import { servedWithSetting, setSetting } from "../../backend/store/settings.ts";
import { adhoc, type Store, StoreRefused } from "../../backend/store/store.ts";
import { listDisputes } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { putBack, rowsIn, rowsOf } from "./rows.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { approve, confirmIt, placeOrder, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

/** That of the world's service too. */
const old = "a service key of the tests";
const fresh = "another service key of the tests";
const oldOnly = { SERVICE_KEY: old };
const both = { SERVICE_KEY: fresh, SERVICE_KEY_BEFORE: old };
const swapped = { SERVICE_KEY: old, SERVICE_KEY_BEFORE: fresh };
const freshOnly = { SERVICE_KEY: fresh };
type Keys = Readonly<Record<string, string>>;
const tables = ["audit", "audit_head", "settings", "partners", "withdrawal_events"] as const;

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let world: World;
  let clock: VirtualClock;
  worldPerTest(dialect, {}, (stage) => {
    ({ place, store, world, clock } = stage);
  });
  /** The processes of a fleet; SQLite has no such list. */
  const workers = async () => (await rowsIn(store, "workers")).map(({ id }) => id);
  beforeEach(async () => {
    // The world's own is days behind the others: as it comes, it forgets them.
    if (dialect === "postgres") await expect.poll(workers).not.toEqual([]);
  });

  const command = (keys: Keys, ...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: place.url, PUBLIC_URL: "https://cash.example", ...keys }), clock);
  const start = async (keys: Keys): Promise<Running> => {
    const settings = { DATABASE_URL: place.url, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "silent", ...keys };
    const parsed = parseConfig(settings);
    if (!parsed.ok) throw new Error(parsed.problems.join());
    const before = await workers();
    const running = await startService(parsed.config, createLog("silent"));
    onTestFinished(() => running.stop());
    const isThere = async () => (await workers()).some((id) => !before.includes(id));
    if (dialect === "postgres") await expect.poll(isThere).toBe(true);
    return running;
  };
  /** As a deploy does: started, and stopped again where the next one comes. */
  const serveOnce = async (keys: Keys) => (await start(keys)).stop();
  const whole = { audit: "whole", history: "whole", settings: "whole" };
  const verify = async (keys: Keys) => (await command(keys, "audit", "verify"))[0];
  const next = async (keys: Keys) => (await command(keys, "service-key", "status"))[0]?.next;
  const bankKeys = async () => (await store.read((tx) => tx.all(allPartners({})))).map(({ secret }) => secret);
  const dump = () => rowsOf(store, tables);
  const pay = async () => {
    const placed = await placeOrder(world.service);
    await confirmIt(world.service, placed);
    await approve(world.service, placed);
    await getTransaction(world.service, till, placed.transaction_id, { waitMs: 10_000, whileStatus: "settling" });
    return placed.transaction_id;
  };
  const ringOf = (keys: Keys) => {
    const database = readDatabaseUrl(place.url);
    if (database === null) throw new Error("no address");
    const [serviceKey = null, serviceKeyBefore = null] = [keys.SERVICE_KEY, keys.SERVICE_KEY_BEFORE];
    return openKeyRing(store, { database, serviceKey, serviceKeyBefore }, systemRandom);
  };

  test("from one to the other, step by step: all that was stored goes on, and the audit holds at each", async () => {
    await command(oldOnly, "partners", "add", "big-bank", "--url", "https://bank.example");
    const [made] = await command(
      oldOnly,
      "credentials",
      "add",
      "terminal",
      "corner-shop",
      "till-7",
      "--enrol",
      "--days",
      "30",
    );
    await command(oldOnly, "credentials", "add", "terminal", "corner-shop", "till-8");
    for (const user of ["bob", "eve"]) await command(oldOnly, "users", "block", "bank", user);
    const [reset] = await command(oldOnly, "credentials", "reset-manager", "terminal", "corner-shop", "till-8");
    const id = await pay();
    await closeDays(world.service);
    expect(await verify(oldOnly)).toMatchObject(whole);

    await serveOnce(oldOnly);
    expect(await next(both)).toBe(
      dialect === "sqlite" ? "give every process both keys and restart it" : "service-key rotate",
    );
    await serveOnce(both);
    expect(await verify(both)).toMatchObject(whole);
    expect(await next(both)).toBe("service-key rotate");
    // So long one of before goes on beside it.
    await command(oldOnly, "merchants", "set", "corner-shop", "--name", "Corner");

    const ring = await ringOf(both);
    expect(await command(both, "service-key", "rotate")).toMatchObject([
      { bank_keys_encrypted_anew: (await bankKeys()).filter((key) => key !== null).length, bank_keys_unreadable: 0 },
    ]);
    expect(await verify(both)).toMatchObject(whole);
    expect(await next(both)).toMatch(/^take SERVICE_KEY_BEFORE away/);

    // Who is blocked has another name in the audit under another key.
    await command(both, "users", "unblock", "bank", "bob");
    expect(await verify(both)).toMatchObject(whole);
    await command(both, "users", "block", "bank", "bob");
    expect(await verify(both)).toMatchObject(whole);
    const bobAndEve = (blockedAt: number | null) =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("customers").set({ blocked_at: blockedAt }))));
    await bobAndEve(null);
    await expect(verify(both)).rejects.toThrow(
      /block of user \w+ of bank bank is gone.*; block of user \w+ of bank bank is gone/,
    );
    await bobAndEve(1);
    expect(await verify(both)).toMatchObject(whole);

    // A process that has both notices within five seconds; what it wrote until then is proven too.
    const was = ring.auditKeyId;
    const watched = { ...world.service, keys: ring };
    const watching = watchServiceKey(watched, ring, ({ message }) => expect.unreachable(message));
    await linkTransaction(watched, till, id);
    // A day may be over before it has noticed.
    await closeDays(watched);
    expect(await verify(both)).toMatchObject(whole);
    await clock.advance(5_000);
    await expect.poll(() => ring.auditKeyId).not.toBe(was);
    await watching?.stop();
    await clock.advance(60_000);
    await closeDays(watched);
    expect(await verify(both)).toMatchObject(whole);

    expect(await verify(freshOnly)).toMatchObject(whole);
    await serveOnce(freshOnly);
    expect(await command(freshOnly, "partners", "list")).toContainEqual(
      expect.objectContaining({ id: "big-bank", problem: null }),
    );
    expect((await command(freshOnly, "audit")).filter(({ event }) => event === "service-key rotate")).toHaveLength(1);
    const access = createAccess(world.service, "a token secret", { keys: await ringOf(freshOnly) });
    expect(await enrol(access, String(made?.code), "10.0.0.1")).toMatchObject({ device_id: "till-7" });
    const terminal = { merchantId: "corner-shop", deviceId: "till-8" };
    expect(await redeemManagerReset(access, terminal, String(reset?.code), "10.0.0.1")).toMatchObject({
      device_id: "till-8",
    });

    // And once more: what the first one opened, the third key opens.
    const third = { SERVICE_KEY: "a third service key of the tests", SERVICE_KEY_BEFORE: fresh };
    await serveOnce(third);
    await command(third, "service-key", "rotate");
    expect(await verify({ SERVICE_KEY: third.SERVICE_KEY })).toMatchObject(whole);
    // Somebody has the first key, and the database.
    const seventh = (cashier: string) =>
      store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ cashier }).where("sequence", "=", 2))),
      );
    await seventh("9");
    await expect(verify({ SERVICE_KEY: third.SERVICE_KEY })).rejects.toThrow(/was changed/);
  });

  test("its status names both keys, who lacks the new one, what is left under the old one, and what comes next", async () => {
    const [was, is] = [(await ringOf(oldOnly)).auditKeyId, (await ringOf(freshOnly)).auditKeyId];
    await command(oldOnly, "partners", "add", "big-bank", "--url", "https://bank.example");
    await command(oldOnly, "partners", "rotate", "big-bank");
    await command(oldOnly, "partners", "add", "second-bank", "--url", "https://bank.example");
    await command(oldOnly, "partners", "add", "keyless");
    const status = (keys: Keys) => command(keys, "service-key", "status");
    const without = { other_keys: null, processes_without_service_key: 0, bank_keys_under_others: 0 };
    // Where one process has the database, its start encrypts the key that the world's other bank had before.
    const sealed = dialect === "sqlite" ? 4 : 3;
    const before = { in_use: "SERVICE_KEY_BEFORE", key: was, other_keys: is, bank_keys_under_others: sealed };
    // Whoever has not started yet may be the one that lacks it.
    if (dialect === "sqlite") expect(await status(oldOnly)).toMatchObject([{ processes_without_service_key: 1 }]);
    await serveOnce(oldOnly);
    const nothing = "nothing: to rotate, give every process a new SERVICE_KEY, and this one as SERVICE_KEY_BEFORE";
    expect(await status(oldOnly)).toEqual([{ in_use: "SERVICE_KEY", key: was, ...without, next: nothing }]);
    const restart = { processes_without_service_key: 1, next: "give every process both keys and restart it" };
    if (dialect === "sqlite") expect(await status(both)).toEqual([{ ...before, ...restart }]);
    await serveOnce(both);
    const now = { processes_without_service_key: 0, next: "service-key rotate" };
    expect(await status(both)).toEqual([{ ...before, ...now }]);
    expect(await command(both, "service-key", "rotate")).toEqual([
      { key: is, before: was, bank_keys_encrypted_anew: expect.any(Number), bank_keys_unreadable: 0 },
    ]);
    const after = { in_use: "SERVICE_KEY", key: is, other_keys: was, bank_keys_under_others: 0 };
    const done = expect.stringMatching(/^take SERVICE_KEY_BEFORE away from every process/);
    expect(await status(both)).toEqual([{ ...after, processes_without_service_key: 0, next: done }]);
    const swap = expect.stringMatching(/^swap SERVICE_KEY and SERVICE_KEY_BEFORE/);
    expect(await status(swapped)).toMatchObject([{ in_use: "SERVICE_KEY_BEFORE", key: is, next: swap }]);
    // Without the key before, nothing is rotated.
    await expect(command(freshOnly, "service-key", "rotate")).rejects.toThrow(/^SERVICE_KEY_BEFORE is missing: set it/);
  });

  test("a row is under SERVICE_KEY before the audit, as a failover has lost the change, and under no other key that somebody puts there", async () => {
    const ids = [await pay(), await pay()];
    await closeDays(world.service);
    await clock.advance(60_001);
    const link = (root: string, id = "") =>
      linkTransaction({ ...world.service, keys: serviceKeysFrom(root, true) }, till, id);
    await link(fresh, ids[0]);
    expect(await verify(both)).toMatchObject(whole);
    const planted = "a service key of whoever has the database";
    if (dialect === "postgres") await store.write((tx) => tx.run(setSetting({ name: "service_key", value: planted })));
    else {
      const file = serviceKeyFile(place.url.slice("sqlite:".length));
      writeFileSync(file, planted, { mode: 0o600 });
      onTestFinished(() => rmSync(file));
    }
    await link(planted, ids[1]);
    await expect(verify(both)).rejects.toThrow(`of ${ids[1]} is not chained as it should be`);
  });

  test("where no bank has a key the audit's is to be rotated all the same", async () => {
    await store.write((tx) => tx.run(adhoc((db) => db.updateTable("partners").set({ secret: null }))));
    await command(oldOnly, "merchants", "set", "corner-shop", "--name", "Corner");
    await serveOnce(both);
    expect(await next(both)).toBe("service-key rotate");
  });

  test("a process that has the old key alone holds a rotation up, is refused after it, and writes nothing", async () => {
    await command(oldOnly, "partners", "add", "big-bank", "--url", "https://bank.example");
    const beside = await start(oldOnly);
    await expect(command(both, "service-key", "rotate")).rejects.toThrow(
      /started without this SERVICE_KEY.*restart it first/,
    );
    await beside.stop();
    await serveOnce(both);
    const late = await ringOf(oldOnly);
    await command(both, "service-key", "rotate");
    await placeOrder(world.service);
    const before = await dump();
    for (const what of [
      ["merchants", "disable", "corner-shop"],
      ["audit", "verify"],
      ["service-key", "status"],
    ])
      await expect(command(oldOnly, ...what)).rejects.toThrow(
        /cannot be read with this SERVICE_KEY: it is under another/,
      );
    const refused = await start(oldOnly).catch((error: unknown) => startFailure(error));
    expect(refused).toMatchObject({ exitCode: 2, text: expect.stringContaining("nothing was written") });
    // One that was there all along, and slept.
    const on = { ...world.service, keys: late };
    await expect(closeDays(on)).rejects.toThrow(/under another/);
    expect(await dump()).toEqual(before);
  });

  test("a process without SERVICE_KEY is refused where one is in use, also before the first entry: it makes no key and writes nothing", async () => {
    const [database, asks] = [readDatabaseUrl(place.url), ["merchants", "set", "corner-shop", "--name", "X"]];
    if (database === null) throw new Error("no address");
    for (const open of [ringOf, serveOnce]) {
      await open(oldOnly);
      const before = await dump();
      await expect(command({}, ...asks)).rejects.toThrow(/SERVICE_KEY is missing.*nothing was written/);
      if (open === serveOnce) {
        const refused = await start({}).catch((error: unknown) => startFailure(error));
        expect(refused).toMatchObject({ exitCode: 2, text: expect.stringContaining("SERVICE_KEY is missing") });
      }
      expect(await dump()).toEqual(before);
      expect(await loadKeptServiceKey(store, database)).toBeNull();
    }
    expect(await verify(oldOnly)).toMatchObject(whole);
  });

  test("a rotation that began before the audit's first entry changes the key that others have written it under since", async () => {
    const [keys, old] = [await ringOf(both), await ringOf(oldOnly)];
    const first = { event: "first", actor: "service", address: null, object: "", detail: null };
    await store.write(async (tx) => {
      await tx.run(setSetting({ name: servedWithSetting, value: keyNames(keys) }));
      await appendAudit(tx, old, clock.now(), first);
    });
    const [said] = await rotateServiceKey({ store, clock: systemClock, random: systemRandom, keys }, {});
    expect(said).toMatchObject({ key: (await ringOf(freshOnly)).auditKeyId, before: old.auditKeyId });
    expect(await store.read(auditKeyInUse)).toBe(said?.key);
  });

  test("one that has the old key alone and slept through the rotation ends, and writes nothing under it", async () => {
    await command(oldOnly, "merchants", "set", "corner-shop", "--name", "Corner");
    await serveOnce(oldOnly);
    const slept = await start(oldOnly);
    const names = keyNames(await ringOf(both));
    await store.write(async (tx) => {
      await tx.run(setSetting({ name: servedWithSetting, value: names }));
      await tx.run(adhoc((db) => db.updateTable("workers").set({ service_keys: names })));
    });
    await command(both, "service-key", "rotate");
    const ready = () => fetch(`http://127.0.0.1:${slept.port}/readyz`).then(({ status }) => status);
    await expect.poll(() => ready().catch(() => "gone")).not.toBe(200);
    expect(startFailure(await slept.refused)).toMatchObject({
      exitCode: 2,
      text: expect.stringContaining("it is under"),
    });
    await slept.stop();
    expect(await verify(both)).toMatchObject(whole);
    expect(await verify(freshOnly)).toMatchObject(whole);
  });

  test("a bank's key that is set through a service from before the rotation is encrypted under the new one", async () => {
    await serveOnce(oldOnly);
    const { commandContext } = await start(both);
    await command(both, "service-key", "rotate");
    const to = await ringOf(freshOnly);
    commandContext.keys.under?.(to.auditKeyId);
    await commands["partners add"]?.(commandContext, ["big-bank"], { url: "https://bank.example" });
    const stored = (await store.read((tx) => tx.all(allPartners({})))).find(({ id }) => id === "big-bank")?.secret;
    expect(keyCipherOf({ ...to, others: [] }, systemRandom).open("big-bank", stored ?? "")).toMatch(/^whsec_/);
  });

  test("whoever has the old key and the database takes nobody back under it", async () => {
    await serveOnce(oldOnly);
    await serveOnce(both);
    await closeDays(world.service);
    const { audit, audit_head } = await dump();
    const ring = await ringOf(both);
    await command(both, "service-key", "rotate");
    await command(both, "merchants", "set", "corner-shop", "--name", "Corner");
    ring.under?.(await store.read(auditKeyInUse));
    const alone = await ringOf(freshOnly);
    await putBack(store, { ...(await dump()), audit, audit_head });
    const thiefs = await dump();
    await expect(closeDays({ ...world.service, keys: ring })).rejects.toThrow(/was rotated away: .* put back/);
    await expect(closeDays({ ...world.service, keys: alone })).rejects.toThrow(/it is under another/);
    for (const keys of [both, oldOnly, freshOnly]) {
      await expect(verify(keys)).rejects.toThrow(StoreRefused);
      await expect(command(keys, "merchants", "disable", "corner-shop")).rejects.toThrow(StoreRefused);
      expect(await start(keys).catch((error: unknown) => startFailure(error))).toMatchObject({ exitCode: 2 });
    }
    await expect(verify(both)).rejects.toThrow(/was rotated away: .* put back/);
    expect(await dump()).toEqual(thiefs);
  });

  test("a second hand-out is in the report though the process has not the audit's key, and the audit stays whole", async () => {
    await command(oldOnly, "merchants", "set", "corner-shop", "--name", "Corner");
    await serveOnce(oldOnly);
    await serveOnce(both);
    await applyRestore(world.service, { forgotSince: 0 });
    const errors: unknown[] = [];
    const log = { ...world.service.log, error: (about: unknown) => void errors.push(about) };
    const on = { ...world.service, log, keys: await ringOf(oldOnly) };
    await command(both, "service-key", "rotate");
    const id = await pay();
    const link = (handOut: string) => linkTransaction(on, till, id, null, undefined, handOut);
    await link("hand-out-1");
    expect(await link("hand-out-2")).toMatchObject({ status: "linked", hand_out_id: "hand-out-1" });
    expect(await listDisputes(store)).toMatchObject([{ id }]);
    // And of a withdrawal that a restore has forgotten.
    const [forgotten, known] = [makeTransactionId(Buffer.alloc(15)), { amount: "50.00", currency: "EUR" }];
    const asReported = { ...known, transaction_id_partner: "forgotten" };
    const report = (handOut: string) => linkTransaction(on, till, forgotten, null, asReported, handOut);
    await report("hand-out-3");
    expect(await report("hand-out-4")).toMatchObject({ hand_out_id: "hand-out-3" });
    expect(errors).toMatchObject([
      { event: "handed out twice", object: id },
      { event: "reported after restore", object: forgotten },
      { event: "handed out twice", object: forgotten },
    ]);
    expect(await verify(both)).toMatchObject({ ...whole, reports_not_recorded: 1 });
  });

  test("the two keys in each other's place: all goes on under the one in use, and no rotation goes back", async () => {
    await serveOnce(oldOnly);
    await serveOnce(swapped);
    expect(await verify(swapped)).toMatchObject(whole);
    await command(swapped, "service-key", "rotate");
    expect(await verify(oldOnly)).toMatchObject(whole);
    await serveOnce(both);
    await command(both, "service-key", "rotate");
    await serveOnce(swapped);
    await command(swapped, "merchants", "set", "corner-shop", "--name", "Corner");
    expect(await verify(swapped)).toMatchObject(whole);
    expect(await next(swapped)).toMatch(/^swap/);
    await expect(command(swapped, "service-key", "rotate")).rejects.toThrow(/was rotated away: swap/);
    expect(await verify(freshOnly)).toMatchObject(whole);
  });

  test("a cut in the middle leaves all as it was, and a copy of before the rotation opens with both keys alone", async () => {
    await command(oldOnly, "partners", "add", "big-bank", "--url", "https://bank.example");
    await serveOnce(both);
    const copy = await dump();
    const cut: Store = {
      ...store,
      write: (unit) =>
        store.write(async (tx) => {
          await unit(tx);
          throw new Error("power cut");
        }),
    };
    const on = { ...world.service, store: cut, keys: await ringOf(both) };
    await expect(rotateServiceKey(on, {})).rejects.toThrow("power cut");
    expect(await dump()).toEqual(copy);
    await command(both, "service-key", "rotate");
    expect(await verify(freshOnly)).toMatchObject(whole);

    await putBack(store, copy);
    await expect(command(freshOnly, "partners", "list")).rejects.toThrow(/SERVICE_KEY_BEFORE beside a new SERVICE_KEY/);
    expect(await dump()).toEqual(copy);
    await serveOnce(both);
    expect(await verify(both)).toMatchObject(whole);
    await command(both, "service-key", "rotate");
    expect(await verify(freshOnly)).toMatchObject(whole);
    expect(await command(freshOnly, "partners", "list")).toContainEqual(
      expect.objectContaining({ id: "big-bank", problem: null }),
    );
  });

  test("a key that a command left under the old one is encrypted anew by the next call; one that is lost for good breaks the proof and says so", async () => {
    await command(oldOnly, "partners", "add", "big-bank", "--url", "https://bank.example");
    await command(oldOnly, "credentials", "add", "terminal", "corner-shop", "till-7");
    await serveOnce(both);
    const copy = await bankKeys();
    const secret = copy.find((key) => key !== null) ?? "none";
    await expect(command(both, "service-key", "rotate", "--lost")).rejects.toThrow(/no key is lost/);
    await command(both, "service-key", "rotate");
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("partners").set({ secret }).where("id", "=", "big-bank"))),
    );
    expect(await command(both, "service-key", "status")).toMatchObject([
      { bank_keys_under_others: 1, next: "service-key rotate" },
    ]);
    expect(await command(both, "service-key", "rotate")).toMatchObject([{ bank_keys_encrypted_anew: 1 }]);
    expect(await next(both)).toMatch(/^take SERVICE_KEY_BEFORE away/);
    await expect(command(both, "service-key", "rotate", "--lost")).rejects.toThrow(/no key is lost/);

    const third = { SERVICE_KEY: "a third service key of the tests" };
    await expect(command(third, "service-key", "rotate")).rejects.toThrow(/under another.*service-key rotate --lost/);
    const beside = await start(freshOnly);
    const lost = command(third, "service-key", "rotate", "--lost");
    await expect(lost).rejects.toThrow(/another service is running|processes of the service work on this database/);
    await beside.stop();
    expect(await command(third, "service-key", "rotate", "--lost")).toMatchObject([
      { bank_keys_unreadable: copy.filter((key) => key !== null).length },
    ]);
    await expect(verify(third)).rejects.toThrow(/entry 1 was written under another SERVICE_KEY/);
    // A key whose newest entry is from before is not named when it is used.
    const read = adhoc((db) => db.selectFrom("credentials").select(["id", "secret_hash"]));
    const keys = await store.read((tx) => tx.all(read));
    const tokens = createTokens({ ...world.service, keys: await ringOf(third) }, "a token secret");
    for (const key of keys) expect(await tokens.issue(key, ["transactions"])).not.toBeNull();
    expect(keys.length).toBeGreaterThan(0);
    expect((await command(third, "audit")).filter(({ event }) => event === "unaudited_access")).toEqual([]);
    await command(third, "partners", "rotate", "big-bank", "--hours", "0");
    await serveOnce(third);
  });
});

test("a shop that never had a SERVICE_KEY starts, though the key that was made is lost", async () => {
  const place = await createPlace("sqlite");
  onTestFinished(() => place.dispose());
  const settings = { DATABASE_URL: place.url, PORT: "0", METRICS_PORT: "0", LOG_LEVEL: "silent" };
  await manage(parseCommandLine(["merchants", "add", "shop", "--name", "Shop"], { DATABASE_URL: place.url }));
  rmSync(serviceKeyFile(place.url.slice("sqlite:".length)));
  const parsed = parseConfig(settings);
  if (!parsed.ok) throw new Error(parsed.problems.join());
  await (await startService(parsed.config, createLog("silent"))).stop();
});

test("SERVICE_KEY_BEFORE stands beside another SERVICE_KEY, and is no flag", () => {
  const problems = (keys: Keys) => {
    const parsed = parseConfig(keys);
    return parsed.ok ? [] : parsed.problems;
  };
  expect(problems({ SERVICE_KEY_BEFORE: old })).toEqual([
    "SERVICE_KEY is missing: SERVICE_KEY_BEFORE stands beside a new one",
  ]);
  expect(problems({ SERVICE_KEY: old, SERVICE_KEY_BEFORE: old })).toEqual([
    "SERVICE_KEY_BEFORE must be another one than SERVICE_KEY",
  ]);
  expect(() => parseCommandLine(["--service-key-before", old], {})).toThrow(/list of processes/);
  return expect(manage(parseCommandLine(["audit"], { SERVICE_KEY_BEFORE: old }), systemClock)).rejects.toThrow(
    /SERVICE_KEY is missing/,
  );
});
