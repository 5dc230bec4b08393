/** What each screen says about cash by its colour and its sound, what may lie over it, and which presses it ignores at first. */
import { expect, test } from "vitest";
import { type Outcome, outcomes, type Screen, type ScreenOf } from "../../../preload/contract.ts";
import { holdMsOf, isPractising, isSettingUp, screenRules, soundOf, toneOf } from "../../../renderer/screen-rules.ts";
import { outcomeHoldMs } from "../../../renderer/ui/step-guard.ts";
import { screenOf, settings } from "../../e2e/gallery/snapshots.ts";

/** By outcome: the banner's tone, and whether presses are ignored at first. */
const rules: Readonly<Record<Outcome, readonly [tone: string, isHeld: boolean]>> = {
  handed_out: ["given", false],
  not_handed_out: ["nothing", false],
  rejected: ["nothing", false],
  rejected_before: ["nothing", false],
  given_up: ["nothing", true],
  sca_timeout: ["nothing", true],
  sca_denied: ["nothing", true],
  user_canceled: ["nothing", true],
  canceled: ["nothing", true],
  order_expired: ["nothing", true],
  declined: ["nothing", true],
  settle_declined: ["never", true],
  already_used: ["never", true],
  handed_out_before: ["never", true],
  in_use_elsewhere: ["never", true],
  unknown_barcode: ["nothing", false],
  no_network: ["nothing", false],
  service_down: ["nothing", false],
  service_refused: ["nothing", true],
  limit_reached: ["nothing", true],
  unclear: ["never", true],
};

const ended = (outcome: Outcome): Screen => ({
  kind: "ended",
  step: "1.ended",
  outcome,
  transactionId: null,
  money: null,
  late: null,
  canRetry: false,
});

test.each(outcomes)("a withdrawal that ended as %s", (outcome) => {
  const [tone, isHeld] = rules[outcome];
  expect([toneOf(outcome), holdMsOf(ended(outcome))]).toEqual([tone, isHeld ? outcomeHoldMs : 0]);
  expect(soundOf(ended(outcome), false, false)).toBe(tone === "given" ? null : tone);
});

test.each([
  ["ready", null, null],
  ["review", null, null],
  ["waiting-approval", null, null],
  ["payable", "give", "give"],
  ["payable-recovered", "ask", "ask"],
  ["payable-begun", "ask", "ask"],
  ["opening-opening", null, "give"],
  ["opening-again", null, null],
  ["opening-failed", null, null],
  ["counting", null, null],
  ["done", null, null],
  ["unknown", "never", "never"],
] as const)("the sound of %s is %s; %s where the drawer opens by itself", (name, usual, byItself) => {
  const { screen } = screenOf(name);
  expect([soundOf(screen, false, false), soundOf(screen, false, true)]).toEqual([usual, byItself]);
  // No cash may be given that cannot be written down.
  expect(soundOf(screen, true, false)).toBe("never");
});

test("a hand-out that was begun is asked about, also in the run that began it", () => {
  const payable = screenOf("payable").screen as ScreenOf<"payable">;
  expect(soundOf({ ...payable, handOutBegun: true }, false, false)).toBe("ask");
});

test("of a payment's screens the one that counts the cash alone ignores a press at first", () => {
  const names = ["review", "waiting-approval", "payable", "opening-failed", "counting", "done", "unknown"] as const;
  expect(names.filter((name) => holdMsOf(screenOf(name).screen) > 0)).toEqual(["counting"]);
});

test.each([
  ["mayBeCovered", ["setup", "ready", "ended", "unknown"]],
  ["isManagers", ["starting", "setup", "blocked"]],
  ["canResume", ["ready", "done", "ended", "unknown"]],
] as const)("%s: %j and no other", (rule, kinds) => {
  const found = Object.entries(screenRules).flatMap(([kind, one]) => (one[rule] ? [kind] : []));
  expect(found).toEqual(kinds);
});

test.each([
  ["ready", "done", false, []],
  ["ready", "people", false, ["set up"]],
  ["ready", "people", true, ["set up"]],
  ["ready", "practice", false, ["set up"]],
  ["ready", "practice", true, ["practice"]],
  // A withdrawal that was under way is in front, whatever the set-up says.
  ["payable", "people", false, []],
  ["review", "practice", true, ["practice"]],
] as const)("on %s, with the set-up at %s, training %s: %j", (name, setUp, training, expected) => {
  const shown = screenOf(name);
  const snapshot = { ...shown, settings: settings({ setUp }), header: { ...shown.header, training } };
  const found = [...(isSettingUp(snapshot) ? ["set up"] : []), ...(isPractising(snapshot) ? ["practice"] : [])];
  expect(found).toEqual(expected);
});
