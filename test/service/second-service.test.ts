/** A second service on one SQLite file would send the first one's orders again while they are in flight. */
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { parseConfig } from "../../backend/config.ts";
import { createLog } from "../../backend/log.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { startService } from "../../backend/serve.ts";
import { migrationFrom } from "../../backend/store/migrate.ts";
import { migrations } from "../../backend/store/migrations.ts";
import { lockForService } from "../../backend/store/service-lock.ts";
import { ensureBuilt } from "../runner/built.ts";
import { startBackend } from "./backend-process.ts";

let folder: string;
beforeAll(ensureBuilt);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-second-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (file: string) => startBackend({ SANDBOX: "1", DATABASE_URL: `sqlite:${join(folder, file)}` });

test("it is refused with a sentence, also by another name of the file; the commands work beside the first", async () => {
  const first = await start("service.db");
  symlinkSync(join(folder, "service.db"), join(folder, "other-name.db"));
  for (const file of ["service.db", "other-name.db"]) {
    await expect(start(file)).rejects.toThrow(/ended with 2.*another service is running on/s);
  }
  const shops = await manage(
    parseCommandLine(["merchants", "list"], { DATABASE_URL: `sqlite:${join(folder, "service.db")}` }),
  );
  expect(shops).toHaveLength(1);
  expect(await first.stop()).toBe(0);
  const next = await start("service.db");
  await next.kill();
  const afterKill = await start("service.db");
  expect(await afterKill.stop()).toBe(0);
});

test("it touches nothing before it has the lock: no upgrade, no copy, no file of the database", async () => {
  const file = join(folder, "service.db");
  const older = new DatabaseSync(file);
  for (const statement of migrationFrom(null, migrations.slice(0, -1))) older.exec(statement);
  older.close();
  const lock = lockForService(file);
  const seen = () => readdirSync(folder).map((name) => [name, statSync(join(folder, name)).mtimeMs]);
  const before = seen();
  const parsed = parseConfig({ SANDBOX: "1", PORT: "0", METRICS_PORT: "0", DATABASE_URL: `sqlite:${file}` });
  if (!parsed.ok) return expect.fail(parsed.problems.join());
  await expect(startService(parsed.config, createLog("silent"))).rejects.toThrow(/another service is running on/);
  expect(seen()).toEqual(before);
  lock.release();
});
