/** What the built program leaves in files: no secret that it printed, a database of one kind alone, a token secret that is kept. */
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { ensureBuilt } from "../runner/built.ts";
import { program, run, signIn } from "./cli-program.ts";

/** A program takes seconds to start on a machine that has other work. */
const patientMs = 300_000;
const folder = mkdtempSync(join(tmpdir(), "tillcash-cli-files-"));
beforeAll(ensureBuilt);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
type Settings = Record<string, string>;
const sqlite = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder, name)}`, SANDBOX: "1", PORT: "0" });

test("a secret at the shell: printed once, with a warning, and kept nowhere", {
  timeout: patientMs,
}, async () => {
  await manage(parseCommandLine(["merchants", "add", "shop", "--name", "Shop"], sqlite("shell.db")));
  const { code, out, err } = await run(["credentials", "add", "terminal", "shop", "till-1"], sqlite("shell.db"));
  expect(code).toBe(0);
  const printed =
    /^device_type +merchant_id +device_id +scope +password\nterminal +shop +till-1 +transactions +([\w-]{43})\n\nThe secret is shown this once\. Keep it safe\.\n$/;
  const secret = printed.exec(out)?.[1] ?? expect.fail(out);
  const kept = readdirSync(folder).filter((file) => file.startsWith("shell.db"));
  const everywhere = [out.replace(secret, ""), err, ...kept.map((file) => readFileSync(join(folder, file), "latin1"))];
  expect(everywhere.length).toBeGreaterThan(2);
  expect(everywhere.filter((text) => text.includes(secret))).toEqual([]);
});

test("a database that is none, and one of a newer program, are left as they are", {
  timeout: patientMs,
}, async () => {
  const text = "this is no database, but a text that is long enough to be looked at";
  writeFileSync(join(folder, "none.db"), text);
  const none = await run([], sqlite("none.db"));
  expect([none.code, none.err]).toEqual([2, expect.stringMatching(/cannot be opened/)]);
  expect(readFileSync(join(folder, "none.db"), "utf8")).toBe(text);
  const newer = new DatabaseSync(join(folder, "newer.db"));
  newer.exec(
    "CREATE TABLE schema_version (id BIGINT PRIMARY KEY, version BIGINT); INSERT INTO schema_version VALUES (1, 999)",
  );
  newer.close();
  const before = readFileSync(join(folder, "newer.db"));
  const refused = await run([], sqlite("newer.db"));
  expect(refused.code).toBe(2);
  expect(refused.err).toMatch(/newer/);
  expect(readFileSync(join(folder, "newer.db")).equals(before)).toBe(true);
  expect(existsSync(join(folder, "newer.db.token-secret"))).toBe(false);
});

test("a database of the sandbox never serves real money, nor the other way round", {
  timeout: patientMs,
}, async () => {
  const live = { SANDBOX: "" };
  const startAndStop = async (settings: Settings) => {
    const service = program([], settings);
    await service.address;
    service.child.kill("SIGTERM");
    expect((await service.ended).code).toBe(0);
  };
  await startAndStop(sqlite("played.db"));
  expect(await run([], { ...sqlite("played.db"), ...live })).toMatchObject({
    code: 2,
    err: expect.stringMatching(/made by the sandbox/),
  });
  await startAndStop({ ...sqlite("real.db"), ...live });
  expect(await run([], sqlite("real.db"))).toMatchObject({ code: 2, err: expect.stringMatching(/real shops/) });
  expect(statSync(join(folder, "real.db")).mode & 0o777).toBe(0o600);
});

test("the token secret is made once, for its owner alone, and kept", async () => {
  const settings = { ...sqlite("kept.db"), TOKEN_SECRET: "" };
  const tokens: string[] = [];
  for (let round = 0; round < 2; round++) {
    const service = program([], settings);
    const address = await service.address;
    const known = tokens[0];
    if (known === undefined) {
      const answer = await signIn(address, "terminal", "demo-shop", "till-1", "till-secret");
      tokens.push((await answer.json()).access_token);
    } else {
      const answer = await fetch(`${address}/transaction?id=1`, { headers: { authorization: `Bearer ${known}` } });
      expect(answer.status).toBe(404);
    }
    service.child.kill("SIGTERM");
    await service.ended;
  }
  const file = join(folder, "kept.db.token-secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, "short");
  chmodSync(file, 0o600);
  expect(await run([], settings)).toMatchObject({ code: 2, err: expect.stringMatching(/damaged/) });
});

test("service-key rotate, killed before each of its commits beside a service that slept with the old key: whole, and that service ends", {
  timeout: patientMs,
}, async () => {
  const file = join(folder, "rotated.db");
  const at = { DATABASE_URL: `sqlite:${file}`, PORT: "0", METRICS_PORT: "0" };
  const [oldOnly, freshOnly] = [
    { ...at, SERVICE_KEY: "a service key of the tests" },
    { ...at, SERVICE_KEY: "another service key of the tests" },
  ];
  const both = { ...freshOnly, SERVICE_KEY_BEFORE: oldOnly.SERVICE_KEY };
  const serve = async (settings: Settings) => {
    const service = program([], settings);
    await service.address;
    return service;
  };
  // The audit's first entry is under the old key: a service that is told to stop at once may have written none.
  await manage(parseCommandLine(["partners", "add", "bank", "--url", "https://bank.example"], oldOnly));
  for (const settings of [oldOnly, both]) {
    const once = await serve(settings);
    once.child.kill("SIGTERM");
    expect((await once.ended).code).toBe(0);
  }
  const db = new DatabaseSync(file, { timeout: 15_000 });
  const names = db.prepare("SELECT value FROM settings WHERE name = 'served_with_keys'").get()?.value ?? null;
  const slept = await serve(oldOnly);
  db.prepare("UPDATE settings SET value = ? WHERE name = 'served_with_keys'").run(names);
  db.close();
  const log = join(folder, "steps.log");
  const cuts = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "cut-before.ts")}`, CUT_AT: file, CUT_LOG: log };
  const command = (...words: string[]) => manage(parseCommandLine(words, both));
  const inUse = async () => (await command("service-key", "status"))[0]?.in_use;
  const seen: unknown[] = [];
  for (let isKilled = true; isKilled; seen.push([isKilled, await inUse()])) {
    const cut = { ...cuts, CUT_BEFORE: String(seen.length + 1) };
    isKilled = (await run(["service-key", "rotate"], { ...both, ...cut })).code === null;
    expect(await run(["audit", "verify"], both)).toMatchObject({ code: 0 });
  }
  // It has one commit: killed with all of it written, and then not at all.
  expect(seen).toEqual([
    [true, "SERVICE_KEY_BEFORE"],
    [false, "SERVICE_KEY"],
  ]);
  expect(await run(["service-key", "rotate"], both)).toMatchObject({ code: 0 });
  expect(await slept.ended).toMatchObject({ code: 2, err: expect.stringContaining("it is under another") });
  expect(await run(["audit", "verify"], freshOnly)).toMatchObject({ code: 0 });
  expect(await manage(parseCommandLine(["partners", "list"], freshOnly))).toMatchObject([
    { id: "bank", problem: null },
  ]);
});
