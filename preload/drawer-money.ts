/** The drawer's money: how a day is opened, counted and closed over the bridge. Sums are whole minor units of the day's currency. */
import { z } from "zod";
import { isCurrency } from "../backend/contract/money.ts";
import { cashBounds, cashReasons, noSaleReasons } from "./choices.ts";
import { command } from "./command.ts";
import { totalOf } from "./notes-and-coins.ts";
import { approvalSchema } from "./people.ts";

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);
const amountMinor = within(cashBounds.amountMinor);
const facesMax = 40;

/** Cash as it was counted, and as it is kept: by notes and coins, and what was counted as a sum. */
export const countSchema = z.object({
  pieces: z.array(z.object({ valueMinor: z.int(), count: z.int() })).readonly(),
  /** Rolls, cheques, foreign coins: what was not counted by pieces. */
  otherMinor: z.int(),
});
/** See `countSchema`. */
export type CashCount = Readonly<z.infer<typeof countSchema>>;

/** Notes and coins as the screens may send them: each one once. */
export const piecesSchema = z
  .array(z.object({ valueMinor: amountMinor.min(1), count: within(cashBounds.pieces) }))
  .max(facesMax)
  .refine((pieces) => new Set(pieces.map(({ valueMinor }) => valueMinor)).size === pieces.length)
  .readonly();

/** A count as the screens may send it: its sum stays exact. */
const counted = z
  .object({
    pieces: piecesSchema,
    otherMinor: amountMinor,
  })
  .refine((count) => totalOf(count) <= cashBounds.totalMinor.max);

/** The day's number. A command for another day is refused as `stale`: somebody else opened or closed it meanwhile. */
const day = z.int().min(1);
/** How many counts there were when the command was made; `stale` if somebody else has counted again since. */
const counts = z.int().min(1);
const approval = approvalSchema.optional();
const note = z.string().trim().max(cashBounds.noteLength.max);

/** What the screens may send about the day. Refused as `no_day`, `count_empty`, `reason_needed`, `stale` or `invalid`. */
export const drawerMoneyCommands = [
  /** Opens the day `number` (the one after the last) with the counted float; sent again, it corrects the float while nothing has moved. `isEmpty` confirms that the drawer is empty. */
  command("open_day", "counter", "day", {
    number: day,
    currency: z.string().refine(isCurrency),
    count: counted,
    isEmpty: z.boolean().default(false),
    /** Why it differs from what the last report left; needed beyond the shop's tolerance (`reason_needed`). */
    reason: note.optional(),
  }),
  /** Cash in or out with a reason; `count`, where it was counted by pieces, must come to the amount. */
  command("move_cash", "serve", "day", {
    number: day,
    direction: z.enum(["in", "out"]),
    amountMinor: amountMinor.min(1),
    count: counted.nullable(),
    reason: z.enum(cashReasons),
    note,
    /** Idempotency key, chosen by the screen for one press. */
    moveId: z.string().min(1).max(40),
    approval,
  }),
  /** Opens the drawer without a withdrawal, and notes why; `busy` while a withdrawal is in front. Whoever may count may open it for a count; otherwise the rights for cash in and out apply. */
  command("no_sale", "serve", "day", {
    number: day,
    reason: z.enum(noSaleReasons).exclude(["cash_move"]),
    note: note.default(""),
    approval,
  }),
  /** The blind count: the expected sum shows only once the count is in the journal. */
  command("count_day", "counter", "day", { number: day, count: counted, isEmpty: z.boolean().default(false) }),
  /** Counts once more; every count stays in the journal and in the report. `counts` names the count that was on the screen. After a few of them `approval_needed`. */
  command("recount_day", "counter", "day", { number: day, counts, approval }),
  /** Ends the day with the count that was on the screen. `over` lists the open withdrawals that the screen named; `stale` if there are others by now. */
  command("close_day", "counter", "day", {
    number: day,
    counts,
    takeOut: counted,
    /** Why the count differs, or a remark. Needed (`reason_needed`) beyond the shop's tolerance, but only of people who may see the difference, or once a manager had it shown. */
    reason: note,
    over: z.array(z.string().max(64)).max(1_000),
    approval,
  }),
  /** The day, as far as the person may see it; `reveal` asks for the expected sum too (`approval_needed` without the right). Reply data: DayView. */
  command("get_day", "counter", "terminal", { reveal: z.boolean().default(false), approval }),
  /** Manager: the closed days, newest first, of years of them those before the day `before`. Reply data: DayReport[]. */
  command("list_days", "manager", "history", { before: day.optional() }),
  /**
   * A closed day's report as its paper has it, for reading. Whoever may not see the expected sum gets the last one alone, without
   * that sum; others are refused as `manager_needed`. Reply data: PaperLine[].
   */
  command("read_day", "counter", "history", { number: day }),
  /** Manager: prints a closed day's report once more, marked as a copy. */
  command("print_day", "manager", "history", { number: day }),
] as const;

/** The second person who agreed by PIN; journals of earlier versions name none. */
const approvedBy = z.string().nullable().default(null);

/** One time cash went in or out. */
export const cashMoveSchema = z.object({
  moveId: z.string(),
  direction: z.enum(["in", "out"]),
  amountMinor: z.int(),
  reason: z.enum(cashReasons),
  note: z.string(),
  by: z.string(),
  approvedBy,
  atMs: z.number(),
});
/** See `cashMoveSchema`. */
export type CashMove = Readonly<z.infer<typeof cashMoveSchema>>;

/** One time the drawer was opened without a withdrawal. */
export const noSaleSchema = z.object({
  reason: z.enum(noSaleReasons),
  note: z.string(),
  by: z.string(),
  approvedBy,
  atMs: z.number(),
});
/** See `noSaleSchema`. */
export type NoSale = Readonly<z.infer<typeof noSaleSchema>>;

/** A problem with the drawer itself for a manager, as checkpoints keep it. */
export const drawerProblemSchema = z.object({
  /** Refers to the problem when it is acknowledged. */
  id: z.string(),
  /** The opening count differs from what was left, the closing count from what was expected, or the drawer opened without a command. */
  about: z.enum(["night_differs", "count_differs", "drawer_opened", "no_sale"]),
  sinceWallMs: z.number(),
  /** Null for an opening. */
  day: z.int().nullable(),
  differenceMinor: z.int(),
  currency: z.string().nullable(),
  /** Code of the person who counted or was signed in; null for nobody. */
  who: z.string().nullable(),
  /** Why the drawer was opened without a withdrawal. */
  noSale: z.object({ reason: z.enum(noSaleReasons), note: z.string() }).optional(),
});
/** See `drawerProblemSchema`. */
export type KeptDrawerProblem = Readonly<z.infer<typeof drawerProblemSchema>>;

/** One opening of the drawer to try it; `place` only where it was not the drawer of the settings. */
export const drawerTestSchema = z.object({ by: z.string(), atMs: z.number(), place: z.string() });
/** See `drawerTestSchema`. */
export type DrawerTested = Readonly<z.infer<typeof drawerTestSchema>>;

/** What was handed out in one currency other than the drawer's. */
export const otherCurrencySchema = z.object({ currency: z.string(), handOuts: z.int(), handedOutMinor: z.int() });
/** See `otherCurrencySchema`. */
export type OtherCurrency = Readonly<z.infer<typeof otherCurrencySchema>>;

/** The night before a day: what lay in the drawer at its opening against what the last report left there. */
export const nightSchema = z.object({
  /** According to the last report. */
  leftMinor: z.int(),
  /** The float, less what was left and not handed out since. */
  differenceMinor: z.int(),
  reason: z.string(),
  /** Beyond the shop's tolerance: a manager clears it up. */
  toExplain: z.boolean(),
});

/** One count of the float or at the end of a day, also one that another count replaced. */
const oneCountSchema = z.object({ countedMinor: z.int(), by: z.string(), atMs: z.number() });
/** See `oneCountSchema`. */
export type OneCount = Readonly<z.infer<typeof oneCountSchema>>;

/** Who was shown what the drawer should hold, after how many counts. */
const shownSchema = z.object({ by: z.string(), atMs: z.number(), counts: z.int() });

/** What a day's report takes over from the open day. */
export const dayShape = {
  number: z.int(),
  currency: z.string(),
  /** Milliseconds since the epoch, by the terminal's clock. */
  openedAtMs: z.number(),
  openedBy: z.string(),
  floatMinor: z.int(),
  /** Null for the first day, after a change of currency, and in journals of earlier versions. */
  night: nightSchema.nullable().default(null),
  inMinor: z.int(),
  outMinor: z.int(),
  handOuts: z.int(),
  handedOutMinor: z.int(),
  /** Hand-outs in another currency than the drawer's, since the last report; in no sum. */
  otherCurrency: z.int(),
  /** Their sums; reports of earlier versions have none. */
  otherCurrencies: z.array(otherCurrencySchema).readonly().default([]),
  /** Handed out before this day, while none was open: part of the counted float, in no sum. */
  before: z.object({ handOuts: z.int(), handedOutMinor: z.int() }).readonly(),
  moves: z.array(cashMoveSchema).readonly(),
  /** Since the last report; reports of earlier versions have none. */
  drawerTests: z.array(drawerTestSchema).readonly().default([]),
  /** How often it was counted. */
  counts: z.int(),
  /** Every count in its order; journals of earlier versions have none. */
  everyCount: z.array(oneCountSchema).readonly().default([]),
  /** The float as it was counted, and each count that mended it. */
  everyFloat: z.array(oneCountSchema).readonly().default([]),
  /** A count after that was no blind one. */
  shownTo: z.array(shownSchema).readonly().default([]),
};

/** What a closed day comes to: written once, and printed and exported as it is. */
export const dayReportSchema = z.object({
  ...dayShape,
  /** Also before the opening; reports of earlier versions have none. */
  noSales: z.array(noSaleSchema).readonly().optional(),
  closedAtMs: z.number(),
  closedBy: z.string(),
  approvedBy,
  /** Float, plus in, minus out, minus hand-outs. */
  expectedMinor: z.int(),
  count: countSchema,
  countedMinor: z.int(),
  /** Counted minus expected. */
  differenceMinor: z.int(),
  firstCountMinor: z.int(),
  reason: z.string(),
  /** Beyond the shop's tolerance, and closed by somebody who may not see the difference, which no manager had shown either: a manager clears it up. */
  toExplain: z.boolean().default(false),
  /** Closed by somebody who may not see the expected sum: the paper of the close leaves it out, a manager's copy has it. */
  isBlind: z.boolean().default(false),
  takeOut: countSchema,
  takenOutMinor: z.int(),
  /** Counted minus taken out: what the next day should begin with. */
  leftMinor: z.int(),
  /** What a manager noted about the night's difference or the count's; each is its own journal entry. */
  clearedUp: z
    .array(z.object({ about: z.enum(["night", "count"]), by: z.string(), note: z.string(), atMs: z.number() }))
    .readonly()
    .default([]),
  /** Open when the day was closed; each ends in a later day. */
  over: z.array(z.object({ transactionId: z.string(), amount: z.string(), currency: z.string() })).readonly(),
});
/** See `dayReportSchema`. */
export type DayReport = Readonly<z.infer<typeof dayReportSchema>>;
