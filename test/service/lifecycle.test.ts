import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { finalStatuses, isFinal, type Status, statuses, type Transaction } from "../../backend/contract/transaction.ts";
import { ServiceError } from "../../backend/service-error.ts";
import type { Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { expiryAt, nextStatuses } from "../../backend/withdrawals/lifecycle.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { sweep } from "../../backend/withdrawals/sweep.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { accepted, bank, confirmIt, declined, placeOrder, secondTill, till, type World } from "./world.ts";
import { oneWorld } from "./world-stage.ts";

describe("the table of transitions", () => {
  test("nothing leaves a final status, and every other can be left", () => {
    for (const status of statuses) expect(nextStatuses[status].length === 0).toBe(isFinal(status));
    expect(finalStatuses).toHaveLength(7);
  });

  test("every way to settled leads through settling, and to settling only from a confirmation", () => {
    const into = (to: Status) => statuses.filter((from) => nextStatuses[from].some((next) => next === to));
    expect(into("settled")).toEqual(["settling"]);
    expect(into("settling").sort()).toEqual(["awaiting_sca", "ready"]);
    expect([into("linked"), into("undelivered")]).toEqual([["settled"], ["settled"]]);
  });

  test("time alone closes and pays nothing, from the very millisecond of the deadline on", () => {
    const late: Partial<Record<Status, object>> = {
      requested: { status: "declined", reason: "partner_unreachable" },
      ready: { status: "expired", reason: "order_expired" },
      awaiting_sca: { status: "canceled", reason: "sca_timeout" },
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...statuses),
        fc.option(fc.integer({ min: 0, max: 2_000 })),
        fc.integer({ min: 0, max: 2_000 }),
        (status, deadline, now) => {
          const expiry = expiryAt({ status, deadline_at: deadline }, now);
          expect(expiry).toEqual(deadline !== null && now >= deadline ? (late[status] ?? null) : null);
          if (expiry !== null) expect(nextStatuses[status]).toContain(expiry.status);
        },
      ),
    );
  });
});

const steps = [
  "confirm",
  "confirmElsewhere",
  "reject",
  "rejectElsewhere",
  "approve",
  "deny",
  "cancel",
  "link",
  "undelivered",
  "sweep",
  "get",
] as const;
type Step = { readonly kind: (typeof steps)[number] } | { readonly kind: "pass"; readonly ms: number };
/** Around the two deadlines, and steps back as a clock that is set gives. */
const pass = fc.record({
  kind: fc.constant("pass" as const),
  ms: fc.constantFrom(1, 500, 20_000, 39_999, 40_000, 40_001, 450_000, 899_999, 900_000, -5_000, -60_000),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom(...steps) }) },
  { weight: 1, arbitrary: pass },
);
/** What leads a withdrawal on before anything may happen to it. */
const leads = [
  [],
  ["confirm"],
  ["confirm", "approve"],
  ["confirm", "approve", "link"],
  ["confirm", "approve", "undelivered"],
] as const satisfies readonly (readonly Step["kind"][])[];
const story = fc.record({
  scaRequired: fc.boolean(),
  start: fc.constantFrom("accepted", "accepted", "accepted", "declined"),
  settle: fc.constantFrom("accepted", "accepted", "declined", "never"),
  lead: fc.constantFrom<readonly (typeof steps)[number][]>(...leads),
  script: fc.array(step, { maxLength: 25 }),
});
type Story = typeof story extends fc.Arbitrary<infer S> ? S : never;

/** Each final status, and whatever anybody may do to it then: no draw has to find these. */
const whole: Story = {
  scaRequired: true,
  start: "accepted",
  settle: "accepted",
  lead: [],
  script: steps.map((kind) => ({ kind })),
};
const first = (taken: Step): Story => ({ ...whole, script: [taken, ...whole.script] });
const toEachEnd: readonly Story[] = [
  { ...whole, lead: leads[3] },
  { ...whole, lead: leads[4] },
  { ...whole, lead: leads[2], settle: "declined" },
  { ...whole, start: "declined" },
  first({ kind: "reject" }),
  first({ kind: "cancel" }),
  first({ kind: "pass", ms: 900_000 }),
];

describe.each(stores)("%s: whatever anybody does in whatever order", (dialect) => {
  let world: World;
  let store: Store;
  let clock: VirtualClock;
  oneWorld(dialect, { options: { pollMs: 1e9, partnerInFlightMax: 1_000 } }, (stage) => {
    ({ world, store, clock } = stage);
  });
  afterAll(() => release.resolve(accepted));
  const release = Promise.withResolvers<typeof accepted>();

  const act = async (taken: Step, transaction: Transaction): Promise<Transaction | "swept" | "refused"> => {
    const { service } = world;
    const id = transaction.transaction_id;
    switch (taken.kind) {
      case "pass":
        clock.jump(taken.ms);
        return "swept";
      case "sweep":
        await sweep(service);
        return "swept";
      case "get":
        return getTransaction(service, till, id);
      case "confirm":
        return confirmIt(service, transaction, till, `pos-${id}`);
      case "confirmElsewhere":
        return confirmIt(service, transaction, secondTill, `pos-${id}`);
      case "reject":
        return rejectTransaction(service, till, id);
      case "rejectElsewhere":
        return rejectTransaction(service, secondTill, id);
      case "approve":
      case "deny":
        return resolveSca(service, bank, id, taken.kind === "approve" ? "approved" : "denied");
      case "cancel":
        return cancelWithdrawal(service, bank, id);
      case "link":
        return linkTransaction(service, till, id);
      case "undelivered":
        return declareUndelivered(service, till, id, "other");
    }
  };

  test("settled only through an approval in time (or none needed) and the bank's yes; nothing leaves a final status", async () => {
    const reached = new Set<Status>();
    await fc.assert(
      fc.asyncProperty(story, async ({ scaRequired, start, settle, lead, script }) => {
        world.bank.onStart = () => (start === "accepted" ? accepted : declined);
        world.bank.onSettle = () =>
          settle === "never" ? release.promise : settle === "accepted" ? accepted : declined;
        const transaction = await placeOrder(world.service, { sca_required: scaRequired });
        const id = transaction.transaction_id;
        let before = transaction;
        let approved = false;
        for (const taken of [...lead.map((kind): Step => ({ kind })), ...script]) {
          const answer = await act(taken, transaction).catch((error: unknown) => {
            if (error instanceof ServiceError && error.code !== "internal_error") return "refused" as const;
            throw error;
          });
          // A look would end what is late: whoever comes next is to come upon it.
          if (taken.kind === "pass") continue;
          if (answer !== "refused" && answer !== "swept") {
            if (taken.kind === "approve") approved = true;
            expectInTime(before, answer);
          }
          const after = await getTransaction(world.service, till, id, {
            waitMs: settle === "never" ? 0 : 5_000,
            whileStatus: "settling",
          });
          expectStep(before, after);
          if (["settling", "settled", "linked", "undelivered", "failed"].includes(after.status)) {
            expect(approved || !scaRequired).toBe(true);
            expect(start).toBe("accepted");
            expect(after.confirmed_at).not.toBeNull();
          }
          if (["settled", "linked", "undelivered"].includes(after.status)) expect(settle).toBe("accepted");
          before = after;
          reached.add(after.status);
        }
        expect(world.bank.settles.filter((order) => order.SvcTransactionReferenceId === id).length).toBeLessThanOrEqual(
          1,
        );
      }),
      { numRuns: dialect === "sqlite" ? 400 : 60, examples: toEachEnd.map((each) => [each]) },
    );
    expect(finalStatuses.filter((status) => !reached.has(status))).toEqual([]);
    await expectWholeHistory(store);
  });

  /** Whoever moves a withdrawal on has done so before its time was over. */
  const expectInTime = (before: Transaction, answer: Transaction) => {
    if (answer.status !== "settling" && answer.status !== "awaiting_sca") return;
    if (before.status === answer.status) return;
    const until = before.status === "ready" ? before.expires_at : before.sca_expires_at;
    expect(clock.now()).toBeLessThan(Date.parse(until ?? ""));
  };

  /** One call or one expiry, or both at once, lie between two looks: at most three steps of the table. */
  const expectStep = (before: Transaction, after: Transaction) => {
    const reachable = new Set<Status>([before.status]);
    for (let hop = 0; hop < 3; hop += 1) {
      for (const status of [...reachable]) for (const next of nextStatuses[status]) reachable.add(next);
    }
    expect(reachable).toContain(after.status);
    if (isFinal(before.status)) expect(after).toEqual(before);
    const { amount, currency, store, sca_required, created_at, expires_at } = before;
    expect(after).toMatchObject({ amount, currency, store, sca_required, created_at, expires_at });
    for (const field of ["confirmed_at", "sca_expires_at", "settled_at", "transaction_id_partner"] as const) {
      if (before[field] !== null) expect(after[field]).toBe(before[field]);
    }
  };
});
