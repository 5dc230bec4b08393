/** What is really in a till's drawer, and whether the till's reports say the same: promise 8. */
import { parseAmount } from "../../backend/contract/money.ts";
import { type DurableEvent, parseBody } from "../../main/terminal/withdrawal/events.ts";

/** One till's drawer. */
export interface DrawerBook {
  /** Cash in the drawer, in minor units. */
  readonly cashMinor: number;
  /** Cash went over the counter. */
  cashLeft(amountMinor: number): void;
  /** Lines that the till's journal took. */
  take(bodies: readonly string[]): void;
}

const startMinor = 800_000;

interface Day {
  readonly floatMinor: number;
  inMinor: number;
  outMinor: number;
  /** As the journal has it. */
  notedMinor: number;
  /** As it went over the counter. */
  givenMinor: number;
  givenAtCountMinor: number;
  countedMinor: number | null;
}

/** @param broken is told what a report says wrongly. */
export const createDrawerBook = (till: number, broken: (text: string) => void): DrawerBook => {
  let cashMinor = startMinor;
  let day: Day | null = null;
  /** Between two days: what was noted less what went over the counter. */
  let nightMinor = 0;
  let wasClosed = false;
  const noted = new Set<string>();

  const expect = (what: string, is: number, should: number): void => {
    if (is !== should) broken(`till ${till} reports ${what} as ${is}, it is ${should}`);
  };

  const takeOne = (event: DurableEvent): void => {
    switch (event.type) {
      case "day_opened":
        // A word about an earlier day's cash, or cash without its word yet, is all that a night can differ by.
        if (event.night) expect("the night's difference", event.night.differenceMinor, nightMinor);
        else if (wasClosed) broken(`till ${till} opens a day without a word of the night`);
        day = {
          floatMinor: cashMinor,
          inMinor: 0,
          outMinor: 0,
          notedMinor: 0,
          givenMinor: 0,
          givenAtCountMinor: 0,
          countedMinor: null,
        };
        return;
      case "cash_moved": {
        const { direction, amountMinor } = event.move;
        // The money moves when the till has taken it down.
        cashMinor += direction === "in" ? amountMinor : -amountMinor;
        if (day !== null) day[direction === "in" ? "inMinor" : "outMinor"] += amountMinor;
        return;
      }
      case "handed_out":
      case "decided":
        if (event.type === "decided" && event.decision !== "handed_out") return;
        if (noted.has(event.withdrawal.transactionId)) return;
        noted.add(event.withdrawal.transactionId);
        if (day !== null) day.notedMinor += parseAmount(event.withdrawal.amount, event.withdrawal.currency) ?? 0;
        else nightMinor += parseAmount(event.withdrawal.amount, event.withdrawal.currency) ?? 0;
        return;
      case "day_counted":
        if (day === null) return;
        day.countedMinor = cashMinor;
        day.givenAtCountMinor = day.givenMinor;
        return;
      case "day_closed": {
        if (day === null) return;
        const { report } = event;
        const expectedMinor = day.floatMinor + day.inMinor - day.outMinor - day.notedMinor;
        expect("the float", report.floatMinor, day.floatMinor);
        expect("cash in", report.inMinor, day.inMinor);
        expect("cash out", report.outMinor, day.outMinor);
        expect("the hand-outs", report.handedOutMinor, day.notedMinor);
        expect("what was expected", report.expectedMinor, expectedMinor);
        expect("the count", report.countedMinor, day.countedMinor ?? 0);
        // What is given and not yet noted, or noted of an earlier day's cash, is all that a count can differ by.
        expect("the difference", report.differenceMinor, day.notedMinor - day.givenAtCountMinor);
        cashMinor -= report.takenOutMinor;
        // What was given after the count is missing in the morning.
        nightMinor = day.givenAtCountMinor - day.givenMinor;
        wasClosed = true;
        day = null;
        return;
      }
      default:
    }
  };

  return {
    get cashMinor() {
      return cashMinor;
    },
    cashLeft(amountMinor) {
      cashMinor -= amountMinor;
      if (day !== null) day.givenMinor += amountMinor;
      else nightMinor -= amountMinor;
    },
    take(bodies) {
      for (const body of bodies) takeOne(parseBody(body) as DurableEvent);
    },
  };
};
