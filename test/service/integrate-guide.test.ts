/** docs/integrate.md does what it says: what it prints is run as it is printed. */

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Webhook } from "svix";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { scopesOfKind } from "../../backend/access/credentials.ts";
import { destinationLifetimeMs } from "../../backend/checkin/check-in.ts";
import { rotationHours } from "../../backend/commands/partner-keys.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  settleOrderSchema,
  startOrderSchema,
  startOrderWindowMs,
} from "../../backend/contract/partner.ts";
import { retryAfterMaxMs } from "../../backend/contract/partner-answer.ts";
import { orderTtlSeconds, tokenLifetimeSeconds, waitSecondsMax } from "../../backend/contract/pos.ts";
import { scaShownMarginMs, scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import { eventLifetimeMs, statusEventSchema } from "../../backend/contract/status-events.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { spellDuration } from "../../backend/http/spell-duration.ts";
import { guideKey, keyBytesMax, keyBytesMin } from "../../backend/partner/key.ts";
import { retrySchedules } from "../../backend/partner/retry.ts";
import { demoBank, demoTill } from "../../backend/sandbox/demo.ts";
import { faultsOf } from "./example-sense.ts";

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
  let script = commands;
  for (const [, port = ""] of commands.matchAll(/\bexport .*\bPORT=(\d+) .*/g))
    script = script.replaceAll(port, String(await freePort()));
  for (const [, port = ""] of commands.matchAll(/\bBANK_PORT=(\d+)/g))
    script = script.replaceAll(port, String(await freePort()));
  const child = spawn("bash", ["-c", npm + script], {
    cwd: mkdtempSync(join(folder, "shell-")),
    env: { PATH: process.env.PATH, HOME: folder, NODE: process.execPath, LOG_LEVEL: "error", METRICS_PORT: "0" },
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
}, 180_000);

test.concurrent("a bank in the place of the sandbox's, as printed, gets its orders and events and is paid out of", async () => {
  const again = commandsOf(part("**6. Get a token", "## The two calls and the events"));
  const out = await runPrinted(`${commandsOf(part("**Point it at your bank**", "## Before real money"))}\n${again}`);
  expect(out).toMatch(pinged);
  expect(out).toContain("withdrawal.awaiting_sca");
  expect(out).toMatch(/till-1-0001,demo-shop,till-1,linked,matched,50\.00,EUR/);
  expect(out).toMatch(paidOnce);
}, 180_000);

test("what waits for a program says when it does not come", () => {
  const waits = guide.split("\n").filter((line) => /\b(until|while)\b.*; do/.test(line));
  expect(waits).toEqual([]);
  const [, wait = ""] = /(curl -sf --retry 120.*?\n?.*?echo ".*?")/s.exec(guide) ?? [];
  const stuck = wait.replace("--retry 120", "--retry 1").replace("$TILLCASH_URL/", "http://127.0.0.1:1/");
  expect(spawnSync("sh", ["-c", stuck], { encoding: "utf8" }).stdout).toMatch(/^No service at .* lines above say why/);
});

test("times and numbers are those that the service has", () => {
  const { settle } = retrySchedules;
  const numbers = [
    `silence for ${spellDuration(partnerCallTimeoutMs)}`,
    `Start order for ${spellDuration(startOrderWindowMs)}`,
    `pauses from ${spellDuration(settle.firstMs)} to ${spellDuration(settle.maxMs)}`,
    `honoured, ${spellDuration(retryAfterMaxMs)} at most`,
    `for up to ${spellDuration(eventLifetimeMs)}`,
    `${scaTimeoutSeconds} s after the cashier's confirmation; terminal and page show its end ${spellDuration(scaShownMarginMs)} earlier`,
    `plus the ${scaTimeoutSeconds} s for the approval and ${spellDuration(holdMarginMs)}`,
    `valid once, for ${spellDuration(destinationLifetimeMs)}`,
    `for ${rotationHours.usual} h calls carry both signatures`,
    `A token is good for ${spellDuration(tokenLifetimeSeconds * 1000)} (\`expires_in\`: ${tokenLifetimeSeconds})`,
    `${keyBytesMin} to ${keyBytesMax} random bytes`,
    `| ${(startOrderWindowMs + partnerCallTimeoutMs) / 1000} s: it answers once you have answered the Start order`,
  ];
  expect(numbers.filter((text) => !guide.includes(text))).toEqual([]);
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
}, 30_000);

test("the printed calls are signed as they would be, and have the fields of the reference", () => {
  const key = /With the key `(whsec_[^`]+)`/.exec(guide)?.[1] ?? "";
  expect(key).toBe(guideKey);
  const calls = [...guide.matchAll(/```http\nPOST (\S+)\n(.*?)\n\n(.*?)\n```/gs)];
  const schemas = [startOrderSchema, statusEventSchema, settleOrderSchema];
  expect(calls).toHaveLength(schemas.length);
  for (const [index, [, , lines = "", body = ""]] of calls.entries()) {
    const headers = Object.fromEntries(lines.split("\n").map((line) => line.split(": "))) as Record<string, string>;
    const at = new Date(Number(headers["webhook-timestamp"]) * 1000);
    expect(headers["webhook-signature"]).toBe(new Webhook(key).sign(headers["webhook-id"] ?? "", at, body));
    expect(z.strictObject(schemas[index]?.shape ?? {}).parse(JSON.parse(body))).toEqual(JSON.parse(body));
  }
  const { transaction } = JSON.parse(calls[1]?.[3] ?? "{}");
  const usual = { scaSeconds: scaTimeoutSeconds, orderTtlSeconds };
  expect([transaction.status, faultsOf(transaction, usual)]).toEqual(["awaiting_sca", []]);
});

test("the guide names the sandbox's credentials, its amounts, the parameters of urlBack and the life of a token", () => {
  for (const { key, secret } of [demoTill, demoBank])
    for (const word of [key.ownerId, key.deviceId, secret]) expect(guide).toContain(`\`${word}\``);
  for (const cents of ["00", "01", "02", "03", "04", "05", "06", "07", "08"])
    expect(guide).toContain(`| \`.${cents}\` |`);
  for (const parameter of ["reference", "outcome", "transaction_id"]) expect(guide).toContain(`\`${parameter}\``);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  for (const page of ["docs/api.md", "docs/integrate.md", "docs/qa.md"])
    expect([page, readme.includes(page)]).toEqual([page, true]);
});

test("the operator's guide lists every scope of a client", () => {
  const [, listed = ""] =
    /^- The scopes of a client: ([^;]*);/m.exec(readFileSync(join(root, "docs/api.md"), "utf8")) ?? [];
  expect(listed.split(", ")).toEqual(scopesOfKind.client.map((scope) => `\`${scope}\``));
});

test("the guide names every call that a bank's server can make", () => {
  const forBanks = operations.filter(({ scopes }) => scopes?.some((scope) => scope !== "transactions"));
  const calls = forBanks.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(calls.length).toBeGreaterThan(8);
  expect(calls.filter((call) => !guide.includes(`| \`${call}\``) && !guide.includes(`, \`${call}\` |`))).toEqual([]);
  expect(guide).toContain(`(${waitSecondsMax} s at most)`);
});

test("every file that the guide points to is there", () => {
  for (const [, file] of guide.matchAll(/\]\((?!https?:)([^)#]+)\)/g))
    expect(readFileSync(join(root, "docs", file ?? ""), "utf8").length).toBeGreaterThan(100);
});
