/** A day at the terminal, step by step. */
import type { Actor } from "../../../main/terminal/withdrawal/inputs.ts";
import { type CashCount, type DayReport, type DayView, settingsSchema } from "../../../preload/contract.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

/** Settings in which the drawer is counted by days. */
export const on = { drawerMoney: settingsSchema.parse({ drawerMoney: { enabled: true } }).drawerMoney };
/** A terminal that counts its drawer by days. */
export const rig = (options: RigOptions = {}): Promise<Rig> =>
  createRig({ journal: new MemoryJournal(), ...options, settings: { ...on, ...options.settings } });

/** A count without pieces. */
export const sum = (otherMinor: number): CashCount => ({ pieces: [], otherMinor });
/** Nothing counted. */
export const none = sum(0);
/** The opening float: 300.00 in notes. */
export const float: CashCount = {
  pieces: [
    { valueMinor: 5_000, count: 4 },
    { valueMinor: 1_000, count: 10 },
  ],
  otherMinor: 0,
};
/** A manager who signed in. */
export const manager: Actor = { code: "M1", guarded: true, approvedBy: { code: "M1", role: "manager" } };
/** A cashier who signed in. */
export const cashier: Actor = { code: "C2", guarded: true, approvedBy: null };

/** Opens a day with a count. */
export const open = (till: Rig, count = float, number = 1, reason?: string) =>
  till.send({ type: "open_day", number, currency: "EUR", count, isEmpty: false, reason });
/** Counts the drawer. */
export const count = (till: Rig, counted: CashCount, number = 1) =>
  till.send({ type: "count_day", number, count: counted, isEmpty: false });
/** Closes the day, by its first count. */
export const close = (
  till: Rig,
  more: { takeOut?: CashCount; reason?: string; over?: string[]; counts?: number } = {},
  number = 1,
  by?: Actor,
) => till.terminal.dispatch({ type: "close_day", number, counts: 1, takeOut: none, reason: "", over: [], ...more }, by);
/** Cash in or out, with the reason `change`. */
export const move = (
  till: Rig,
  direction: "in" | "out",
  amountMinor: number,
  moveId: string,
  by?: Actor,
  count: CashCount | null = null,
) =>
  till.terminal.dispatch(
    { type: "move_cash", number: 1, direction, amountMinor, count, reason: "change", note: "", moveId },
    by,
  );
/** The day as the screens get it. Throws when it is refused. */
export const view = async (till: Rig, by?: Actor): Promise<DayView> => {
  const reply = await till.terminal.dispatch({ type: "get_day", reveal: false }, by);
  if (!reply.ok) throw new Error(reply.code);
  return reply.data as DayView;
};
/** The expected sum in minor units; undefined while no day is open. */
export const expected = async (till: Rig): Promise<number | undefined> => {
  const day = await view(till);
  return day.kind === "closed" ? undefined : day.expected?.expectedMinor;
};
/** The closed days, newest first. Throws when they are refused. */
export const reports = async (till: Rig): Promise<readonly DayReport[]> => {
  const reply = await till.terminal.dispatch({ type: "list_days" });
  if (!reply.ok) throw new Error(reply.code);
  return reply.data as readonly DayReport[];
};

/** Leads a fresh withdrawal to the screen that offers the cash. */
export const payable = async (till: Rig, number: number) => {
  await till.clock.advance(3_000);
  await leadToPayable(till, idNumber(number));
};
/** A whole withdrawal with its hand-out. */
export const serve = async (till: Rig, number: number): Promise<void> => {
  await payable(till, number);
  await handOver(till);
};
/** The next start of the terminal, from its journal. */
export const restart = (till: Rig, journal: MemoryJournal, settings = on): Promise<Rig> =>
  createRig({ journal, clock: till.clock, service: till.service, settings, idsFrom: 900 });
