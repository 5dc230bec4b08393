/** Decisions of the cashier on a withdrawal, from the confirm to the hand-out, and of the manager about problems. */
import { parseAmount } from "../../../backend/contract/money.ts";
import type { CommandOf } from "../../../preload/contract.ts";
import { type Pieces, totalOf } from "../../../preload/notes-and-coins.ts";
import { drawerKicksAlone, drawerKicksPeopleLost } from "../bounds.ts";
import { drawerCover } from "./drawer-day.ts";
import type { Event } from "./events.ts";
import {
  type Actor,
  accept,
  approvalMissing,
  type Decision,
  type Decisions,
  type Input,
  refuse,
  type Turn,
} from "./inputs.ts";
import { isPersonCode } from "./people-seen.ts";
import { decisionsFor, problemsOf } from "./problems.ts";
import { type ScreenName, screenName, stepOf } from "./screens.ts";
import { activeWithdrawal, type State } from "./state.ts";
import { isIn, mayHaveOpened, mustAskFirst, type Withdrawal } from "./withdrawal.ts";

/** The cashier's statement that the cash was handed out, with the pieces that the screen showed; ignored if they do not add up to the amount. */
const given = (withdrawal: Withdrawal, cash: readonly Pieces[] | undefined): Event => {
  const isAmount = cash !== undefined && totalOf({ pieces: cash, otherMinor: 0 }) === amountMinorOf(withdrawal);
  return { type: "handed_out", withdrawal, by: "cashier", ...(isAmount && { pieces: cash }) };
};

const amountMinorOf = ({ amount, currency }: Withdrawal): number | null => parseAmount(amount, currency);

/** Opens the drawer; without a drawer, the press means that the cash was handed out. */
const handOut = (
  { settings }: State,
  withdrawal: Withdrawal,
  approvedBy: string | null,
  cash?: readonly Pieces[],
): readonly Event[] => {
  const intended = { type: "hand_out_intended", withdrawal, approvedBy } as const;
  return settings.drawer.kind === "none" ? [intended, given(withdrawal, cash)] : [intended];
};

/** The same for a press that waited for the service's answer; the entries name who pressed. */
export const askedHandOut = (state: State, withdrawal: Withdrawal): readonly Event[] => {
  const { handOutAsked } = withdrawal;
  if (handOutAsked === null) return [];
  const { by: actor, approvedBy } = handOutAsked;
  return handOut(state, withdrawal, approvedBy).map((event) => ({ ...event, actor }));
};

type Button = Exclude<CommandOf<"cashier">, { type: "scan" | "resume" }>;
/** A press on the current screen. */
interface Pressed extends Turn {
  readonly screen: ScreenName;
}
type Press<T extends Button["type"]> = (
  at: Pressed,
  withdrawal: Withdrawal,
  command: Extract<Button, { type: T }>,
) => Decision;

/** Refused as `stale` if the screen has changed. */
const onScreen =
  <C extends Button>(decide: (at: Pressed, withdrawal: Withdrawal | null, command: C) => Decision) =>
  (turn: Turn, command: C): Decision =>
    command.step === stepOf(turn.state, turn.moment)
      ? decide({ ...turn, screen: screenName(turn.state, turn.moment) }, activeWithdrawal(turn.state), command)
      : refuse("stale");

/** Also refused as `busy` if no withdrawal is on the screen. */
const onWithdrawal = <T extends Button["type"]>(decide: Press<T>) =>
  onScreen<Extract<Button, { type: T }>>((at, withdrawal, command) =>
    withdrawal === null ? refuse("busy") : decide(at, withdrawal, command),
  );

const approvedIn = ({ approvedBy }: Actor): string | null => approvedBy?.code ?? null;

const reject: Press<"reject"> = ({ screen }, withdrawal) => {
  if (screen !== "review" && screen !== "waiting:approval") return refuse("busy");
  const { confirmAttempted: intended } = withdrawal;
  return accept({ type: "reject_intended", withdrawal, why: "cashier", intended });
};

const handOutPressed: Press<"hand_out"> = ({ state, moment, actor, screen }, withdrawal, { alreadyGiven, cash }) => {
  if (alreadyGiven) {
    if (screen !== "payable" || !withdrawal.handOutBegun) return refuse("busy");
    return accept(given(withdrawal, cash));
  }
  if (screen !== "payable") return asksAboutCash(screen) ? accept(given(withdrawal, cash)) : refuse("busy");
  if (!mayOpen(withdrawal, actor)) return refuse(approvalMissing(actor));
  const approvedBy = approvedIn(actor);
  if (!mustAskFirst(withdrawal, moment.monotonicMs)) return accept(...handOut(state, withdrawal, approvedBy, cash));
  // Else the press would wait for the journal, too, and the drawer would open when somebody else stands there.
  if (state.journalFailing) return refuse("failed");
  return accept({ type: "hand_out_asked", withdrawalId: withdrawal.withdrawalId, by: actor.code, approvedBy });
};

const notHandedOut: Press<"not_handed_out"> = ({ state, actor, screen }, withdrawal, { reason }) => {
  if (screen !== "payable" && !asksAboutCash(screen)) return refuse("busy");
  if (!mayDeny(state, withdrawal, actor)) return refuse(approvalMissing(actor));
  return accept({ type: "not_handed_out", withdrawal, reason, approvedBy: approvedIn(actor) });
};

const openDrawer: Press<"open_drawer"> = ({ actor, screen }, withdrawal) => {
  if (!asksAboutCash(screen)) return refuse("busy");
  if (!mayOpen(withdrawal, actor)) return refuse(approvalMissing(actor));
  return accept({ type: "drawer_reopened", withdrawal, approvedBy: approvedIn(actor) });
};

const confirm: Press<"confirm"> = ({ state, moment, screen }, withdrawal) => {
  if (screen !== "review") return refuse("busy");
  if (state.credential !== "good") return refuse("not_enrolled");
  const cover = drawerCover(state, withdrawal);
  if (cover === "no_day") return refuse("no_day");
  if (cover === "short") return refuse("drawer_short");
  return accept({
    type: "confirm_intended",
    withdrawal,
    sinceScanMs: withdrawal.scannedMs === null ? null : Math.round(moment.monotonicMs - withdrawal.scannedMs),
  });
};

/** Screens on which the cashier says what became of the cash: the drawer has opened or failed to. */
const asksAboutCash = (screen: ScreenName): boolean =>
  screen === "counting" || screen === "opening:failed" || screen === "opening:unknown";

/** The drawer may be opened twice; from the third time on a manager has to approve. */
const mayOpen = ({ drawerTries }: Withdrawal, { guarded, isPeopleLost, approvedBy }: Actor): boolean =>
  !guarded ||
  drawerTries < (isPeopleLost === true ? drawerKicksPeopleLost : drawerKicksAlone) ||
  approvedBy?.role === "manager";

/** After the drawer may have been open, one person alone cannot state that the cash was not handed out. */
const mayDeny = (state: State, withdrawal: Withdrawal, actor: Actor): boolean => {
  if (!actor.guarded || !mayHaveOpened(withdrawal) || actor.approvedBy?.role === "manager") return true;
  const { notHandedOutBy } = state.settings.people;
  // If nobody is signed in, the approving cashier may be the same person.
  const isOther = isPersonCode(actor.code) && actor.approvedBy !== null && actor.approvedBy.code !== actor.code;
  return notHandedOutBy === "second_person" && isOther;
};

/** A message about an unclear ending stays, also after a restart, until somebody has dismissed it. */
const messageSeen = ({ activeScreen }: State): readonly Event[] =>
  activeScreen.kind === "ended" && activeScreen.message !== null
    ? [{ type: "message_seen", withdrawalId: activeScreen.message.withdrawalId }]
    : [];

/** Screens that need no answer: work on the withdrawal continues in the background. */
const leavable: ReadonlySet<ScreenName> = new Set(["looking_up", "waiting:payment", "done", "ended", "unknown"]);

const resume = ({ state, moment }: Turn, { withdrawalId }: { readonly withdrawalId: string }): Decision => {
  const wanted = state.open.get(withdrawalId);
  if (wanted === undefined || isIn(wanted.stage, "reported")) return refuse("stale");
  const screen = screenName(state, moment);
  if (screen !== "ready" && !leavable.has(screen)) return refuse("busy");
  return accept({ type: "withdrawal_shown", withdrawalId });
};

const retry = ({ state, screen }: Pressed, withdrawal: Withdrawal | null): Decision => {
  const { activeScreen } = state;
  if (activeScreen.kind === "ended" && activeScreen.canRetry && activeScreen.transactionId !== null)
    return accept({ type: "look_up_begun", transactionId: activeScreen.transactionId });
  if (withdrawal === null || (screen !== "unknown" && screen !== "waiting:payment")) return refuse("busy");
  return accept({ type: "retry_requested", withdrawalId: withdrawal.withdrawalId });
};

type Acknowledge = Extract<CommandOf<"manager">, { type: "acknowledge_problem" }>;

/** Whether there is such a problem, as it was shown: what came to it since has nobody read. */
const hasProblem = ({ state, moment }: Turn, { withdrawalId, shown }: Acknowledge): boolean => {
  const one = problemsOf(state, moment).find((some) => some.kind !== "open" && some.withdrawalId === withdrawalId);
  return one !== undefined && (shown === undefined || (shown.since === one.since && shown.about === one.about));
};

/** Refused as `stale` if the withdrawal is not open any more, as `invalid` if the decision is not offered. */
export const cashierDecisions = {
  resume,
  dismiss: onScreen(({ state, screen }) =>
    leavable.has(screen) ? accept(...messageSeen(state), { type: "screen_cleared" }) : refuse("busy"),
  ),
  retry: onScreen(retry),
  confirm: onWithdrawal(confirm),
  reject: onWithdrawal(reject),
  hand_out: onWithdrawal(handOutPressed),
  not_handed_out: onWithdrawal(notHandedOut),
  open_drawer: onWithdrawal(openDrawer),
  decide_withdrawal({ state, actor }, { withdrawalId, decision, note }) {
    const withdrawal = state.open.get(withdrawalId);
    if (withdrawal === undefined) return refuse("stale");
    if (!decisionsFor(withdrawal).includes(decision)) return refuse("invalid");
    // A withdrawal on the screen is the cashier's to decide, as long as the service can be asked about it.
    if (activeWithdrawal(state) === withdrawal && state.credential === "good") return refuse("busy");
    return accept({ type: "decided", withdrawal, decision, actor: actor.code, note });
  },
  acknowledge_problem: (turn, command) =>
    hasProblem(turn, command)
      ? accept({
          type: "acknowledged",
          withdrawalId: command.withdrawalId,
          actor: turn.actor.code,
          note: command.note,
        })
      : refuse("stale"),
} satisfies Partial<Decisions<Input>>;
