/** The courses that a withdrawal can take, each as a script without chance. */

import { noFaults, type Plan, type PlannedWithdrawal } from "../plan.ts";
import type { TurnKind } from "../turns.ts";
import type { ScriptedFaults } from "./scripted-injector.ts";

/** A course with how it ends when nothing goes wrong. */
export interface ScriptedCourse {
  readonly name: string;
  readonly plan: Plan;
  /** Faults that belong to the course. */
  readonly faults: ScriptedFaults;
  /** Money leaves the bank for cash: here every pair of faults counts too. */
  readonly paysOut: boolean;
  /** What the course comes to when nothing else goes wrong: the service's status, and a screen that it shows. */
  readonly end: string;
  readonly shows: string;
}

/** Long enough for a withdrawal with all its repeats; what is still under way then goes on without faults. */
const restlessMs = 150_000;

const withdrawal: PlannedWithdrawal = {
  index: 0,
  till: 0,
  startMs: 1_000,
  amountMinor: 5_000,
  customer: "approves",
  cashier: "plain",
  alsoAtTill: null,
  bank: "accepts",
};

const never: ScriptedFaults = () => false;

const course = (
  name: string,
  expected: Pick<ScriptedCourse, "end" | "shows" | "paysOut">,
  planned: Partial<PlannedWithdrawal>,
  faults: ScriptedFaults = never,
): ScriptedCourse => ({
  name,
  ...expected,
  faults,
  plan: {
    seed: 1,
    currency: "EUR",
    answers: "by-status-word",
    acts: null,
    putBack: [],
    processes: 1,
    tills: planned.alsoAtTill == null ? 1 : 2,
    withdrawals: [{ ...withdrawal, ...planned }],
    clockJumps: [],
    wrongTimes: [],
    faults: noFaults,
    days: false,
    turns: [],
    restlessMs,
  },
});

/** A withdrawal that meets one turn of an installation's life when its cash is about to be given. */
const lived = (name: string, kind: TurnKind, expected: Pick<ScriptedCourse, "end" | "shows">): ScriptedCourse => {
  const plain = course(name, { ...expected, paysOut: true }, {});
  return { ...plain, plan: { ...plain.plan, turns: [{ till: 0, kind, atMs: turnAtMs, forMs: turnForMs }] } };
};
/** The customer has approved, the cashier has not yet pressed. */
const turnAtMs = 11_000;
const turnForMs = 45_000;

/** Calls of till 0 about a withdrawal, by their number: 0 looks it up, 1 confirms. */
const isAboutWithdrawal = (scope: string): boolean => /^till 0 \w{16}$/.test(scope);

/** A till that is gone for so long that an operator says, wrongly, what became of its cash; then it comes back. */
const decided = (name: string, isGiven: boolean, expected: Pick<ScriptedCourse, "end" | "shows">): ScriptedCourse => {
  const isLinkLost: ScriptedFaults = (fault, scope, nth) =>
    isGiven && fault === "requestLost" && isAboutWithdrawal(scope) && nth >= 4;
  const plain = course(name, { ...expected, paysOut: false }, {}, isLinkLost);
  const turns = [{ till: 0, kind: "suspended", atMs: isGiven ? givenAtMs : turnAtMs, forMs: goneForMs }] as const;
  return { ...plain, plan: { ...plain.plan, acts: [], miscounts: true, turns } };
};
/** The cash has been given, and its report lost. */
const givenAtMs = 30_000;
const goneForMs = 30 * 60_000;

/** All of them, by the name that `npm run simulate -- --course` takes. */
export const courses: readonly ScriptedCourse[] = [
  course("linked", { end: "linked", shows: "done", paysOut: true }, {}),
  course("rejected", { end: "rejected", shows: "review", paysOut: false }, { cashier: "rejects" }),
  course("timed out", { end: "rejected", shows: "waiting", paysOut: false }, { customer: "ignores" }),
  course("denied", { end: "canceled", shows: "waiting", paysOut: false }, { customer: "denies" }),
  course("undelivered", { end: "undelivered", shows: "payable", paysOut: true }, { cashier: "declares" }),
  course(
    "unknown outcome",
    { end: "linked", shows: "unknown", paysOut: true },
    {},
    (fault, scope, nth) => fault === "answerLost" && isAboutWithdrawal(scope) && nth >= 1 && nth <= 12,
  ),
  course(
    "drawer unsure",
    { end: "linked", shows: "opening", paysOut: true },
    {},
    (fault, _, nth) => fault === "drawerFails" && nth === 0,
  ),
  course("yes, then no", { end: "linked", shows: "done", paysOut: true }, { bank: "yes_then_no" }),
  course("no, then yes", { end: "failed", shows: "ended", paysOut: true }, { bank: "no_then_yes" }),
  course("two tills", { end: "linked", shows: "done", paysOut: true }, { alsoAtTill: 1 }),
  lived("training in between", "training", { end: "linked", shows: "done" }),
  lived("key revoked", "key_revoked", { end: "linked", shows: "setup" }),
  lived("another device", "new_device", { end: "linked", shows: "done" }),
  lived("rolled back", "careless_program", { end: "linked", shows: "done" }),
  lived("put back", "restored", { end: "linked", shows: "done" }),
  lived("two machines", "second_machine", { end: "linked", shows: "done" }),
  lived("slept", "suspended", { end: "linked", shows: "done" }),
  decided("decided wrongly, given", true, { end: "undelivered", shows: "done" }),
  decided("decided wrongly, not given", false, { end: "linked", shows: "payable" }),
];
