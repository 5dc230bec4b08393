/** docs/integrate.md does what it says: its eight steps are run as they are printed, its examples sign as others do. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "svix";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { settleOrderSchema, startOrderSchema } from "../../backend/contract/partner.ts";
import { tokenLifetimeSeconds } from "../../backend/contract/pos.ts";
import { statusEventSchema } from "../../backend/contract/status-events.ts";
import { demoBank, demoTill } from "../../backend/sandbox/demo.ts";
import { sign, verify } from "../../docs/examples/verify.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/integrate.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "tillcash-guide-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

/** `npm run` without its build and its own lines: the same programs from their sources, and gone when the script ends. */
const npm = `run() { if [ $BASHPID = $$ ]; then "$@"; else exec "$@"; fi; }
npm() { shift; [ "$1" = --silent ] && shift; name=$1; shift; [ "$1" = -- ] && shift
  case $name in backend) run "$NODE" ${root}/backend/cli.ts "$@" ;; bank) run "$NODE" ${root}/docs/examples/bank.js ;; esac; }
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
set -e
`;

test("the eight steps, as printed, end with a settled withdrawal and books that agree", async () => {
  const steps = guide.slice(guide.indexOf("## Eight steps"), guide.indexOf("## What your server answers"));
  // The guide's own signed call comes last: it leaves a hold.
  const commands = [...steps.matchAll(/```sh\n(.*?)```/gs)].map(([, text]) => text).join("\n");
  const [port, bankPort] = [await freePort(), await freePort()];
  const script = commands.replaceAll("8787", String(port)).replaceAll("9797", String(bankPort));
  const env = { ...process.env, NODE: process.execPath, PORT: String(port), BANK_PORT: String(bankPort) };
  const child = spawn("bash", ["-c", npm + script], {
    cwd: folder,
    env: { ...env, TILLCASH_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: "error" },
  });
  let [out, problems] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    problems += chunk;
  });
  const code = await new Promise((done) => child.on("close", done));
  expect([code, problems]).toEqual([0, ""]);
  expect(out).toMatch(/signed ping\s+\S+\s+200\s+\d+\s+right\nwrongly signed ping\s+\S+\s+401\s+\d+\s+right/);
  expect(out).toContain("withdrawal.awaiting_sca");
  expect(out).toMatch(/till-1-0001,corner-shop,till-1,linked,matched,50\.00,EUR/);
  expect(out.trim()).toMatch(/\{"status":"accepted"\}$/);
  expect(out).toMatch(/\{"holds":\[\],"payments":\[\["[0-9A-Z]{16}",\{"userId":"customer-77","amount":"50.00"\}\]\]\}/);
}, 180_000);

test("the example bank answers what comes twice as it did the first time, also when its hold has ended", async () => {
  const key = `whsec_${Buffer.from("the key of the example bank's own test").toString("base64")}`;
  const [port, hook] = [await freePort(), new Webhook(key)];
  const address = `http://127.0.0.1:${port}`;
  const bank = spawn(process.execPath, [join(root, "docs/examples/bank.js")], {
    env: { ...process.env, BANK_KEY: key, CLIENT_SECRET: "none", BANK_PORT: String(port) },
  });
  onTestFinished(() => void bank.kill("SIGKILL"));
  await new Promise((ready) => bank.stdout.once("data", ready));
  const send = async (path: string, id: string, order: object) => {
    const [body, now] = [JSON.stringify(order), new Date()];
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": hook.sign(id, now, body),
    };
    return (await fetch(address + path, { method: "POST", headers, body })).json();
  };
  const later = new Date(Date.now() + 60_000).toISOString();
  const start = { svcTransactionReferenceId: "T1", userId: "ann", amount: "50.00", expiryTimeOfTheOrder: later };
  const holds = async () => ((await (await fetch(`${address}/ledger`)).json()) as { holds: unknown[] }).holds.length;
  expect(await send("/api/svc/startwithdrawal", "start_T1", start)).toEqual({ status: "accepted" });
  expect(await holds()).toBe(1);
  await send("/events", "event_T1_2", { type: "withdrawal.canceled", transaction: { transaction_id: "T1" } });
  expect(await send("/api/svc/startwithdrawal", "start_T1", start)).toEqual({ status: "accepted" });
  expect(await holds()).toBe(0);
}, 30_000);

test("the printed calls are signed as they would be, and have the fields of the reference", () => {
  const key = /With the key `(whsec_[^`]+)`/.exec(guide)?.[1] ?? "";
  const calls = [...guide.matchAll(/```http\nPOST (\S+)\n(.*?)\n\n(.*?)\n```/gs)];
  const schemas = [startOrderSchema, statusEventSchema, settleOrderSchema];
  expect(calls).toHaveLength(schemas.length);
  for (const [index, [, , lines = "", body = ""]] of calls.entries()) {
    const headers = Object.fromEntries(lines.split("\n").map((line) => line.split(": "))) as Record<string, string>;
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    expect(headers["webhook-signature"]).toBe(new Webhook(key).sign(headers["webhook-id"] ?? "", at, body));
    expect(z.strictObject(schemas[index]?.shape ?? {}).parse(JSON.parse(body))).toEqual(JSON.parse(body));
  }
});

describe("the signing examples agree with another implementation", () => {
  const key = `whsec_${Buffer.from("thirty-two random bytes of a key").toString("base64")}`;
  const body = '{"amount":"50.00","store":"Café \\"Zum Eck\\""}';
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const right = new Webhook(key).sign("settle_1", now, body);

  test("TypeScript", () => {
    expect(sign(key, "settle_1", timestamp, body)).toBe(right);
    const headers = { "webhook-id": "settle_1", "webhook-timestamp": timestamp, "webhook-signature": right };
    expect(verify(key, headers, body, now.getTime())).toBe(true);
    expect(verify(key, { ...headers, "webhook-signature": `v1,AAAA ${right}` }, body, now.getTime())).toBe(true);
    expect(verify(key, headers, `${body} `, now.getTime())).toBe(false);
    expect(verify(key, headers, body, now.getTime() + 301_000)).toBe(false);
  });

  const has = (program: string) => spawnSync(program, ["--version"]).status === 0;
  const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
  const programs: [string, boolean, string[]][] = [
    ["Node", true, [process.execPath, "docs/examples/verify.ts"]],
    ["Python", has("python3"), ["python3", "docs/examples/verify.py"]],
    ["shell", hasOpenssl, ["sh", "docs/examples/verify.sh"]],
    ["bash", hasOpenssl, ["bash", "docs/examples/verify.sh"]],
  ];
  for (const [name, isThere, [program = "", ...rest]] of programs) {
    const run = (at: string, signature: string, input: string) =>
      spawnSync(program, [...rest, key, "settle_1", at, signature], { cwd: root, input }).status;
    test.runIf(isThere)(`${name} as a program`, () => {
      expect(run(timestamp, right, body)).toBe(0);
      expect(run(timestamp, `v1,AAAA ${right}`, body)).toBe(0);
      expect(run(timestamp, right, `${body} `)).toBe(1);
      expect(run(timestamp, `v1,${"A".repeat(43)}=`, body)).toBe(1);
      expect(run(String(Number(timestamp) - 301), right, body)).toBe(1);
      // A stranger writes what he likes there: it is refused before anything reads it as more than digits.
      const trace = join(folder, `${name}-was-here`);
      for (const at of ["", "now", "1e9", `a[$(touch ${trace})]`, "9".repeat(40)])
        expect([at, run(at, right, body)]).toEqual([at, 1]);
      expect(existsSync(trace)).toBe(false);
    });
  }
});

test("the guide names the sandbox's credentials, its amounts, the parameters of urlBack and the life of a token", () => {
  for (const { key, secret } of [demoTill, demoBank])
    for (const word of [key.ownerId, key.deviceId, secret]) expect(guide).toContain(`\`${word}\``);
  for (const cents of ["00", "01", "02", "03", "04", "05", "06", "07", "08"])
    expect(guide).toContain(`| \`.${cents}\` |`);
  for (const parameter of ["reference", "outcome", "transaction_id"]) expect(guide).toContain(`\`${parameter}\``);
  expect(guide).toContain(`\`expires_in\`: ${tokenLifetimeSeconds}`);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  for (const page of ["docs/api.md", "docs/integrate.md", "docs/qa.md"])
    expect([page, readme.includes(page)]).toEqual([page, true]);
});

test("every file that the guide points to is there", () => {
  for (const [, file] of guide.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
    expect(readFileSync(join(root, "docs", file ?? ""), "utf8").length).toBeGreaterThan(100);
});
