/** The drawer's day beside what is open: cash that may still leave it, what it covers, and the day as the screens show it. */
import { formatAmount, minorDigits, parseAmount } from "../../../backend/contract/money.ts";
import type { Amount, Cash, DayReport, DayView, ExpectedView, Header } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import * as drawer from "../day/drawer-money.ts";
import type { PrintTask } from "../printing/queue.ts";
import { type State, shopOf, terminalNameOf } from "./state.ts";
import { isIn, type Withdrawal } from "./withdrawal.ts";

const mayStillPay = ({ stage, confirmAttempted }: Withdrawal): boolean =>
  stage.kind === "rejecting" ? confirmAttempted : isIn(stage, "payment", "payable", "hand_out");

/** Those that are paid, or may still become so, and whose cash was not counted out yet. */
export const openCashOf = (state: State): readonly Withdrawal[] => [...state.open.values()].filter(mayStillPay);

/** Of what the shop's drawer holds: as the service says, else as on the day before; null where neither says it. */
export const drawerCurrency = (state: State): string | null => {
  const { drawerMoney } = state;
  const before = drawerMoney.kind === "closed" ? drawerMoney.currency : drawerMoney.day.currency;
  return shopOf(state)?.limits?.currency ?? before;
};

/** What else is to leave the drawer, in minor units of the withdrawal's currency. */
const promisedBeside = (state: State, one: Amount): number =>
  openCashOf(state)
    .filter((other) => other !== one && other.currency === one.currency)
    .reduce((sum, { amount, currency }) => sum + (parseAmount(amount, currency) ?? 0), 0);

/** As `canPay`; `no_day` where the drawer's day must be opened first, `ok` where the shop counts elsewhere. */
export const drawerCover = (state: State, one: Amount): "ok" | "short" | "no_notes" | "no_day" => {
  const { settings, drawerMoney } = state;
  if (!settings.drawerMoney.enabled) return "ok";
  if (drawerMoney.kind === "closed") return "no_day";
  return drawer.canPay(drawerMoney, one.amount, one.currency, promisedBeside(state, one));
};

/** Steps in which what is missing is said where the sum is a manager's: 50 with cents, or five of the shop's own. */
const missingStep = (state: State, currency: string): number => {
  const limits = shopOf(state)?.limits;
  const own = limits?.currency === currency ? (parseAmount(limits.step, currency) ?? 0) : 0;
  return Math.max(50 * 10 ** Math.max(2, minorDigits(currency)), 5 * own);
};

/** With how much more the drawer can pay it; null where it can, or where that is not known. */
export const missingFor = (state: State, one: Withdrawal): string | null => {
  const { settings, drawerMoney } = state;
  const minor = parseAmount(one.amount, one.currency);
  if (drawerCover(state, one) !== "short" || drawerMoney.kind === "closed" || minor === null) return null;
  const missing = minor + promisedBeside(state, one) - drawer.expectedMinor(drawerMoney.day);
  const step = settings.drawerMoney.managerFor.includes("expected") ? missingStep(state, one.currency) : 1;
  return formatAmount(Math.ceil(missing / step) * step, one.currency);
};

/** The notes and coins to hand out for it, by what the drawer holds, and other ways to make it; none where the shop does not count here. */
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

/** Without `seesExpected`, all that would give the expected sum away is null, before the count and after it. */
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
    over: openCashOf(state).map(({ withdrawalId, transactionId, amount }) => ({ withdrawalId, transactionId, amount })),
  };
};

/** What the top line says of the day; null where the shop counts elsewhere. */
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

/** The printed form of a day's report. @param isReprint a manager's copy: it was printed before, or perhaps. */
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
