/** What the pages for banks say is what the service has: numbers, fields, calls, scopes. What they print to be run: `integrate-guide.test.ts`. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Webhook } from "svix";
import { expect, test } from "vitest";
import { z } from "zod";
import { scopesOfKind } from "../../backend/access/credentials.ts";
import { destinationLifetimeMs } from "../../backend/checkin/check-in.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  settleOrderSchema,
  startOrderSchema,
  startOrderWindowMs,
} from "../../backend/contract/partner.ts";
import { orderTtlSeconds, tokenLifetimeSeconds, waitSecondsMax } from "../../backend/contract/pos.ts";
import { scaShownMarginMs, scaTimeoutSeconds } from "../../backend/contract/sca.ts";
import { eventLifetimeMs, statusEventSchema } from "../../backend/contract/webhook-events.ts";
import { interfaceIntro, interfaceSections } from "../../backend/http/interface-text.ts";
import { spellDuration } from "../../backend/http/openapi.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { rotationHours } from "../../backend/operate/partners.ts";
import { retryAfterMaxMs } from "../../backend/partner/answer.ts";
import { guideKey, keyBytesMax, keyBytesMin } from "../../backend/partner/keys.ts";
import { retrySchedules } from "../../backend/partner/queue.ts";
import { demoBank, demoTill } from "../../backend/sandbox/demo.ts";
import { faultsOf } from "./example-sense.ts";

const root = resolve(import.meta.dirname, "../..");
const guide = readFileSync(join(root, "docs/integrate.md"), "utf8");

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

test("the guide names the sandbox's credentials, its amounts and the parameters of urlBack, and the README leads to the pages for banks", () => {
  for (const { key, secret } of [demoTill, demoBank])
    for (const word of [key.ownerId, key.deviceId, secret]) expect(guide).toContain(`\`${word}\``);
  for (const cents of ["00", "01", "02", "03", "04", "05", "06", "07", "08"])
    expect(guide).toContain(`| \`.${cents}\` |`);
  for (const parameter of ["reference", "outcome", "transaction_id"]) expect(guide).toContain(`\`${parameter}\``);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  for (const page of ["docs/api.md", "docs/integrate.md", "docs/qa.md"])
    expect([page, readme.includes(page)]).toEqual([page, true]);
});

test("the operator's guide lists every scope of a client and of a terminal", () => {
  const [, client = "", terminal = ""] =
    /^- The scopes of a client: ([^;]*);.* A terminal has ([^.]*)\.$/m.exec(
      readFileSync(join(root, "docs/api.md"), "utf8"),
    ) ?? [];
  for (const [kind, listed] of [
    ["client", client],
    ["terminal", terminal],
  ] as const)
    expect(listed.split(", ")).toEqual(scopesOfKind[kind].map((scope) => `\`${scope}\``));
});

test("the guide names every call that a bank's server can make", () => {
  const forBanks = operations.filter(({ scopes }) => scopes?.some((scope) => scopesOfKind.client.includes(scope)));
  const calls = forBanks.map(({ method, path }) => `${method.toUpperCase()} ${path}`);
  expect(calls.length).toBeGreaterThan(8);
  expect(calls.filter((call) => !guide.includes(`| \`${call}\``) && !guide.includes(`, \`${call}\` |`))).toEqual([]);
  expect(guide).toContain(`(${waitSecondsMax} s at most)`);
});

test("every file that the guide points to is there", () => {
  const files = [...guide.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(([, file]) => file ?? "");
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) expect(readFileSync(join(root, "docs", file), "utf8").length).toBeGreaterThan(100);
});

/** The content of `docs/interface.md`. */
const interfaceMarkdown = `# The interface, call by call

${interfaceIntro}

${interfaceSections.map(({ section, title, text }) => `**${[section, title].filter(Boolean).join(" ")}** – ${text}`).join("\n\n")}
`;

test("the list of the calls in docs/interface.md is the one that /docs shows", () =>
  expect(readFileSync(join(root, "docs/interface.md"), "utf8")).toBe(interfaceMarkdown));
