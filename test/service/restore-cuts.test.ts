/** A restore that is killed before each of its steps: the next start, or the next command, finishes it or says what is wrong. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { startService } from "../../backend/serve.ts";
import { backUp } from "../../backend/store/copy.ts";
import { migrationFrom, newestOf } from "../../backend/store/migrate.ts";
import { migrations } from "../../backend/store/migrations.ts";
import { openStore } from "../../backend/store/open.ts";
import { lockForService } from "../../backend/store/service-lock.ts";
import { adhoc } from "../../backend/store/store.ts";
import { ensureBuilt } from "../runner/built.ts";
import { bareEnvironment } from "../runner/run-program.ts";
import { createWorld, otherBank, placeOrder } from "./world.ts";

const serviceKey = "a service key of the tests";
const stepsMax = 40;
let folder: string;
let file: string;
beforeAll(ensureBuilt, 120_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-cut-"));
  file = join(folder, "service.db");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settingsOf = (path: string) => ({ DATABASE_URL: `sqlite:${path}`, SERVICE_KEY: serviceKey });

const orderIn = async (path: string): Promise<string> => {
  const store = await openStore(`sqlite:${path}`, systemClock);
  const { service } = await createWorld(store);
  const { transaction_id: id } = await placeOrder(service);
  await service.stop();
  // A bank of the tests that no service outside of the sandbox would start with.
  await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("partners").where("id", "=", otherBank.partnerId))));
  await store.close();
  return id;
};

/** Every withdrawal with its status, and how many restores are remembered. */
const contentOf = async (path: string) => {
  const store = await openStore(`sqlite:${path}`, systemClock);
  const found = await store.read(async (tx) => {
    return {
      withdrawals: await tx.all(
        adhoc((db) => db.selectFrom("withdrawals").select(["id", "status"]).orderBy("created_at")),
      ),
      restores: await tx.all(adhoc((db) => db.selectFrom("restores").selectAll())),
    };
  });
  await store.close();
  return { withdrawals: found.withdrawals.map(({ id, status }) => `${id} ${status}`), restores: found.restores.length };
};

/** Runs `restore` and kills it before its n-th step. @returns its steps, and whether it came to its end. */
const restoreCut = (copy: string, before: number) => {
  const log = join(folder, "steps.log");
  writeFileSync(log, "");
  const preload = join(import.meta.dirname, "cut-before.ts");
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ["--import", preload, "out/main/service.js", "restore", copy],
    {
      encoding: "utf8",
      env: {
        ...bareEnvironment,
        ...settingsOf(file),
        CUT_BEFORE: String(before),
        CUT_AT: folder,
        CUT_LOG: log,
      },
    },
  );
  if (signal === null) expect([status, stderr]).toEqual([0, ""]);
  return { steps: readFileSync(log, "utf8").trimEnd().split("\n"), isDone: signal === null };
};

/** What opens it next: a service, or a command. @throws Error with its sentence. */
const openNext = async (isService: boolean, meanwhile = () => {}): Promise<void> => {
  if (!isService) return void (await manage(parseCommandLine(["audit"], settingsOf(file))));
  const config = parseConfig({
    ...settingsOf(file),
    PORT: "0",
    METRICS_PORT: "0",
    TOKEN_SECRET: "a token secret of the tests",
  });
  if (!config.ok) throw new Error(config.problems.join());
  const running = await startService(config.config, createLog("silent"));
  meanwhile();
  await running.stop();
};

const filesIn = () => readdirSync(folder).filter((name) => name.includes("restor"));

test("over a database: it is as it was or put back whole, with what follows from it, and never empty", async () => {
  const open = await orderIn(file);
  const { file: copy } = await backUp(file, { folder: join(folder, "copies"), kept: 7 }, systemClock.now());
  const forgotten = await orderIn(file);
  const old = [`${open} ready`, `${forgotten} ready`];
  const seen = { kept: 0, restored: 0 };
  for (let before = 1; before <= stepsMax; before += 1) {
    const { isDone, steps } = restoreCut(copy, before);
    await openNext(before % 2 === 0);
    const now = await contentOf(file);
    const isRestored = steps.some((step) => step === "rename service.db.restoring.partial service.db.restoring");
    seen[isRestored ? "restored" : "kept"] += 1;
    expect([before, now]).toEqual([
      before,
      isRestored ? { withdrawals: [`${open} canceled`], restores: 1 } : { withdrawals: old, restores: 0 },
    ]);
    const aside = readdirSync(folder).filter((name) => /^service\.db\.before-restore-\d+$/.test(name));
    expect(aside).toHaveLength(isRestored ? 1 : 0);
    for (const name of aside) {
      expect((await contentOf(join(folder, name))).withdrawals).toEqual(old);
      // For the next round, as it was.
      for (const log of ["-wal", "-shm"]) rmSync(`${file}${log}`, { force: true });
      writeFileSync(file, readFileSync(join(folder, name)));
      for (const each of readdirSync(folder).filter((each) => each.includes("before-restore")))
        rmSync(join(folder, each));
    }
    expect(filesIn().filter((name) => !name.endsWith(".partial"))).toEqual([]);
    if (!isDone) continue;
    expect(seen.kept).toBeGreaterThan(1);
    expect(seen.restored).toBeGreaterThan(5);
    return;
  }
  expect.fail("the restore does not end");
});

test("on an empty machine: it is put back whole, or refused with a sentence", async () => {
  const elsewhere = join(folder, "elsewhere.db");
  const open = await orderIn(elsewhere);
  const { file: copy } = await backUp(elsewhere, { folder: join(folder, "copies"), kept: 7 }, systemClock.now());
  let refused = 0;
  for (let before = 2; before <= stepsMax; before += 1) {
    const { isDone, steps } = restoreCut(copy, before);
    if (steps.at(-1)?.includes("restoring") && !steps.some((step) => step.endsWith(" service.db.restoring"))) {
      refused += 1;
      for (const isService of [false, true])
        await expect(openNext(isService)).rejects.toThrow(/was cut off: run it again/);
      expect(existsSync(file)).toBe(false);
      continue;
    }
    await openNext(before % 2 === 0);
    expect([before, await contentOf(file)]).toEqual([before, { withdrawals: [`${open} canceled`], restores: 1 }]);
    for (const each of readdirSync(folder).filter((each) => each.startsWith("service.db"))) rmSync(join(folder, each));
    if (!isDone) continue;
    expect(refused).toBeGreaterThan(1);
    return;
  }
  expect.fail("the restore does not end");
});

test("each name is on disk before the next one counts, and the content before its name", async () => {
  await orderIn(file);
  const { file: copy } = await backUp(file, { folder: join(folder, "copies"), kept: 7 }, systemClock.now());
  const { steps } = restoreCut(copy, 0);
  const own = steps.filter((step) => step.includes("service.db.") || step.startsWith("sync"));
  const home = folder.split("/").at(-1);
  expect(own.map((step) => step.replace(/\d{10,}/, "TIME"))).toEqual([
    expect.stringMatching(/^copy service-.* service\.db\.restoring\.partial$/),
    "sync service.db.restoring.partial",
    "rename service.db.restoring.partial service.db.restoring",
    `sync ${home}`,
    "rename service.db service.db.before-restore-TIME",
    "rename service.db-wal service.db.before-restore-TIME-wal",
    "rename service.db-shm service.db.before-restore-TIME-shm",
    `sync ${home}`,
    "rename service.db.restoring service.db",
    `sync ${home}`,
  ]);
});

test("a log of a database that cannot be read moves aside with it, and never lies beside the copy", async () => {
  const open = await orderIn(file);
  const { file: copy } = await backUp(file, { folder: join(folder, "copies"), kept: 7 }, systemClock.now());
  for (const log of ["", "-wal", "-shm", "-journal"]) writeFileSync(`${file}${log}`, `damaged ${log}`);
  await manage(parseCommandLine(["restore", copy], settingsOf(file)));
  expect((await contentOf(file)).withdrawals).toEqual([`${open} canceled`]);
  const aside = readdirSync(folder).find((name) => /before-restore-\d+$/.test(name)) ?? "";
  for (const log of ["", "-wal", "-shm", "-journal"])
    expect(readFileSync(join(folder, `${aside}${log}`), "utf8")).toBe(`damaged ${log}`);
});

test("a copy that somebody put in the place by hand is known for one at the next start", async () => {
  const open = await orderIn(file);
  const at = systemClock.now();
  const { file: copy } = await backUp(file, { folder: join(folder, "copies"), kept: 7 }, at);
  await orderIn(file);
  for (const log of ["-wal", "-shm"]) rmSync(`${file}${log}`, { force: true });
  writeFileSync(file, readFileSync(copy));
  await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} canceled`], restores: 1 });
  const audit = await manage(parseCommandLine(["audit"], settingsOf(file)));
  expect(audit.filter(({ event }) => event === "database restored")).toEqual([
    expect.objectContaining({ actor: "service", detail: `copy of ${new Date(at).toISOString()}; ended 1` }),
  ]);
  await openNext(true);
  expect((await contentOf(file)).restores).toBe(1);
});

test("the copy of an older version that somebody put in the place by hand is known for one too", async () => {
  const before = migrations.slice(0, -1);
  const older = new DatabaseSync(file);
  for (const statement of migrationFrom(null, before)) older.exec(statement);
  older.close();
  await openNext(true);
  await orderIn(file);
  for (const log of ["-wal", "-shm"]) rmSync(`${file}${log}`, { force: true });
  const copy = `${file}.version-${newestOf(before)}`;
  writeFileSync(file, readFileSync(copy));
  await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [], restores: 1 });
  const audit = await manage(parseCommandLine(["audit"], settingsOf(file)));
  expect(audit.filter(({ event }) => event === "database restored")).toEqual([
    expect.objectContaining({ actor: "service", object: copy }),
  ]);
});

const putByHand = (old: Buffer) => {
  for (const log of ["-wal", "-shm"]) rmSync(`${file}${log}`, { force: true });
  writeFileSync(file, old);
};

/** As another tool copies the database while the service runs. */
const copyOfServed = () => {
  const served = new DatabaseSync(file);
  served.prepare("VACUUM INTO ?").run(join(folder, "served.db"));
  served.close();
  return readFileSync(join(folder, "served.db"));
};

test.each([
  ["start", false],
  ["stop", true],
])(
  "any other file from before the last %s that somebody put in the place by hand is known for one too, once",
  async (_, isServed) => {
    await openNext(true);
    const open = await orderIn(file);
    let old = readFileSync(file);
    await openNext(true, () => {
      if (isServed) old = copyOfServed();
    });
    await orderIn(file);
    putByHand(old);
    for (const _ of [1, 2]) {
      await openNext(true);
      expect(await contentOf(file)).toEqual({ withdrawals: [`${open} canceled`], restores: 1 });
    }
    const audit = await manage(parseCommandLine(["audit"], settingsOf(file)));
    expect(audit.filter(({ event }) => event === "database restored")).toEqual([
      expect.objectContaining({ actor: "service", object: file, detail: expect.stringMatching(/ended 1$/) }),
    ]);
  },
);

test("such a file beside the log of the newer one is not mixed with it", async () => {
  await openNext(true);
  const open = await orderIn(file);
  const old = readFileSync(file);
  await openNext(true);
  const killed = new DatabaseSync(file);
  for (let n = 0; n < 30; n += 1) killed.exec(`CREATE TABLE later_${n} (id TEXT PRIMARY KEY)`);
  killed.exec("PRAGMA wal_checkpoint(TRUNCATE); UPDATE withdrawals SET reason = 'written later'; DROP TABLE later_0");
  const log = readFileSync(`${file}-wal`);
  killed.close();
  putByHand(old);
  writeFileSync(`${file}-wal`, log);
  await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} canceled`], restores: 1 });
  const aside = filesIn().filter((name) => name.endsWith("-wal"));
  expect(readFileSync(join(folder, aside[0] ?? ""))).toEqual(log);
});

/** Writes something and kills the program that has the database open: its log stays. */
const writeAndKill = (): void => {
  const last = new DatabaseSync(file);
  last.exec("UPDATE withdrawals SET reason = 'written last'");
  const [killed, log] = [readFileSync(file), readFileSync(`${file}-wal`)];
  last.close();
  putByHand(killed);
  writeFileSync(`${file}-wal`, log);
};

test.each([
  ["a service that was killed right after its start", true, "ready", 0],
  ["a command that was killed before the first start on such a file", false, "canceled", 1],
] as const)("the log of %s is its own", async (_, isService, status, restores) => {
  await openNext(true);
  const open = await orderIn(file);
  const old = readFileSync(file);
  await openNext(true);
  if (!isService) {
    putByHand(old);
    await openNext(false);
  }
  writeAndKill();
  await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} ${status}`], restores });
  const store = await openStore(`sqlite:${file}`, systemClock);
  const reasons = adhoc((db) => db.selectFrom("withdrawals").select("reason"));
  expect(await store.read((tx) => tx.all(reasons))).toEqual([{ reason: "written last" }]);
  await store.close();
});

test("the command that opens such a file first says what it means, and the next one nothing", async () => {
  await openNext(true);
  const old = readFileSync(file);
  await openNext(true);
  putByHand(old);
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  for (const _ of [1, 2]) await openNext(false);
  expect(said.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^the database is a copy that was put back.*\n.*compare_with_banks +payments from /s),
  ]);
});

test("no command opens such a file beside a service that is about to", async () => {
  await openNext(true);
  const open = await orderIn(file);
  const old = readFileSync(file);
  await openNext(true);
  putByHand(old);
  const service = lockForService(file);
  await expect(openNext(false)).rejects.toThrow(/another service is running/);
  service.release();
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} ready`], restores: 0 });
  await openNext(false);
  lockForService(file).release();
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} canceled`], restores: 1 });
});

test("such a file that another program reads is refused, as what is written next could be lost", async () => {
  await openNext(true);
  await orderIn(file);
  const old = readFileSync(file);
  await openNext(true);
  putByHand(old);
  const reader = new DatabaseSync(file);
  reader.exec("BEGIN; SELECT * FROM settings");
  await expect(openNext(true)).rejects.toThrow(
    /is an older one that was put in its place, and another program reads it/,
  );
  reader.close();
  await openNext(true);
  expect((await contentOf(file)).restores).toBe(1);
});

test.each<[string, (old: Buffer) => Promise<unknown>]>([
  [
    "was put back by the command",
    async (old) => {
      const copy = join(folder, "old.db");
      writeFileSync(copy, old);
      await manage(parseCommandLine(["restore", copy], settingsOf(file)));
    },
  ],
  [
    "was put back by hand, as an operator has said,",
    async (old) => {
      putByHand(old);
      const since = new Date(systemClock.now() - 60_000).toISOString();
      await manage(parseCommandLine(["restored", "--since", since], settingsOf(file)));
    },
  ],
])("a file that %s is no other one at the next start, and the newer one is after that", async (_, putBack) => {
  await openNext(true);
  const open = await orderIn(file);
  const old = readFileSync(file);
  await openNext(true);
  const newer = readFileSync(file);
  await putBack(old);
  await openNext(true);
  const restored = { withdrawals: [`${open} canceled`], restores: 1 };
  expect(await contentOf(file)).toEqual(restored);
  putByHand(newer);
  await openNext(true);
  expect(await contentOf(file)).toEqual(restored);
});

test("a start whose count cannot be kept beside the database serves all the same", async () => {
  mkdirSync(`${file}-starts`);
  const open = await orderIn(file);
  for (const _ of [1, 2]) await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} ready`], restores: 0 });
});

test.each([
  ["of few pages, which would leave the copy torn", true],
  ["of the whole database, which would undo the copy and say nothing", false],
])("a copy that somebody put in the place of a killed service's database, beside its log: %s", async (_, isShort) => {
  const open = await orderIn(file);
  const { file: copy } = await backUp(file, { folder: join(folder, "copies"), kept: 7 }, systemClock.now());
  const reader = new DatabaseSync(file);
  for (let n = 0; n < 30; n += 1) reader.exec(`CREATE TABLE later_${n} (id TEXT PRIMARY KEY)`);
  if (isShort) reader.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  reader.exec("UPDATE withdrawals SET reason = 'written later'; DROP TABLE later_0; DELETE FROM settings");
  const log = readFileSync(`${file}-wal`);
  reader.close();
  for (const each of ["-wal", "-shm"]) rmSync(`${file}${each}`, { force: true });
  writeFileSync(file, readFileSync(copy));
  writeFileSync(`${file}-wal`, log);
  await openNext(true);
  expect(await contentOf(file)).toEqual({ withdrawals: [`${open} canceled`], restores: 1 });
  const aside = filesIn().filter((name) => name.endsWith("-wal"));
  expect(aside).toEqual([expect.stringMatching(/^service\.db\.before-restore-\d+-wal$/)]);
  expect(readFileSync(join(folder, aside[0] ?? ""))).toEqual(log);
});

test("a copy of an earlier release says nothing of its time: the newest that it knows of counts", async () => {
  const id = await orderIn(file);
  const store = await openStore(`sqlite:${file}`, systemClock);
  const [row] = await store.read((tx) =>
    tx.all(adhoc((db) => db.selectFrom("withdrawals").select("created_at").where("id", "=", id))),
  );
  await store.close();
  const old = join(folder, "copy.db");
  writeFileSync(old, readFileSync(file));
  const [said] = await manage(parseCommandLine(["restore", old], settingsOf(file)));
  expect(said).toMatchObject({ from: old, ended: 1 });
  expect(Date.parse(String(said?.forgot_since))).toBeLessThanOrEqual(row?.created_at ?? 0);
});

test("the copy of an older version is on disk before it is upgraded: first its content, then its name", () => {
  const before = migrations.slice(0, -1);
  const older = new DatabaseSync(file);
  for (const statement of migrationFrom(null, before)) older.exec(statement);
  older.close();
  const log = join(folder, "steps.log");
  const open = `import(${JSON.stringify(join(import.meta.dirname, "../../backend/store/sqlite.ts"))})`;
  const program = `${open}.then(({ openSqliteFile }) => openSqliteFile({ path: ${JSON.stringify(file)} }).close())`;
  const preload = join(import.meta.dirname, "cut-before.ts");
  const { status, stderr } = spawnSync(process.execPath, ["--import", preload, "--eval", program], {
    encoding: "utf8",
    env: { ...bareEnvironment, CUT_AT: folder, CUT_LOG: log },
  });
  expect([status, stderr]).toEqual([0, ""]);
  const steps = readFileSync(log, "utf8").trimEnd().split("\n");
  const copy = `service.db.version-${newestOf(before)}`;
  const partial = `${copy}.PID`;
  expect(steps.map((step) => step.replace(/(version-\d+)\.\d+/, "$1.PID"))).toEqual([
    `remove ${partial}`,
    `sync ${partial}`,
    `rename ${partial} ${copy}`,
    `sync ${folder.split("/").at(-1)}`,
    "commit",
  ]);
});
