/**
 * What happened. Durable events are journal entries, synced before anything follows from them, and parsed when they are read back: a
 * journal is input too. The others live as long as this run.
 */
import { z } from "zod";
import {
  countSchema,
  decisions,
  outcomes,
  protectedSettingsSchema,
  type Settings,
  type ShopProfile,
} from "../../../preload/contract.ts";
import { beforeDays, dayEventSchemas, drawerMoneySchema, drawerProblemSchema } from "../day/drawer-money.ts";
import type { Device, DrawerState, JournalEntry } from "../ports.ts";
import { receiptCopies, receiptSchema } from "../printing/paper.ts";
import type { PrintEvent, PrintTask } from "../printing/queue.ts";
import type { ServiceRestore } from "../service/answer.ts";
import { reports } from "../service/client.ts";
import { bookSchema } from "./book.ts";
import {
  type ActiveScreen,
  type DrawerResult,
  journalForkSchema,
  type Moment,
  messageSchema,
  problemSchema,
  type Reported,
  type ServiceHead,
  type State,
  type Surroundings,
  type Tagged,
} from "./state.ts";
import {
  type Facts,
  factsSchema,
  freshRequestState,
  newWithdrawal,
  type RequestState,
  rejectWhys,
  stageSchema,
  type Withdrawal,
} from "./withdrawal.ts";

type Nothing = Record<never, never>;
interface OfOne {
  withdrawalId: string;
}

/** What this run learns and forgets at its end. Times are monotonic. */
interface Transient {
  scan_seen: { transactionId: string };
  toast_shown: { code: NonNullable<State["toast"]>["code"] };
  look_up_begun: { transactionId: string };
  look_up_postponed: { notBeforeMs: number };
  review_opened: { facts: Facts; createdAtMs: number | null; expiresAtMs: number | null };
  ended_shown: Omit<Extract<ActiveScreen, { kind: "ended" }>, "kind" | "message">;
  screen_cleared: Nothing;
  withdrawal_shown: OfOne;

  phase_seen: OfOne & { phase: "approval" | "payment" };
  /** The truth overtook a reject: back to confirming or waiting. */
  reject_overtaken: OfOne & { to: "confirming" | "payment" };
  approval_deadline_known: OfOne & { untilMs: number; totalMs: number };
  drawer_sensed: OfOne & { drawer: DrawerState };
  /** The cashier pressed for the cash, and the service is asked before it leaves the drawer. */
  hand_out_asked: OfOne & { by: string; approvedBy: string | null };
  /** The service contradicts that it is paid: it is not offered before it says so again. */
  recheck_needed: OfOne;
  /** The next call about it need not wait any longer. */
  retry_requested: OfOne;
  request_state_changed: OfOne & { requestState: Partial<RequestState> };

  started: { damagedEntries: number };
  /** The machine slept: what is on the screen may be old. */
  resumed: Nothing;
  service_responded: { dateMs: number | null };
  service_silent: Nothing;
  /** One answer was lost, of a service that answered others: a probe finds out whether it is there. */
  service_doubted: Nothing;
  /** `fraction` of the spread of the pause before the next one, in [0, 1). */
  probed: { fraction: number };
  credential_checked: { verdict: "good" | "refused" | "unsafe" };
  /** Null: the service was asked and said nothing about the shop. */
  shop_read: { profile: ShopProfile | null; restore: ServiceRestore | null };
  /** These are reported again after the service's restore of that time. */
  repeats_begun: { restoredAt: string; left: readonly Reported[] };
  /** The first of them was answered for good. */
  repeat_ended: Nothing;
  repeat_postponed: { notBeforeMs: number };
  enrolled: { device: Device };
  settings_changed: { settings: Settings };
  surroundings_changed: { changed: Partial<Surroundings> };
  journal_health_changed: { isWritable: boolean };
  journal_check_moved: { progress: State["journalCheck"] };
  blocked: { blocked: State["blocked"] };
  /** The newest link that the service holds; `compared` when it holds none. */
  service_head_read: { head: ServiceHead };
  /** What the service said to a report of the journal's head. */
  head_answered: { outcome: "taken" | "unsupported" | "forked" };
  /** It said nothing that counts: asked again at this time (monotonic). */
  head_failed: { notBeforeMs: number };
  duplicate_device_found: Nothing;
  duplicate_device_checked: Nothing;

  /** A closed day's report, once more: the journal has what it says. */
  print_asked: { task: PrintTask };
  /** What the drawer said to an order without a withdrawal. */
  no_sale_ended: { number: number; result: DrawerResult };
}

/** An event that is forgotten at the end of this run. */
export type TransientEvent = Tagged<"type", Transient> | PrintEvent;

const ofWithdrawal = { withdrawal: factsSchema };
/** The second person who agreed; journals of earlier versions name none. */
const personCode = z.string().nullable().optional();
const report = z.enum(reports);
/** This hand-out's own name: another program on a copy of the folder makes another. Entries of earlier versions have none. */
const handOutId = { handOutId: z.string().optional() };
/** It had been unclear, or nobody was looking: the cashier is told until somebody has read it. */
const unwatched = { unwatched: z.boolean().optional() };

/** 1 said neither whose journal it was nor what was unresolved; only one with a drawer's day in it is a 3. */
const checkpointFormat = 3;

/** All that the entries before it come to, so that a start need not read them. A field with a default is in none of an earlier version. */
const checkpointSchema = z.object({
  type: z.literal("checkpoint"),
  /** A newer one is not read; then everything before it is. */
  format: z.int().max(checkpointFormat).default(1),
  damagedEntries: z.int(),
  installation: z.object({ tag: z.string(), sinceWallMs: z.number() }).nullable(),
  open: z.array(
    z.object({
      facts: factsSchema,
      stage: stageSchema,
      intended: z.boolean(),
      confirmed: z.boolean(),
      handOutBegun: z.boolean(),
      rejectedHere: z.boolean().default(false),
      doubtful: z.boolean().default(false),
      decided: z.boolean().default(false),
      afterRestore: z.string().nullable().default(null),
      drawerTries: z.int().default(0),
      saidBy: z.string().nullable().default(null),
      handOutId: z.string().nullable().default(null),
      ageMs: z.number(),
      /** How long the service had been owed a report about it. */
      owedForMs: z.number().nullable().default(null),
    }),
  ),
  ownIds: z.array(z.string()).default([]),
  cashGiven: z.array(z.string()),
  book: bookSchema.nullable().default(null),
  problems: z.array(problemSchema).default([]),
  acknowledgedElsewhere: z
    .array(z.object({ withdrawalId: z.string(), actor: z.string(), note: z.string() }))
    .default([]),
  journalFork: journalForkSchema.default({ kind: "none" }),
  /** Checkpoints from before there were days have none. */
  drawerMoney: drawerMoneySchema.optional(),
  drawerProblems: z.array(drawerProblemSchema).default([]),
  /** The highest number of a person's code so far. */
  peopleSeen: z.int().default(0),
  /** The service's restore after which everything was reported again. */
  restoreAnswered: z.string().nullable().default(null),
  /** How withdrawals ended that had been unclear, and nobody has read yet. */
  messages: z.array(messageSchema).default([]),
  hadEarlierLife: z.boolean().default(false),
  isManagerUnproven: z.boolean().default(false),
  /** Those about authority and cash. */
  settings: protectedSettingsSchema.nullable().default(null),
});

/** An entry of the journal. A spelling of an earlier version is brought to this one by `upgradeEntry` first. */
const durableEventSchema = z.discriminatedUnion("type", [
  checkpointSchema,
  /** The first entry of a journal of earlier versions, which did not say whose it was. */
  z.object({ type: z.literal("installed"), tag: z.string() }),
  /** The first entry: whose journal this is. `tag` names it in every reference. `adopted`: the entries before it are an earlier version's. */
  z.object({
    type: z.literal("book_opened"),
    book: bookSchema,
    tag: z.string(),
    adopted: z.boolean(),
    /** About authority and cash, from here on; entries of earlier versions have none. */
    settings: protectedSettingsSchema.optional(),
  }),
  /** The same book under another device's name, or at another address of the same training service. */
  z.object({ type: z.literal("device_changed"), book: bookSchema }),
  /** What is unresolved in the journal of another shop beside this one, and what is so no more there. */
  z.object({
    type: z.literal("carried_over"),
    from: z.string(),
    problems: z.array(problemSchema),
    resolved: z.array(z.string()).default([]),
  }),
  /** From here on entries are chained under this key; the journal writes it itself. */
  z.object({ type: z.literal("journal_keyed"), key: z.string(), after: z.string() }),
  /** Closed years are in files of their own from here on; the journal writes it itself. */
  z.object({ type: z.literal("journal_archived"), archives: z.array(z.unknown()) }),
  /**
   * Settings about authority and cash. `upgrade`: taken over from an earlier version's file; `unknown`: the journal that had them
   * is damaged or gone, and these are the stricter; `other_shop`: this journal's own were older.
   */
  z.object({
    type: z.literal("settings_recorded"),
    settings: protectedSettingsSchema,
    why: z.enum(["changed", "upgrade", "unknown", "other_shop"]),
  }),
  /** The first entry of a new journal in a folder where something of an earlier one is left. */
  z.object({ type: z.literal("journal_missing") }),
  /** The service knows another journal under this terminal's name: this one was cut, rewritten or restored from an older copy. */
  z.object({ type: z.literal("journal_forked"), serviceHash: z.string().optional() }),
  /** The journal took nothing for a while: written by itself, as the proof that it takes entries again. */
  z.object({ type: z.literal("journal_recovered"), failedForMs: z.number() }),
  /** Before the confirm is sent: from here on money may move under these ids. */
  z.object({
    type: z.literal("confirm_intended"),
    ...ofWithdrawal,
    /** How long ago the barcode was scanned; entries of earlier versions do not say. */
    sinceScanMs: z.number().nullable().optional(),
  }),
  /** The service took the confirm of this terminal. `status` as it said it. */
  z.object({ type: z.literal("confirm_accepted"), ...ofWithdrawal, status: z.string().nullable() }),
  z.object({
    type: z.literal("reject_intended"),
    ...ofWithdrawal,
    why: z.enum(rejectWhys),
    /** Whether a confirm was intended before: then the truth may still be `settled`. */
    intended: z.boolean(),
  }),
  /** The service said `settled`, about a confirm that is ours: cash may be offered. */
  z.object({ type: z.literal("settled"), ...ofWithdrawal }),
  z.object({ type: z.literal("hand_out_intended"), ...ofWithdrawal, approvedBy: personCode }),
  /** The drawer is opened once more for the same withdrawal, before the kick goes out. */
  z.object({ type: z.literal("drawer_reopened"), ...ofWithdrawal, approvedBy: personCode }),
  z.object({ type: z.literal("drawer_unsure"), ...ofWithdrawal, drawer: z.enum(["failed", "unknown"]) }),
  /** The cashier counts the cash now. Journals of programs that took the open drawer for the hand-out have none. */
  z.object({ type: z.literal("drawer_opened"), ...ofWithdrawal }),
  z.object({
    type: z.literal("handed_out"),
    ...ofWithdrawal,
    by: z.enum(["drawer", "cashier"]),
    ...handOutId,
    /** The notes and coins that the cashier was shown. */
    pieces: countSchema.shape.pieces.optional(),
  }),
  z.object({
    type: z.literal("not_handed_out"),
    ...ofWithdrawal,
    reason: z.string(),
    approvedBy: personCode,
    ...unwatched,
  }),
  z.object({ type: z.literal("report_accepted"), ...ofWithdrawal, report }),
  /** The service refused it for good: no more tries, a line for the manager. */
  z.object({ type: z.literal("report_refused"), ...ofWithdrawal, report, http: z.number() }),
  /** Over without cash from this terminal. */
  z.object({ type: z.literal("closed"), ...ofWithdrawal, outcome: z.enum(outcomes), ...unwatched }),
  /** The cashier has read how a withdrawal ended that had been unclear. */
  z.object({ type: z.literal("message_seen"), withdrawalId: z.string() }),
  /** A manager said what became of it, with a reason. */
  z.object({
    type: z.literal("decided"),
    ...ofWithdrawal,
    decision: z.enum(decisions),
    actor: z.string(),
    note: z.string(),
    ...handOutId,
  }),
  /** The service was put back to a copy at that time, and was told again what it may have forgotten. */
  z.object({ type: z.literal("restore_answered"), restoredAt: z.string() }),
  /** A manager cleared a problem up outside of the terminal. */
  z.object({ type: z.literal("acknowledged"), withdrawalId: z.string(), actor: z.string(), note: z.string() }),
  /** What somebody did about the terminal itself, or was refused: `act` says what, `about` to whom or what. */
  z.object({ type: z.literal("act"), act: z.string().max(40), about: z.string().max(200).nullable() }),
  /** A receipt is to be printed; nothing about money follows from it, nor from what becomes of it. */
  z.object({
    type: z.literal("receipt_requested"),
    withdrawalId: z.string(),
    copies: z.array(z.enum(receiptCopies)),
    receipt: receiptSchema,
  }),
  ...dayEventSchemas,
  /** Something that the books must explain; `about` says what, `http` what the service answered. */
  z.object({ type: z.literal("discrepancy"), ...ofWithdrawal, about: z.string(), http: z.number().nullable() }),
]);
/** An event that is a journal entry. */
export type DurableEvent = z.infer<typeof durableEventSchema>;
/** Who stands behind an entry. */
export interface Recorded {
  readonly actor?: string | undefined;
}
/** As it is in the journal: with the code of the person who did it, or `terminal`. Entries of earlier versions name nobody. */
export type RecordedEvent = DurableEvent & Recorded;
/** The entry that stands for all before it. */
export type Checkpoint = z.infer<typeof checkpointSchema>;
/** Entries about one withdrawal. */
export type AboutWithdrawal = Extract<DurableEvent, { withdrawal: unknown }>;

/** Whether somebody said that the customer has the cash: the cashier, the drawer, or a manager later. */
export const isHandOut = (
  event: Event,
): event is Extract<DurableEvent, { type: "handed_out" }> | Extract<DurableEvent, { type: "decided" }> =>
  event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out");

/** What happened, durable or not. */
export type Event = DurableEvent | TransientEvent;

const durableTypes: ReadonlySet<string> = new Set(durableEventSchema.options.map((option) => option.shape.type.value));

/** Whether an event must be on disk before anything follows from it. */
export const isDurable = (event: Event): event is DurableEvent => durableTypes.has(event.type);

type Fields = Readonly<Record<string, unknown>>;

const renamed: Readonly<Record<string, string>> = {
  notice_taken: "report_accepted",
  notice_refused: "report_refused",
  journal_mended: "journal_recovered",
};

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const withNames = (names: ReadonlyMap<string, string>) => (_: string, value: unknown) =>
  isFields(value) && Object.keys(value).some((name) => names.has(name))
    ? Object.fromEntries(Object.entries(value).map(([name, field]) => [names.get(name) ?? name, field]))
    : value;
/** Names as they have been on disk from the beginning, and ours. */
const namesOnDisk = [
  ["of", "withdrawal"],
  ["partnerId", "terminalReference"],
] as const;
const asRead = withNames(new Map(namesOnDisk));
const asWritten = withNames(new Map(namesOnDisk.map(([onDisk, ours]) => [ours, onDisk])));

/** The body of an entry, parsed: whatever it holds, under our names. @throws SyntaxError for what is no JSON. */
export const parseBody = (body: string): unknown => JSON.parse(body, asRead);

/** An event as the body of its entry. */
export const writeEvent = (event: RecordedEvent): string => JSON.stringify(event, asWritten);

/** @param value the parsed JSON of one entry. */
export const upgradeEntry = (value: unknown): unknown => {
  if (!isFields(value) || typeof value.type !== "string") return value;
  const type = Object.hasOwn(renamed, value.type) ? renamed[value.type] : value.type;
  if (type === value.type) return value;
  const { notice, ...rest } = value;
  return { ...rest, type, report: notice };
};

/** One entry as an event, with who did it; `json` or `schema` when it cannot be read, by what is wrong with it. */
export const readEvent = (entry: JournalEntry): RecordedEvent | "json" | "schema" => {
  try {
    const body = parseBody(entry.body) as { readonly actor?: unknown };
    const parsed = durableEventSchema.safeParse(upgradeEntry(body));
    if (!parsed.success) return "schema";
    return typeof body.actor === "string" ? { ...parsed.data, actor: body.actor } : parsed.data;
  } catch {
    return "json";
  }
};

/** As `readEvent`; null for an entry that cannot be read. */
export const readRecorded = (entry: JournalEntry): RecordedEvent | null => {
  const event = readEvent(entry);
  return typeof event === "string" ? null : event;
};

/** An older program may go on from a checkpoint that has no day in it. */
const formatWithoutDays = 2;

/** The schema says what of the state is kept. Reviews are left out: nothing of them is in the journal. */
export const makeCheckpoint = (state: State, damagedEntries: number, { monotonicMs }: Moment): Checkpoint =>
  checkpointSchema.parse({
    ...state,
    type: "checkpoint",
    format: state.drawerMoney === beforeDays ? formatWithoutDays : checkpointFormat,
    damagedEntries,
    open: [...state.open.values()]
      .filter(({ stage }) => stage.kind !== "review")
      .map((one) => ({
        ...one,
        facts: one,
        intended: one.confirmAttempted,
        ageMs: Math.max(0, monotonicMs - one.beganMs),
        owedForMs: one.reportDueSinceMs === null ? null : Math.max(0, monotonicMs - one.reportDueSinceMs),
      })),
    ownIds: [...state.ownIds],
    cashGiven: [...state.cashGiven.older, ...state.cashGiven.recent],
    problems: [...state.problems.values()],
    drawerMoney: state.drawerMoney === beforeDays ? undefined : state.drawerMoney,
    settings: state.protectedSettings,
    messages: [...state.messages.values()],
    acknowledgedElsewhere: [...state.acknowledgedElsewhere].map(([withdrawalId, one]) => ({ withdrawalId, ...one })),
  });

/** The state that a checkpoint stands for; settings, device and screen are taken from `state`. Calls to the service start again. */
export const fromCheckpoint = (state: State, checkpoint: Checkpoint, { monotonicMs }: Moment): State => {
  const { damagedEntries, installation, book, drawerProblems, journalFork, restoreAnswered } = checkpoint;
  return {
    ...state,
    damagedEntries,
    installation,
    book,
    drawerProblems,
    journalFork,
    restoreAnswered,
    open: new Map(
      checkpoint.open.map(({ facts, ageMs, owedForMs, intended, ...kept }): [string, Withdrawal] => [
        facts.withdrawalId,
        {
          ...newWithdrawal(facts, monotonicMs, kept.afterRestore),
          ...kept,
          confirmAttempted: intended,
          recovered: true,
          beganMs: monotonicMs - ageMs,
          reportDueSinceMs: owedForMs === null ? null : monotonicMs - owedForMs,
          requestState: freshRequestState(monotonicMs, true),
        },
      ]),
    ),
    ownIds: new Set(checkpoint.ownIds),
    cashGiven: { older: new Set(checkpoint.cashGiven), recent: new Set() },
    problems: new Map(checkpoint.problems.map((one) => [one.facts.withdrawalId, one])),
    drawerMoney: checkpoint.drawerMoney ?? beforeDays,
    messages: new Map(checkpoint.messages.map((one) => [one.facts.withdrawalId, one])),
    acknowledgedElsewhere: new Map(
      checkpoint.acknowledgedElsewhere.map(({ withdrawalId, ...one }) => [withdrawalId, one]),
    ),
  };
};
