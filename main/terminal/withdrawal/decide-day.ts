/** What is said about the drawer's money: a day is opened, cash goes in and out, it is counted and closed. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { NoSale, Settings } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { cashMovesMax, countsAlone } from "../bounds.ts";
import { dayNumber, isMendable, nightOf } from "../day/drawer-money.ts";
import { differenceMinor, isInCount, reportOf } from "../day/report.ts";
import { drawerCurrency, openCashOf } from "./drawer-day.ts";
import type { Event } from "./events.ts";
import { type Actor, accept, approvalMissing, type DayInput, type Decision, refuse } from "./inputs.ts";
import { activeWithdrawal, type Moment, type State } from "./state.ts";

type Right = Settings["drawerMoney"]["managerFor"][number];
type DayOf<T extends DayInput["type"]> = Extract<DayInput, { type: T }>;

/** Where people are kept on this terminal, some of it needs a manager: signed in, or by PIN with the command. */
export const mayAct = ({ settings }: State, { guarded, approvedBy }: Actor, right: Right): boolean =>
  !guarded || !settings.drawerMoney.managerFor.includes(right) || approvedBy?.role === "manager";

/** A second person; whoever acts alone as a manager agrees with nobody. */
const agreedBy = ({ code, approvedBy }: Actor): string | null =>
  approvedBy === null || approvedBy.code === code ? null : approvedBy.code;

const isBeyond = ({ settings }: State, differenceMinor: number): boolean =>
  Math.abs(differenceMinor) > settings.drawerMoney.differenceMinor;

/** Decides about an input that concerns the drawer's day. */
export const decideDay = (state: State, input: DayInput, moment: Moment, actor: Actor): Decision => {
  if (!state.settings.drawerMoney.enabled) return refuse("invalid");
  const by = actor.code;
  const atMs = moment.wallMs;
  const { number } = input;
  const { drawerMoney } = state;
  if (input.type === "day_print_wanted") return accept({ type: "print_asked", task: input.task });
  // Made for a day that somebody else has opened or closed meanwhile.
  if (number !== dayNumber(drawerMoney)) return refuse("stale");
  switch (input.type) {
    case "open_day":
      return openDay(state, input, moment, actor);
    case "move_cash":
      return moveCash(state, input, moment, actor);
    case "no_sale":
      return noSale(state, input, moment, actor);
    case "count_day":
      if (drawerMoney.kind !== "open") return refuse("stale");
      if (totalOf(input.count) === 0 && !input.isEmpty) return refuse("count_empty");
      return accept({ type: "day_counted", number, count: input.count, by, atMs });
    case "recount_day":
      if (drawerMoney.kind !== "counted" || drawerMoney.day.counts !== input.counts) return refuse("stale");
      if (input.counts >= countsAlone && !mayAct(state, actor, "expected")) return refuse(approvalMissing(actor));
      return accept({ type: "day_recounted", number, by, atMs });
    case "close_day":
      return closeDay(state, input, moment, actor);
    default:
      return assertNever(input);
  }
};

const openDay = (state: State, input: DayOf<"open_day">, moment: Moment, actor: Actor): Decision => {
  const { number, currency, count, reason = "" } = input;
  if (state.drawerMoney.kind !== "closed" && !isMendable(state.drawerMoney)) return refuse("stale");
  if (currency !== (drawerCurrency(state) ?? currency)) return refuse("invalid");
  if (totalOf(count) === 0 && !input.isEmpty) return refuse("count_empty");
  const before = nightOf(state.drawerMoney, currency);
  const differenceMinor = before === null ? 0 : totalOf(count) - before.expectedMinor;
  const toExplain = isBeyond(state, differenceMinor);
  if (toExplain && reason === "") return refuse("reason_needed");
  const night = before && { leftMinor: before.leftMinor, differenceMinor, reason, toExplain };
  return accept({ type: "day_opened", number, currency, count, by: actor.code, atMs: moment.wallMs, night });
};

const moveCash = (state: State, input: DayOf<"move_cash">, moment: Moment, actor: Actor): Decision => {
  const { drawerMoney } = state;
  if (drawerMoney.kind === "closed") return refuse("stale");
  const { direction, amountMinor, count, reason, note, moveId, number } = input;
  const { moves } = drawerMoney.day;
  if (moves.some((move) => move.moveId === moveId)) return accept();
  if (!mayAct(state, actor, "cash_moves")) return refuse(approvalMissing(actor));
  if ((count !== null && totalOf(count) !== amountMinor) || moves.length >= cashMovesMax) return refuse("invalid");
  const people = { by: actor.code, approvedBy: agreedBy(actor) };
  const move = { moveId, direction, amountMinor, reason, note, ...people, atMs: moment.wallMs };
  const moved = { type: "cash_moved", number, move, count } as const;
  // Without the list of people the drawer opens for a payment alone.
  const opens = activeWithdrawal(state) === null && actor.isPeopleLost !== true;
  return opens ? accept(moved, opening(number, "cash_move", note, moment, actor)) : accept(moved);
};

/** Written before the drawer is ordered to open. */
const opening = (
  number: number,
  reason: NoSale["reason"],
  note: string,
  { wallMs: atMs }: Moment,
  actor: Actor,
): Event => ({
  type: "no_sale",
  number,
  noSale: { reason, note, by: actor.code, approvedBy: agreedBy(actor), atMs },
});

const noSale = (state: State, input: DayOf<"no_sale">, moment: Moment, actor: Actor): Decision => {
  const { number, reason, note } = input;
  if (activeWithdrawal(state) !== null || state.noSale.result === "opening") return refuse("busy");
  if (actor.isPeopleLost === true) return refuse("people_lost");
  if (reason !== "cash_count" && !mayAct(state, actor, "cash_moves")) return refuse(approvalMissing(actor));
  return accept(opening(number, reason, note, moment, actor));
};

const closeDay = (state: State, input: DayOf<"close_day">, moment: Moment, actor: Actor): Decision => {
  const { drawerMoney } = state;
  if (drawerMoney.kind !== "counted" || drawerMoney.day.counts !== input.counts) return refuse("stale");
  if (!mayAct(state, actor, "close")) return refuse(approvalMissing(actor));
  const open = openCashOf(state);
  const named = new Set(input.over);
  if (named.size !== open.length || open.some(({ withdrawalId }) => !named.has(withdrawalId))) return refuse("stale");
  if (!isInCount(input.takeOut, drawerMoney.count)) return refuse("invalid");
  // Whoever may not see the expected sum is told by nothing that a count differs: the question goes to a manager.
  const isBlind = !mayAct(state, actor, "expected") || agreedBy(actor) !== null;
  const offMinor = differenceMinor(drawerMoney);
  const differs = isBeyond(state, offMinor);
  const isTold = !isBlind || drawerMoney.day.shownCount === input.counts;
  if (differs && isTold && input.reason === "") return refuse("reason_needed");
  const over = open.map(({ transactionId, amount, currency }) => ({ transactionId, amount, currency }));
  const { takeOut, reason } = input;
  const people = { by: actor.code, approvedBy: agreedBy(actor) };
  const closing = { takeOut, reason, toExplain: differs && !isTold, isBlind, over, ...people, atMs: moment.wallMs };
  return accept({ type: "day_closed", report: reportOf(drawerMoney, closing) });
};
