/** Every example of the API document makes sense: held against the state machine, not only against the schema. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ErrorCode, errorTable } from "../../backend/contract/errors.ts";
import { holdMarginMs } from "../../backend/contract/partner.ts";
import { type Status, statuses, type Transaction } from "../../backend/contract/transaction.ts";
import { eventStatuses } from "../../backend/contract/webhook-events.ts";
import { openApiText } from "../../backend/http/openapi.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { type ApiDocument, exampleOf } from "../../backend/http/reference.ts";
import type { Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { eventSequence, nextStatuses } from "../../backend/withdrawals/lifecycle.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { findingOf } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { faultsOf, type Timing } from "./example-sense.ts";
import { createPlace, type Place } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { accepted, bank, confirmIt, createWorld, declined, placeOrder, till, type World } from "./world.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Node = any;

const usual: Timing = { scaSeconds: 40, orderTtlSeconds: 900 };
const publicUrl = "https://cash.tillcash.test";

describe("the rules hold for the service itself", () => {
  let place: Place;
  let store: Store;
  let world: World;
  const clock = new VirtualClock();
  beforeAll(async () => {
    place = await createPlace("sqlite");
    store = await place.open(clock);
    world = await createWorld(store, { clock, options: { pollMs: 1e9 } });
  });
  afterAll(async () => {
    await world.service.stop();
    await place.dispose();
  });

  const read = (id: string) => getTransaction(world.service, till, id, { waitMs: 5_000, whileStatus: "settling" });
  const play = async (how: readonly string[]): Promise<Transaction> => {
    const { service } = world;
    const answering = (no: string) => () => {
      clock.jump(100);
      return how.includes(no) ? declined : accepted;
    };
    world.bank.onStart = answering("no funds");
    world.bank.onSettle = answering("not paid");
    let now = await placeOrder(service, { sca_required: !how.includes("no approval") });
    for (const step of how) {
      const id = now.transaction_id;
      clock.jump(step === "wait" ? 20 * 60_000 : 1_000);
      if (step === "confirm") now = await confirmIt(service, now);
      if (step === "approve") now = await resolveSca(service, bank, id, "approved");
      if (step === "deny") now = await resolveSca(service, bank, id, "denied");
      if (step === "cancel") now = await cancelWithdrawal(service, bank, id);
      if (step === "reject") now = await rejectTransaction(service, till, id);
      if (step === "link") now = await linkTransaction(service, till, id);
      if (step === "undelivered") now = await declareUndelivered(service, till, id, "till_short");
      if (step === "read" || step === "wait") now = await read(id);
    }
    return now;
  };

  test.each<[Status, string]>([
    ["ready", ""],
    ["declined", "no funds"],
    ["rejected", "reject"],
    ["canceled", "cancel"],
    ["expired", "wait"],
    ["awaiting_sca", "confirm"],
    ["canceled", "confirm, deny"],
    ["canceled", "confirm, wait"],
    ["rejected", "confirm, reject"],
    ["failed", "not paid, confirm, approve, read"],
    ["linked", "confirm, approve, read, link"],
    ["undelivered", "confirm, approve, read, undelivered"],
    ["linked", "no approval, confirm, read, link"],
  ])("%s: %s", async (status, how) => {
    const now = await play(how.split(", "));
    expect([now.status, faultsOf(now, usual)]).toEqual([status, []]);
  });
});

/** Which status an answer of success may show. */
const answers: Readonly<Record<string, readonly Status[]>> = {
  requestWithdrawal: ["ready", "declined"],
  getTransaction: statuses,
  getWithdrawal: statuses,
  confirmTransaction: ["awaiting_sca", "settling"],
  rejectTransaction: ["rejected"],
  linkTransaction: ["linked"],
  resolveSca: ["settling", "canceled"],
  cancelWithdrawal: ["canceled"],
  declareUndelivered: ["undelivered"],
};
const withLimits: readonly ErrorCode[] = ["amount_out_of_range", "amount_step", "currency_mismatch", "limit_reached"];
/** They answer no JSON of ours, or the document itself. */
const withoutExample = ["getOpenApi", "getDocs", "getDocsAsset", "getSpecification"];

const valuesOf = (media: Node): [string, Node][] => [
  ...(media?.example === undefined ? [] : [["", media.example] as [string, Node]]),
  ...Object.entries<Node>(media?.examples ?? {}).map(([name, { value }]): [string, Node] => [name, value]),
];
const mediaOf = (part: Node): Node => Object.values<Node>(part?.content ?? {})[0];

/** Every withdrawal that is shown anywhere below. */
function* withdrawalsIn(node: Node): Generator<Transaction> {
  if (typeof node !== "object" || node === null) return;
  if (typeof node.transaction_id === "string" && "sca_required" in node && "created_at" in node) yield node;
  for (const value of Object.values(node)) yield* withdrawalsIn(value);
}

describe.each<Timing>([usual, { scaSeconds: 55, orderTtlSeconds: 300 }, { scaSeconds: 2, orderTtlSeconds: 5 }])(
  "with $scaSeconds s for the approval and $orderTtlSeconds s for the barcode",
  (timing) => {
    let document: Node;
    let calls: Node[];
    beforeAll(async () => {
      document = JSON.parse(await openApiText(operations, { publicUrl, ...timing }));
      calls = [document.paths, document.webhooks].flatMap((group: Node) =>
        Object.values<Node>(group).flatMap((item) => Object.values<Node>(item)),
      );
    });
    const find = (id: string) => calls.find(({ operationId }) => operationId === id);
    const successOf = (call: Node) => call.responses[200] ?? call.responses[201];

    test("every call has examples of its own: of what it takes, of what it answers, of what it refuses", () => {
      const bare = calls.flatMap((call) => {
        const parts = Object.entries<Node>({ body: call.requestBody, ...call.responses });
        return parts
          .filter(([, part]) => part?.content && valuesOf(mediaOf(part)).length === 0)
          .filter(([name]) => !(withoutExample.includes(call.operationId) && Number(name) < 400))
          .map(([name]) => `${call.operationId} ${name}`);
      });
      expect(bare).toEqual([]);
    });

    test("every withdrawal that is shown could be one", () => {
      const shown = [...withdrawalsIn(document)];
      expect(new Set(shown.map(({ status }) => status))).toEqual(
        new Set(statuses.filter((status) => status !== "requested")),
      );
      expect(shown.flatMap((each) => faultsOf(each, timing))).toEqual([]);
      if (timing !== usual) return;
      const composed = Object.values<Node>(document.components.schemas).map((schema) =>
        exampleOf(document as ApiDocument, schema),
      );
      const own = [...withdrawalsIn(composed)];
      expect(own.length).toBeGreaterThan(0);
      expect(own.flatMap((each) => faultsOf(each, usual))).toEqual([]);
    });

    test("an answer shows a status that the call leads to, and what was sent with it", () => {
      for (const [id, allowed] of Object.entries(answers)) {
        const call = find(id);
        const sent = Object.fromEntries(valuesOf(mediaOf(call.requestBody)));
        const answered = valuesOf(mediaOf(successOf(call)));
        // What is sent stands beside an answer of the same name.
        if (call.requestBody) expect([id, Object.keys(sent)]).toEqual([id, answered.map(([name]) => name)]);
        for (const [name, value] of answered) {
          expect(allowed, `${id} ${name}`).toContain(value.status);
          const { user_id: _, outcome, reason, ...same } = sent[name] ?? {};
          expect(value, `${id} ${name}`).toMatchObject(same);
          if (outcome) expect([outcome, value.status === "settling"]).toEqual([outcome, outcome === "approved"]);
          if (reason) expect(value.reason).toBe(reason);
        }
      }
    });

    test("a refusal says what the table of errors says, and a conflict is one", () => {
      for (const call of calls)
        for (const [status, part] of Object.entries<Node>(call.responses)) {
          if (!part.content?.["application/problem+json"]) continue;
          for (const [name, problem] of valuesOf(mediaOf(part))) {
            const code = problem.code as ErrorCode;
            expect([call.operationId, name, problem.status]).toEqual([call.operationId, code, Number(status)]);
            expect(problem).toMatchObject({ ...errorTable[code], type: `urn:tillcash:problem:${code}` });
            expect(part.description).toContain(`\`${code}\``);
            expect([code, "errors" in problem]).toEqual([code, status === "400"]);
            expect([code, "limits" in problem]).toEqual([code, withLimits.includes(code)]);
            expect([code, "transaction" in problem]).toEqual([code, code === "transaction_conflict"]);
            expect([code, "limit" in (problem.limits ?? {})]).toEqual([code, code === "limit_reached"]);
            if (code !== "transaction_conflict") continue;
            const reached = answers[call.operationId] ?? [];
            const next = nextStatuses[problem.transaction.status as Status];
            expect(next.filter((each) => reached.includes(each))).toEqual([]);
            expect(problem.detail).toContain(problem.transaction.status);
          }
        }
    });

    test("an event is named after the status it shows, and counted as the service counts", () => {
      const events = valuesOf(mediaOf(find("statusEvent").requestBody)).map(([, value]) => value);
      expect(new Set(events.map(({ type }) => type))).toEqual(
        new Set(eventStatuses.map((each) => `withdrawal.${each}`)),
      );
      for (const { type, sequence, transaction } of events) {
        const row = { status: transaction.status, sca_expires_at: transaction.sca_expires_at };
        expect([type, sequence]).toEqual([`withdrawal.${transaction.status}`, eventSequence(row)]);
      }
    });

    test("the orders to a bank are those of one withdrawal", () => {
      const [, start] = valuesOf(mediaOf(find("startOrder").requestBody))[0] ?? [];
      const [, settle] = valuesOf(mediaOf(find("settleOrder").requestBody))[0] ?? [];
      const [, linked] = valuesOf(mediaOf(successOf(find("linkTransaction"))))[0] ?? [];
      expect(start).toMatchObject({
        amount: linked.amount,
        dateOfTransaction: linked.created_at,
        store: linked.store_name,
        svcTransactionReferenceId: linked.transaction_id,
      });
      const held = Date.parse(start.expiryTimeOfTheOrder) - Date.parse(linked.expires_at);
      expect(held).toBe(timing.scaSeconds * 1000 + holdMarginMs);
      expect(settle).toMatchObject({
        userId: start.userId,
        TransactionId: linked.transaction_id_partner,
        SvcTransactionReferenceId: linked.transaction_id,
      });
      const at = Date.parse(settle.DateOperation);
      expect([linked.confirmed_at < settle.DateOperation, settle.DateOperation <= linked.settled_at]).toEqual([
        true,
        true,
      ]);
      expect(linked.sca_expires_at === null || at < Date.parse(linked.sca_expires_at)).toBe(true);
      for (const [id, date] of [
        ["startOrder", start.dateOfTransaction],
        ["settleOrder", settle.DateOperation],
      ] as const) {
        const shown = Object.fromEntries(
          find(id).parameters.map(({ name, schema }: Node) => [name, schema.example]),
        ) as Record<string, string>;
        expect(shown["webhook-id"]).toBe(`${id.slice(0, -"Order".length)}_${linked.transaction_id}`);
        expect(Number(shown["webhook-timestamp"]) * 1000 - Date.parse(date)).toBeGreaterThanOrEqual(-999);
        expect(shown["partner-reference"]).toBe(linked.partner_reference);
      }
      expect(valuesOf(mediaOf(find("startOrder").responses[422])).map(([, { status }]) => status)).toEqual([
        "declined",
      ]);
    });

    test("a history leads from step to step, a report counts and names its lines as the service does", () => {
      const [, history] = valuesOf(mediaOf(successOf(find("getTransactionEvents"))))[0] ?? [];
      let at: Status | null = null;
      for (const [index, event] of history.events.entries()) {
        expect([event.sequence, event.from]).toEqual([index + 1, at]);
        if (at !== null) expect(nextStatuses[at as Status]).toContain(event.to);
        if (index > 0) expect(history.events[index - 1].at <= event.at).toBe(true);
        at = event.to;
      }
      expect(at).toBe("linked");
      const [, report] = valuesOf(mediaOf(successOf(find("getReconciliation"))))[0] ?? [];
      expect(report.count).toBe(report.lines.length);
      for (const line of report.lines) {
        expect(report.from <= line.confirmed_at && line.confirmed_at < report.to).toBe(true);
        expect(line.finding).toBe(findingOf(line.status));
        const times = [line.created_at, line.confirmed_at, line.settled_at, line.linked_at ?? line.closed_at];
        expect(times.filter(Boolean)).toEqual(times.filter(Boolean).toSorted());
      }
      const [, csv] = valuesOf(mediaOf(successOf(find("getReconciliationCsv"))))[0] ?? [];
      const [header, ...lines] = csv.trim().split("\r\n");
      expect(header.split(",")).toEqual(Object.keys(report.lines[0]));
      expect(lines).toHaveLength(report.count);
    });

    test("shops, tokens and limits are possible ones", () => {
      const [, { stores }] = valuesOf(mediaOf(successOf(find("listStores"))))[0] ?? [];
      expect(stores.length).toBeGreaterThan(0);
      for (const { amount_min, amount_max, amount_step } of stores) {
        expect(Number(amount_min)).toBeLessThan(Number(amount_max));
        expect([Number(amount_min) % Number(amount_step), Number(amount_max) % Number(amount_step)]).toEqual([0, 0]);
      }
      for (const id of ["authorize", "getToken"]) {
        const [, sent] = valuesOf(mediaOf(find(id).requestBody))[0] ?? [];
        const [, got] = valuesOf(mediaOf(successOf(find(id))))[0] ?? [];
        expect([id, got.scope]).toEqual([id, sent.scope]);
      }
      const [, till] = valuesOf(mediaOf(successOf(find("readTill"))))[0] ?? [];
      expect(till.sca_timeout_seconds).toBe(timing.scaSeconds);
    });
  },
);
