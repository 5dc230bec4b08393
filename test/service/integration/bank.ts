/**
 * A bank of its own process, written from docs/integrate.md alone, with svix for the signatures. The customer's id says how it
 * behaves: `start=503,accept;settle=lost,accept;sca=approve;events=lose`: the answers in turn, the last one for ever.
 */
import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { Webhook } from "svix";
import { createSilence } from "./bank-silence.ts";
import type { Pace } from "./warp-clock.ts";

interface Hold {
  readonly userId: string;
  readonly amount: string;
  readonly expiresAt: number;
}

const { BANK_KEY = "", CLIENT_ID = "", CLIENT_SECRET = "", TILLCASH_URL = "" } = process.env;
const webhook = new Webhook(BANK_KEY);
const holds = new Map<string, Hold>();
const payments = new Map<string, Hold>();
const scripts = new Map<string, string>();
const seen = new Map<string, number>();
const counts = { calls: 0, badSignatures: 0, events: 0, late: 0 };
const realNow = Date.now;
let pace: Pace = { virtualMs: 0, realMs: 0, speed: 1 };
// The signatures' age and the holds' ends are told by the clock that the test sets.
Date.now = () => Math.floor(pace.virtualMs + (realNow() - pace.realMs) * pace.speed);
const silence = createSilence();
/** Answers that are kept back until a later try of the same order was answered. */
const keptBack = new Map<string, () => void>();

const ends = ["rejected", "canceled", "expired", "declined", "failed"];

/** What the script wants for the next call of this kind. */
const next = (reference: string, kind: string): string => {
  const words = new RegExp(`${kind}=([^;]*)`).exec(scripts.get(reference) ?? "")?.[1]?.split(",") ?? [];
  const count = seen.get(`${kind} ${reference}`) ?? 0;
  seen.set(`${kind} ${reference}`, count + 1);
  return words[Math.min(count, words.length - 1)] ?? "accept";
};

const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** Answers as a word says; `effect` is what a yes does, and a lost yes too. */
const answer = (response: ServerResponse, reference: string, word: string, effect: () => void): unknown => {
  response.on("finish", () => {
    keptBack.get(reference)?.();
    keptBack.delete(reference);
  });
  switch (word) {
    case "accept":
    case "paid":
    case "created":
      effect();
      return json(response, word === "created" ? 201 : 200, { status: word === "paid" ? "paid" : "accepted" });
    case "decline":
      return json(response, 200, { status: "declined", reason: "limit" });
    case "422":
    case "402":
    case "400":
      return json(response, Number(word), { status: "rejected" });
    case "lost":
      effect();
      return response.socket?.destroy();
    case "slow":
      effect();
      return setTimeout(() => json(response, 200, { status: "accepted" }), 6_000);
    case "slow_no":
      return setTimeout(() => json(response, 200, { status: "declined" }), 6_000);
    case "both":
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"status":"accepted","Status":"declined"}');
    case "twice":
      return response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"status":"declined","status":"accepted"}');
    case "list":
      return json(response, 200, { status: ["accepted"] });
    case "cut":
      effect();
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      return response.write('{"status":"acc', () => response.socket?.destroy());
    case "html":
      return response.writeHead(200, { "content-type": "text/html" }).end("<h1>Maintenance</h1>");
    case "redirect":
      return response.writeHead(302, { location: "/login" }).end();
    case "204":
      return response.writeHead(204).end();
    case "empty":
      return response.writeHead(200).end();
    case "error":
      return json(response, 200, { error: "try later" });
    case "failure":
      return json(response, 200, { status: "accepted", success: false });
    case "pending":
      return json(response, 200, { status: "pending" });
    case "429":
      return json(response, 429, { error: "busy" }, { "retry-after": "1" });
    case "late_yes":
      effect();
      return keptBack.set(reference, () => json(response, 200, { status: "accepted" }));
    case "late_no":
      return keptBack.set(reference, () => json(response, 200, { status: "declined" }));
    case "silent_paid":
      effect();
      return silence.keeps(reference, response) || json(response, 200, { status: "accepted" });
    case "silent":
      return silence.keeps(reference, response) || answer(response, reference, "accept", effect);
    default:
      return response.writeHead(Number(word)).end();
  }
};

const startOrder = (response: ServerResponse, order: Record<string, string>) => {
  const reference = order.svcTransactionReferenceId ?? "";
  scripts.set(reference, order.userId ?? "");
  const hold = {
    userId: order.userId ?? "",
    amount: order.amount ?? "",
    expiresAt: Date.parse(order.expiryTimeOfTheOrder ?? ""),
  };
  answer(response, reference, next(reference, "start"), () => void holds.set(reference, hold));
};

const settleOrder = (response: ServerResponse, order: Record<string, string>) => {
  const reference = order.SvcTransactionReferenceId ?? "";
  answer(response, reference, next(reference, "settle"), () => {
    const hold = holds.get(reference);
    if (hold === undefined) return;
    if (hold.expiresAt < Date.now()) counts.late += 1;
    payments.set(reference, hold);
    holds.delete(reference);
  });
};

let kept: Promise<string> | null = null;
/** One token for all calls: a credential holds only so many at once. */
const token = (): Promise<string> => {
  kept ??= grant();
  return kept;
};
const grant = async (): Promise<string> => {
  const basic = Buffer.from(`${encodeURIComponent(CLIENT_ID)}:${CLIENT_SECRET}`).toString("base64");
  const reply = await fetch(`${TILLCASH_URL}/oauth2/token`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope: "withdrawals" }),
  });
  return ((await reply.json()) as { access_token: string }).access_token;
};

const statusEvent = async (response: ServerResponse, type: string, reference: string) => {
  counts.events += 1;
  const word = next(reference, "events");
  if (word === "lose") return response.socket?.destroy();
  if (word === "503") return response.writeHead(503).end();
  if (word === "silent" && silence.keeps(`events ${reference}`, response)) return;
  response.writeHead(204).end();
  if (ends.some((end) => type === `withdrawal.${end}`)) holds.delete(reference);
  const sca = next(reference, "sca");
  if (type !== "withdrawal.awaiting_sca" || sca === "never") return;
  const outcome = sca === "deny" ? "denied" : "approved";
  await fetch(`${TILLCASH_URL}/ext/v1/withdrawals/${reference}/sca`, {
    method: "POST",
    headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
    body: JSON.stringify({ outcome }),
  });
};

const server = createServer(async (request, response) => {
  const body = await text(request);
  const path = request.url ?? "";
  if (path === "/control") {
    pace = JSON.parse(body) as Pace;
    return response.end();
  }
  if (path === "/books")
    return json(response, 200, {
      holds: [...holds],
      payments: [...payments],
      counts,
      keptBack: [...keptBack.keys()],
      silences: silence.seen(),
    });
  counts.calls += 1;
  let message: Record<string, string> & { transaction?: { transaction_id: string } };
  try {
    message = webhook.verify(body, request.headers as Record<string, string>) as typeof message;
  } catch (error) {
    // Signed before a jump of the clock and received after it: as stale as it would be in life, and sent again.
    if (!/timestamp/i.test(String(error))) counts.badSignatures += 1;
    return response.writeHead(401).end();
  }
  if (path === "/bank/api/svc/startwithdrawal") return startOrder(response, message);
  if (path === "/bank/api/svc/settlewithdrawal") return settleOrder(response, message);
  return statusEvent(response, String(message.type), message.transaction?.transaction_id ?? "");
});
server.listen(Number(process.env.BANK_PORT), "127.0.0.1", () => process.stdout.write("ready\n"));
