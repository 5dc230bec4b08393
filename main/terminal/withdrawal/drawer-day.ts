/** The drawer's day together with open withdrawals: cash that may still leave it, what it covers, and the day for the screens. */
import { formatAmount, minorDigits, parseAmount } from "../../../backend/contract/money.ts";
import type { Amount, Cash, DayReport, DayView, ExpectedView, Header } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import * as drawer from "../day/drawer-money.ts";
import type { PrintTask } from "../printing/queue.ts";
import { type State, shopOf, terminalNameOf } from "./state.ts";
import { isIn, shownFacts, type Withdrawal } from "./withdrawal.ts";

const mayStillPay = ({ stage, confirmAttempted }: Withdrawal): boolean =>
  stage.kind === "rejecting" ? confirmAttempted : isIn(stage, "payment", "payable", "hand_out");

/** Withdrawals that are or may become settled and whose cash was not handed out yet. */
export const openCashOf = (state: State): readonly Withdrawal[] => [...state.open.values()].filter(mayStillPay);

/** Currency of the drawer: from the service, else from the last day; null if unknown. */
export const drawerCurrency = (state: State): string | null => {
  const { drawerMoney } = state;
  const before = drawerMoney.kind === "closed" ? drawerMoney.currency : drawerMoney.day.currency;
  return shopOf(state)?.limits?.currency ?? before;
};

/** Other cash that is to leave the drawer, in minor units of the withdrawal's currency. */
const promisedBeside = (state: State, one: Amount): number =>
  openCashOf(state)
    .filter((other) => other !== one && other.currency === one.currency)
    .reduce((sum, { amount, currency }) => sum + (parseAmount(amount, currency) ?? 0), 0);

/** Like `canPay`; `no_day` if the drawer's day must be opened first, `ok` if this terminal does not count the drawer. */
export const drawerCover = (state: State, one: Amount): "ok" | "short" | "no_notes" | "no_day" => {
  const { settings, drawerMoney } = state;
  if (!settings.drawerMoney.enabled) return "ok";
  if (drawerMoney.kind === "closed") return "no_day";
  return drawer.canPay(drawerMoney, one.amount, one.currency, promisedBeside(state, one));
};

/** Rounding of the missing amount if only managers may see the sum: 50 units (with cents), or five of the shop's own steps. */
const missingStep = (state: State, currency: string): number => {
  const limits = shopOf(state)?.limits;
  const own = limits?.currency === currency ? (parseAmount(limits.step, currency) ?? 0) : 0;
  return Math.max(50 * 10 ** Math.max(2, minorDigits(currency)), 5 * own);
};

/** How much the drawer lacks to pay it; null if it can, or if unknown. */
export const missingFor = (state: State, one: Withdrawal): string | null => {
  const { settings, drawerMoney } = state;
  const minor = parseAmount(one.amount, one.currency);
  if (drawerCover(state, one) !== "short" || drawerMoney.kind === "closed" || minor === null) return null;
  const missing = minor + promisedBeside(state, one) - drawer.expectedMinor(drawerMoney.day);
  const step = settings.drawerMoney.managerFor.includes("expected") ? missingStep(state, one.currency) : 1;
  return formatAmount(Math.ceil(missing / step) * step, one.currency);
};

/** The notes and coins to hand out, with alternatives; empty if this terminal does not count the drawer. */
export const cashOf = ({ settings, drawerMoney }: State, { amount, currency }: Withdrawal): Cash =>
  settings.drawerMoney.enabled ? drawer.cashFor(drawerMoney, amount, currency) : [];

const expectedOf = (day: drawer.Day, difference: number | null): ExpectedView => {
  const { inMinor, outMinor, handOuts, handedOutMinor } = day;
  return {
    inMinor,
    outMinor,
    handOuts,
    handedOutMinor,
    expectedMinor: drawer.expectedMinor(day),
    differenceMinor: difference,
  };
};

const countedOf = (money: Extract<drawer.DrawerMoney, { kind: "counted" }>) => ({
  counts: money.day.counts,
  countedMinor: totalOf(money.count),
  count: money.count,
  proposal: drawer.proposeTakeOut(money.count, money.day.floatMinor),
});

/** Without `seesExpected`, everything that would reveal the expected sum is null, before and after the count. */
export const dayViewOf = (state: State, seesExpected: boolean): DayView => {
  const { drawerMoney: money } = state;
  if (money.kind === "closed") {
    const currency = drawerCurrency(state);
    const leftMinor = currency === money.currency ? money.leftMinor : null;
    return {
      kind: "closed",
      next: drawer.dayNumber(money),
      leftMinor,
      handedOutMinor: money.outside.handedOutMinor,
      currency,
    };
  }
  const { day } = money;
  const difference = money.kind === "counted" ? drawer.differenceMinor(money) : null;
  return {
    kind: money.kind,
    number: day.number,
    currency: day.currency,
    openedAtMs: day.openedAtMs,
    openedBy: day.openedBy,
    floatMinor: day.floatMinor,
    mendable: drawer.isMendable(money) ? { pieces: day.pieces ?? [], otherMinor: day.otherMinor } : null,
    moves: day.moves,
    expected: seesExpected ? expectedOf(day, difference) : null,
    counted: money.kind === "counted" ? countedOf(money) : null,
    over: openCashOf(state).map(shownFacts),
  };
};

/** The day in the header; null if this terminal does not count the drawer. */
export const dayInHeader = ({ settings, drawerMoney, noSale }: State, wallMs: number): Header["day"] => {
  if (!settings.drawerMoney.enabled) return null;
  const openForMs = drawerMoney.kind === "closed" ? null : Math.max(0, wallMs - drawerMoney.day.openedAtMs);
  const currency = drawerMoney.kind === "closed" ? {} : { currency: drawerMoney.day.currency };
  return {
    kind: drawerMoney.kind,
    number: drawer.dayNumber(drawerMoney),
    openForMs,
    drawer: noSale.result,
    ...currency,
  };
};

/** A day's report for the printer. @param isReprint true: a manager's copy, which was or may have been printed before. */
export const dayReportTask = (
  state: State,
  report: DayReport,
  isReprint: boolean,
): Extract<PrintTask, { kind: "day_report" }> => ({
  kind: "day_report",
  report,
  shop: shopOf(state)?.name ?? state.device?.merchantId ?? "",
  terminal: terminalNameOf(state),
  training: state.training,
  isReprint,
  isBlind: report.isBlind && !isReprint,
});
