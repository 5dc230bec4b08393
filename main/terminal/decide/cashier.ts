/** What the cashier's buttons do. A command made for a screen that is gone is refused; pressing twice does nothing twice. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { type Actor, approvalMissing } from "../state/actor.ts";
import { drawerKicksAlone, drawerKicksPeopleLost } from "../state/bounds.ts";
import { drawerCover } from "../state/drawer-cover.ts";
import type { Event } from "../state/events.ts";
import { accept, type CashierCommand, type Decision, refuse } from "../state/inputs.ts";
import { isPersonCode } from "../state/people-seen.ts";
import {
  activeWithdrawal,
  factsOf,
  isIn,
  type Moment,
  mustAskFirst,
  type State,
  type Withdrawal,
} from "../state/state.ts";
import { type ScreenName, screenName, stepOf } from "../state/step.ts";
import { handOut } from "./hand-out.ts";

type Button = Exclude<CashierCommand, { type: "scan" }>;

/**
 * Decides about one press. Refused as `stale` when the screen changed before it, as `busy` when the button means
 * nothing there.
 */
export const decideCashier = (state: State, command: Button, moment: Moment, actor: Actor): Decision => {
  if (command.type === "resume") return resume(state, command.withdrawalId, moment);
  if (command.step !== stepOf(state, moment)) return refuse("stale");
  const screen = screenName(state, moment);
  const withdrawal = activeWithdrawal(state);
  switch (command.type) {
    case "dismiss":
      return leavable[screen] ? accept(...messageSeen(state), { type: "screen_cleared" }) : refuse("busy");
    case "retry":
      return retry(state, withdrawal, screen);
    case "confirm":
      if (screen !== "review" || withdrawal === null) return refuse("busy");
      return confirm(state, withdrawal, moment);
    case "reject": {
      const rejectable = screen === "review" || screen === "waiting:approval";
      if (!rejectable || withdrawal === null) return refuse("busy");
      const { intended } = withdrawal;
      return accept({ type: "reject_intended", of: factsOf(withdrawal), why: "cashier", intended });
    }
    case "hand_out":
      if (withdrawal === null) return refuse("busy");
      if (command.alreadyGiven) {
        if (screen !== "payable" || !withdrawal.handOutBegun) return refuse("busy");
        return accept({ type: "handed_out", of: factsOf(withdrawal), by: "cashier" });
      }
      if (screen === "payable") {
        if (!mayOpen(withdrawal, actor)) return refuse(approvalMissing(actor));
        const approvedBy = actor.approvedBy?.code ?? null;
        if (!mustAskFirst(withdrawal, moment.monotonicMs)) return accept(...handOut(state, withdrawal, approvedBy));
        const { withdrawalId } = withdrawal;
        return accept({ type: "hand_out_asked", withdrawalId, by: actor.code, approvedBy });
      }
      if (!asksAboutCash(screen)) return refuse("busy");
      return accept({ type: "handed_out", of: factsOf(withdrawal), by: "cashier" });
    case "not_handed_out":
      if (withdrawal === null || !(screen === "payable" || asksAboutCash(screen))) return refuse("busy");
      if (!mayDeny(state, withdrawal, screen, actor)) return refuse(approvalMissing(actor));
      return accept({
        type: "not_handed_out",
        of: factsOf(withdrawal),
        reason: command.reason,
        approvedBy: actor.approvedBy?.code ?? null,
      });
    case "open_drawer":
      if (withdrawal === null || !asksAboutCash(screen)) return refuse("busy");
      if (!mayOpen(withdrawal, actor)) return refuse(approvalMissing(actor));
      return accept({
        type: "drawer_reopened",
        of: factsOf(withdrawal),
        approvedBy: actor.approvedBy?.code ?? null,
      });
    default:
      return assertNever(command);
  }
};

const confirm = (state: State, withdrawal: Withdrawal, moment: Moment): Decision => {
  if (state.credential !== "good") return refuse("not_enrolled");
  const cover = drawerCover(state, withdrawal);
  if (cover === "no_day") return refuse("no_day");
  if (cover === "short") return refuse("drawer_short");
  return accept({
    type: "confirm_intended",
    of: factsOf(withdrawal),
    sinceScanMs: withdrawal.scannedMs === null ? null : Math.round(moment.monotonicMs - withdrawal.scannedMs),
  });
};

/** The drawer has moved or will not: what became of the cash is the cashier's word. */
const asksAboutCash = (screen: ScreenName): boolean =>
  screen === "counting" || screen === "opening:failed" || screen === "opening:unknown";

/** Opening the drawer a second time needs no reason; from the third time on a manager has to agree. */
const mayOpen = ({ drawerTries }: Withdrawal, { guarded, isPeopleLost, approvedBy }: Actor): boolean =>
  !guarded ||
  drawerTries < (isPeopleLost === true ? drawerKicksPeopleLost : drawerKicksAlone) ||
  approvedBy?.role === "manager";

/** Once the drawer may have been open, one person's word is not enough for cash that stays in it. */
const mayDeny = (state: State, withdrawal: Withdrawal, screen: ScreenName, actor: Actor): boolean => {
  const wasNeverOpen = !withdrawal.handOutBegun || (screen === "opening:failed" && withdrawal.drawerTries === 1);
  if (!actor.guarded || wasNeverOpen || actor.approvedBy?.role === "manager") return true;
  const { notHandedOutBy } = state.settings.people;
  // Where nobody is signed in, a cashier's PIN may be that of the very person who asks.
  const isOther = isPersonCode(actor.code) && actor.approvedBy !== null && actor.approvedBy.code !== actor.code;
  return notHandedOutBy === "second_person" && isOther;
};

/** What ended unclear is told again and again, also after a start, until somebody has pressed it away. */
const messageSeen = ({ activeScreen }: State): readonly Event[] =>
  activeScreen.kind === "ended" && activeScreen.message !== null
    ? [{ type: "message_seen", withdrawalId: activeScreen.message.withdrawalId }]
    : [];

/** Screens that nobody has to answer: the terminal goes on working on what lies behind them. */
const leavable: Readonly<Record<ScreenName, boolean>> = {
  starting: false,
  blocked: false,
  setup: false,
  ready: false,
  looking_up: true,
  review: false,
  confirming: false,
  "waiting:approval": false,
  "waiting:payment": true,
  closing: false,
  payable: false,
  "opening:checking": false,
  "opening:opening": false,
  "opening:failed": false,
  "opening:unknown": false,
  counting: false,
  done: true,
  ended: true,
  unknown: true,
};

const resume = (state: State, withdrawalId: string, moment: Moment): Decision => {
  const wanted = state.open.get(withdrawalId);
  if (wanted === undefined || isIn(wanted.stage, "reported")) return refuse("stale");
  const screen = screenName(state, moment);
  if (screen !== "ready" && !leavable[screen]) return refuse("busy");
  return accept({ type: "withdrawal_shown", withdrawalId });
};

const retry = (state: State, withdrawal: Withdrawal | null, screen: ScreenName): Decision => {
  if (state.activeScreen.kind === "ended" && state.activeScreen.canRetry && state.activeScreen.transactionId !== null)
    return accept({ type: "look_up_begun", transactionId: state.activeScreen.transactionId });
  if (withdrawal === null || (screen !== "unknown" && screen !== "waiting:payment")) return refuse("busy");
  return accept({ type: "retry_requested", withdrawalId: withdrawal.withdrawalId });
};
