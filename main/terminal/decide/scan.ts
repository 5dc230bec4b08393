/** A barcode's way into the core: first the form, then whether the terminal is free for it, and only then the network. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { foreignIdFault } from "../../../backend/contract/foreign-ids.ts";
import { isTransactionId, normalizeTypedId } from "../../../backend/contract/ids.ts";
import type { Command } from "../../../preload/contract.ts";
import { sameScanMs } from "../state/bounds.ts";
import { cashWasGiven } from "../state/cash-given.ts";
import type { Event } from "../state/events.ts";
import { accept, type Decision, refuse } from "../state/inputs.ts";
import { activeWithdrawal, isIn, type Moment, offersCash, openByTransaction, type State } from "../state/state.ts";

type Scan = Extract<Command, { type: "scan" }>;

/** Control characters come with pasted text and with scanners' suffixes; they are in no id. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to drop
const controls = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\ufeff]/g;

/** The id in a scanned or typed text, or null: no network call is made for anything else. */
export const idOf = (state: State, scan: Pick<Scan, "text" | "source">): string | null => {
  const raw = scan.text.replace(controls, "").trim();
  const byHand = scan.source === "typed" || scan.source === "pasted";
  const own = byHand ? normalizeTypedId(raw) : raw.toUpperCase();
  if (isTransactionId(own)) return own;
  const pattern = state.settings.foreignIds;
  if (pattern === null) return null;
  const candidates = byHand ? [raw, raw.replace(/[\s-]/g, ""), own] : [raw];
  return candidates.find((text) => foreignIdFault(text, pattern) === null) ?? null;
};

type Occupation = "free" | "lookup" | "review" | "money" | "none";

const occupation = (state: State): Occupation => {
  if (state.phase === "starting" || state.credential !== "good") return "none";
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "idle":
    case "done":
    case "ended":
      return "free";
    case "looking_up":
      return "lookup";
    case "withdrawal":
      return activeWithdrawal(state)?.stage.kind === "review" ? "review" : "money";
    default:
      return assertNever(activeScreen);
  }
};

const activeTransaction = (state: State): string | null => {
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "looking_up":
    case "ended":
      return activeScreen.transactionId;
    case "done":
      return activeScreen.facts.transactionId;
    case "withdrawal":
      return activeWithdrawal(state)?.transactionId ?? null;
    case "idle":
      return null;
    default:
      return assertNever(activeScreen);
  }
};

/** Decides what a scan does: looks up, brings back, is ignored as the same sighting, or is refused with a toast. */
export const decideScan = (state: State, scan: Scan, moment: Moment): Decision => {
  const taken = occupation(state);
  if (taken === "none") return refuse("not_enrolled");
  const transactionId = idOf(state, scan);
  if (transactionId === null) return refuse("not_an_id", { type: "toast_shown", code: "not_an_id" });

  const seen: Event = { type: "scan_seen", transactionId };
  const again =
    state.lastScan?.transactionId === transactionId && moment.monotonicMs - state.lastScan.atMs < sameScanMs;
  if (again && state.activeScreen.kind !== "idle") return refuse("duplicate_scan", seen);
  switch (taken) {
    case "lookup":
      if (activeTransaction(state) === transactionId) return refuse("duplicate_scan", seen);
      return refuse("busy", { type: "toast_shown", code: "busy_lookup" });
    case "review":
      if (activeTransaction(state) === transactionId)
        return refuse("duplicate_scan", seen, { type: "toast_shown", code: "duplicate_scan" });
      return refuse("busy", { type: "toast_shown", code: "busy_review" });
    case "money":
      return refuse("busy", { type: "toast_shown", code: "busy_money" });
    case "free":
      return begin(state, transactionId, seen);
    default:
      return assertNever(taken);
  }
};

const begin = (state: State, transactionId: string, seen: Event): Decision => {
  const waiting = [...state.open.values()].find(offersCash);
  const known = openByTransaction(state, transactionId);
  if (cashWasGiven(state.cashGiven, transactionId) || (known !== null && isIn(known.stage, "reported")))
    return accept(seen, {
      type: "ended_shown",
      outcome: "already_used",
      transactionId,
      money: known === null ? null : { amount: known.amount, currency: known.currency },
      canRetry: false,
    });
  if (known !== null) return accept(seen, { type: "withdrawal_shown", withdrawalId: known.withdrawalId });
  if (waiting !== undefined)
    return refuse(
      "busy",
      { type: "withdrawal_shown", withdrawalId: waiting.withdrawalId },
      { type: "toast_shown", code: "busy_money" },
    );
  if (state.settings.drawerMoney.enabled && state.drawerMoney.kind === "closed")
    return refuse("no_day", { type: "toast_shown", code: "no_day" });
  return accept(seen, { type: "look_up_begun", transactionId });
};
