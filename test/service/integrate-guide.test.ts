/** docs/integrate.md does what it says: what it prints is run as it is printed. */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "svix";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../free-port.ts";
import { ensureBuilt } from "../runner/built.ts";
import { bareEnvironment } from "../runner/run-program.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/integrate.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "tillcash-guide-"));
beforeAll(ensureBuilt);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `npm run` without its build and its own lines: the same programs, as they were built, and gone when the script ends. */
const npm = `run() { if [ $BASHPID = $$ ]; then "$@"; else exec "$@"; fi; }
npm() { shift; [ "$1" = --silent ] && shift; name=$1; shift; [ "$1" = -- ] && shift
  case $name in backend) run "$NODE" ${root}/out/main/service.js "$@" ;; bank) run "$NODE" ${root}/docs/examples/bank.js ;; esac; }
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
set -e
`;

const part = (from: string, to: string): string => guide.slice(guide.indexOf(from), guide.indexOf(to));
const commandsOf = (text: string): string =>
  [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, commands]) => commands).join("\n");

/** Runs what the guide prints in a shell of its own, with free ports in the place of those that it names. */
const runPrinted = async (commands: string): Promise<string> => {
  const ports = new Map<string, string>();
  for (const [, port = ""] of commands.matchAll(/\bexport .*\bPORT=(\d+) .*/g))
    ports.set(port, String(await freePort()));
  for (const [, port = ""] of commands.matchAll(/\bBANK_PORT=(\d+)/g)) ports.set(port, String(await freePort()));
  // All in one pass: a free port may hold the digits of another one that is named.
  const named = new RegExp(ports.keys().toArray().join("|"), "g");
  const script = commands.replaceAll(named, (port) => ports.get(port) ?? port);
  const child = spawn("bash", ["-c", npm + script], {
    cwd: mkdtempSync(join(folder, "shell-")),
    env: { ...bareEnvironment, HOME: folder, NODE: process.execPath, LOG_LEVEL: "error", METRICS_PORT: "0" },
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
  return out;
};

const pinged = /signed ping\s+\S+\s+200\s+\d+\s+right\nwrongly signed ping\s+\S+\s+401\s+\d+\s+right/;
const paidOnce = /\{"holds":\[\],"payments":\[\["[0-9A-Z]{16}",\{"userId":"customer-77","amount":"50.00"\}\]\]\}/;

test.concurrent("the eight steps, as printed, end with a settled withdrawal and books that agree", async () => {
  // The guide's own signed call comes last: it leaves a hold.
  const out = await runPrinted(commandsOf(part("## Eight steps", "## What your server answers")));
  expect(out).toMatch(pinged);
  expect(out).toContain("withdrawal.awaiting_sca");
  expect(out).toMatch(/till-1-0001,corner-shop,till-1,linked,matched,50\.00,EUR/);
  expect(out.trim()).toMatch(/\{"status":"accepted"\}$/);
  expect(out).toMatch(paidOnce);
});

test.concurrent("a bank in the place of the sandbox's, as printed, gets its orders and events and is paid out of", async () => {
  const again = commandsOf(part("**6. Get a token", "## The two calls and the events"));
  const out = await runPrinted(`${commandsOf(part("**Point it at your bank**", "## Before real money"))}\n${again}`);
  expect(out).toMatch(pinged);
  expect(out).toContain("withdrawal.awaiting_sca");
  expect(out).toMatch(/till-1-0001,demo-shop,till-1,linked,matched,50\.00,EUR/);
  expect(out).toMatch(paidOnce);
});

test("what waits for a program says when it does not come", () => {
  const waits = guide.split("\n").filter((line) => /\b(until|while)\b.*; do/.test(line));
  expect(waits).toEqual([]);
  const [, wait = ""] = /(curl -sf --retry 120.*?\n?.*?echo ".*?")/s.exec(guide) ?? [];
  const stuck = wait.replace("--retry 120", "--retry 1").replace("$TILLCASH_URL/", "http://127.0.0.1:1/");
  expect(spawnSync("sh", ["-c", stuck], { encoding: "utf8" }).stdout).toMatch(/^No service at .* lines above say why/);
});

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
  const settle = { SvcTransactionReferenceId: "T2" };
  const no = { status: "declined", reason: "no_hold" };
  expect(await send("/api/svc/settlewithdrawal", "settle_T2", settle)).toEqual(no);
  await send("/api/svc/startwithdrawal", "start_T2", { ...start, svcTransactionReferenceId: "T2" });
  expect(await send("/api/svc/settlewithdrawal", "settle_T2", settle)).toEqual(no);
  expect(await holds()).toBe(1);
});
