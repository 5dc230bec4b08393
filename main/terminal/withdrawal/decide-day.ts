/** Decisions about the drawer's money: opening a day, cash movements, counting and closing. */
import type { NoSale, Settings } from "../../../preload/contract.ts";
import { totalOf } from "../../../preload/notes-and-coins.ts";
import { cashMovesMax, countsAlone } from "../bounds.ts";
import { dayNumber, differenceMinor, isInCount, isMendable, nightOf, reportOf } from "../day/drawer-money.ts";
import { drawerCurrency, openCashOf } from "./drawer-day.ts";
import type { Event } from "./events.ts";
import {
  type Actor,
  accept,
  approvalMissing,
  type DayInput,
  type Decision,
  type Decisions,
  type Input,
  refuse,
  type Turn,
} from "./inputs.ts";
import { activeWithdrawal, type State } from "./state.ts";

type Right = Settings["drawerMoney"]["managerFor"][number];
type DayOf<T extends DayInput["type"]> = Extract<DayInput, { type: T }>;

/** If people sign in on this terminal, some actions need a manager: signed in, or by PIN with the command. */
export const mayAct = ({ settings }: State, { guarded, approvedBy }: Actor, right: Right): boolean =>
  !guarded || !settings.drawerMoney.managerFor.includes(right) || approvedBy?.role === "manager";

/** A second person who approved; null if a manager acts alone. */
const agreedBy = ({ code, approvedBy }: Actor): string | null =>
  approvedBy === null || approvedBy.code === code ? null : approvedBy.code;

const isBeyond = ({ settings }: State, differenceMinor: number): boolean =>
  Math.abs(differenceMinor) > settings.drawerMoney.differenceMinor;

/** For the open day or the next one: `stale` if somebody else has opened or closed it meanwhile. */
const ofDay =
  <T extends DayInput["type"]>(decide: (turn: Turn, input: DayOf<T>) => Decision) =>
  (turn: Turn, input: DayOf<T>): Decision => {
    const { settings, drawerMoney } = turn.state;
    if (!settings.drawerMoney.enabled) return refuse("invalid");
    return input.number === dayNumber(drawerMoney) ? decide(turn, input) : refuse("stale");
  };

const openDay = ({ state, moment, actor }: Turn, input: DayOf<"open_day">): Decision => {
  const { number, currency, count, reason = "" } = input;
  const { drawerMoney } = state;
  if (drawerMoney.kind !== "closed" && !isMendable(drawerMoney)) return refuse("stale");
  if (drawerMoney.kind !== "closed" && drawerMoney.day.everyFloat.length >= cashMovesMax) return refuse("invalid");
  // A day keeps its currency, whatever the shop has got meanwhile.
  const own = drawerMoney.kind === "closed" ? drawerCurrency(state) : drawerMoney.day.currency;
  if (currency !== (own ?? currency)) return refuse("invalid");
  if (totalOf(count) === 0 && !input.isEmpty) return refuse("count_empty");
  const before = nightOf(drawerMoney, currency);
  const differenceMinor = before === null ? 0 : totalOf(count) - before.expectedMinor;
  const toExplain = isBeyond(state, differenceMinor);
  if (toExplain && reason === "") return refuse("reason_needed");
  const night = before && { leftMinor: before.leftMinor, differenceMinor, reason, toExplain };
  return accept({ type: "day_opened", number, currency, count, by: actor.code, atMs: moment.wallMs, night });
};

const moveCash = (turn: Turn, input: DayOf<"move_cash">): Decision => {
  const { state, moment, actor } = turn;
  const { drawerMoney } = state;
  if (drawerMoney.kind === "closed") return refuse("stale");
  const { direction, amountMinor, count, reason, note, moveId, number } = input;
  const { moves } = drawerMoney.day;
  const booked = moves.find((move) => move.moveId === moveId);
  if (booked !== undefined) {
    const isSame =
      booked.direction === direction &&
      booked.amountMinor === amountMinor &&
      booked.reason === reason &&
      booked.note === note;
    return isSame ? accept() : refuse("stale");
  }
  if (!mayAct(state, actor, "cash_moves")) return refuse(approvalMissing(actor));
  if ((count !== null && totalOf(count) !== amountMinor) || moves.length >= cashMovesMax) return refuse("invalid");
  const people = { by: actor.code, approvedBy: agreedBy(actor) };
  const move = { moveId, direction, amountMinor, reason, note, ...people, atMs: moment.wallMs };
  const moved = { type: "cash_moved", number, move, count } as const;
  // Without the list of people the drawer opens only for withdrawals.
  const opens = activeWithdrawal(state) === null && actor.isPeopleLost !== true;
  return opens ? accept(moved, opening(turn, number, "cash_move", note)) : accept(moved);
};

/** Written before the drawer is commanded to open. */
const opening = ({ moment, actor }: Turn, number: number, reason: NoSale["reason"], note: string): Event => ({
  type: "no_sale",
  number,
  noSale: { reason, note, by: actor.code, approvedBy: agreedBy(actor), atMs: moment.wallMs },
});

const noSale = (turn: Turn, { number, reason, note }: DayOf<"no_sale">): Decision => {
  const { state, actor } = turn;
  if (activeWithdrawal(state) !== null || state.noSale.result === "opening") return refuse("busy");
  if (actor.isPeopleLost === true) return refuse("people_lost");
  if (reason !== "cash_count" && !mayAct(state, actor, "cash_moves")) return refuse(approvalMissing(actor));
  return accept(opening(turn, number, reason, note));
};

const countDay = ({ state, moment, actor }: Turn, { number, count, isEmpty }: DayOf<"count_day">): Decision => {
  if (state.drawerMoney.kind !== "open") return refuse("stale");
  if (totalOf(count) === 0 && !isEmpty) return refuse("count_empty");
  return accept({ type: "day_counted", number, count, by: actor.code, atMs: moment.wallMs });
};

const recountDay = ({ state, moment, actor }: Turn, { number, counts }: DayOf<"recount_day">): Decision => {
  const { drawerMoney } = state;
  if (drawerMoney.kind !== "counted" || drawerMoney.day.counts !== counts) return refuse("stale");
  if (counts >= countsAlone && !mayAct(state, actor, "expected")) return refuse(approvalMissing(actor));
  return accept({ type: "day_recounted", number, by: actor.code, atMs: moment.wallMs });
};

const closeDay = ({ state, moment, actor }: Turn, input: DayOf<"close_day">): Decision => {
  const { drawerMoney } = state;
  if (drawerMoney.kind !== "counted" || drawerMoney.day.counts !== input.counts) return refuse("stale");
  if (!mayAct(state, actor, "close")) return refuse(approvalMissing(actor));
  const open = openCashOf(state);
  const named = new Set(input.over);
  if (named.size !== open.length || open.some(({ withdrawalId }) => !named.has(withdrawalId))) return refuse("stale");
  if (!isInCount(input.takeOut, drawerMoney.count)) return refuse("invalid");
  // Whoever may not see the expected sum must not learn that a count differs: a manager is asked for the reason.
  const isBlind = !mayAct(state, actor, "expected") || agreedBy(actor) !== null;
  const offMinor = differenceMinor(drawerMoney);
  const differs = isBeyond(state, offMinor);
  const knowsDifference = !isBlind || drawerMoney.day.shownTo.some(({ counts }) => counts === input.counts);
  if (differs && knowsDifference && input.reason === "") return refuse("reason_needed");
  const over = open.map(({ transactionId, amount, currency }) => ({ transactionId, amount, currency }));
  const { takeOut, reason } = input;
  const people = { by: actor.code, approvedBy: agreedBy(actor) };
  const toExplain = differs && !knowsDifference;
  const closing = { takeOut, reason, toExplain, isBlind, over, ...people, atMs: moment.wallMs };
  return accept({ type: "day_closed", report: reportOf(drawerMoney, closing) });
};

/** Decisions about the drawer's day. */
export const dayDecisions = {
  open_day: ofDay(openDay),
  move_cash: ofDay(moveCash),
  no_sale: ofDay(noSale),
  count_day: ofDay(countDay),
  recount_day: ofDay(recountDay),
  close_day: ofDay(closeDay),
  day_print_wanted: ({ state }, { task }) =>
    state.settings.drawerMoney.enabled ? accept({ type: "print_asked", task }) : refuse("invalid"),
} satisfies Partial<Decisions<Input>>;
