/** The drawer's day as the screens get it, by what whoever asks may see. Sums are whole minor units of the day's currency. */
import type { CashCount, CashMove } from "./drawer-money.ts";
import type { Amount } from "./screens.ts";

/** Only for people who may see the expected sum. */
export interface ExpectedView {
  readonly inMinor: number;
  readonly outMinor: number;
  readonly handOuts: number;
  readonly handedOutMinor: number;
  readonly expectedMinor: number;
  /** Only after the count. */
  readonly differenceMinor: number | null;
}

/** The drawer's day as it stands. */
export type DayView =
  | {
      readonly kind: "closed";
      /** The number of the next day. */
      readonly next: number;
      /** What the last report left in the drawer; null before the first. */
      readonly leftMinor: number | null;
      /** Handed out since then, while no day was open. */
      readonly handedOutMinor: number;
      /** Null when neither the service nor a day before says it. */
      readonly currency: string | null;
    }
  | {
      readonly kind: "open" | "counted";
      readonly number: number;
      readonly currency: string;
      readonly openedAtMs: number;
      readonly openedBy: string;
      readonly floatMinor: number;
      /** The counted float, as long as another count can correct it: nothing was paid or moved yet. */
      readonly mendable: CashCount | null;
      readonly moves: readonly CashMove[];
      /** Null for whoever may not see it. */
      readonly expected: ExpectedView | null;
      /** After the count; does not tell whether it differs. */
      readonly counted: {
        /** Which count of the day this is. */
        readonly counts: number;
        readonly countedMinor: number;
        /** What was typed, for whoever counts again. */
        readonly count: CashCount;
        /** What to take out so that the float stays, by pieces where they were counted. */
        readonly proposal: CashCount;
      } | null;
      readonly over: readonly {
        readonly withdrawalId: string;
        readonly transactionId: string;
        /** In a currency of its own: the shop may have another one by now. */
        readonly money: Amount;
      }[];
    };
