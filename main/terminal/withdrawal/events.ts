/** Events. Durable ones are journal entries: synced before they have effects. The others last as long as this run. */
import { z } from "zod";
import {
  countSchema,
  type DrawerResult,
  decisions,
  drawerProblemSchema,
  outcomes,
  protectedSettingsSchema,
  type Settings,
  type ShopProfile,
} from "../../../preload/contract.ts";
import { beforeDays, dayEventSchemas, drawerMoneySchema } from "../day/drawer-money.ts";
import type { Device, DrawerState, JournalEntry } from "../ports.ts";
import { receiptCopies, receiptSchema } from "../printing/paper.ts";
import type { PrintEvent, PrintTask } from "../printing/queue.ts";
import type { ServiceRestore } from "../service/answer.ts";
import { reports } from "../service/client.ts";
import { bookSchema } from "./book.ts";
import {
  type ActiveScreen,
  journalForkSchema,
  type Moment,
  messageSchema,
  problemSchema,
  type Repeats,
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

/** Events of this run only. Times are monotonic. */
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
  /** The real status overtook a reject: back to confirming or waiting. */
  reject_overtaken: OfOne & { to: "confirming" | "payment" };
  approval_deadline_known: OfOne & { untilMs: number; totalMs: number };
  drawer_sensed: OfOne & { drawer: DrawerState };
  /** The cashier pressed for the cash, and the service is asked first. */
  hand_out_asked: OfOne & { by: string; approvedBy: string | null };
  /** The service contradicts that it is settled: no cash is offered until it says so again. */
  recheck_needed: OfOne;
  /** The next call about it is due now. */
  retry_requested: OfOne;
  request_state_changed: OfOne & { requestState: Partial<RequestState> };

  started: { damagedEntries: number };
  /** The machine slept: the screen may be out of date. */
  resumed: Nothing;
  service_responded: { dateMs: number | null };
  service_silent: Nothing;
  /** One answer was lost although others came: a probe will check the service. */
  service_doubted: Nothing;
  /** `fraction`: jitter of the pause before the next probe, in [0, 1). */
  probed: { fraction: number };
  credential_checked: { verdict: "good" | "refused" | "unsafe" };
  /** Null: the service's answer had nothing about the shop. `isSaid`: it was the service's own, also without. */
  shop_read: { profile: ShopProfile | null; restore: ServiceRestore | null; isSaid: boolean; againMs?: number };
  /** These are reported again because of the restore at that time. */
  repeats_begun: Pick<Repeats, "restoredAt" | "left">;
  /** The first of them has its final answer. */
  repeat_ended: Nothing;
  repeat_postponed: { notBeforeMs: number };
  enrolled: { device: Device };
  settings_changed: { settings: Settings };
  surroundings_changed: { changed: Partial<Surroundings> };
  /** The counter was locked: whoever stood there may be gone. */
  counter_locked: Nothing;
  journal_health_changed: { isWritable: boolean };
  journal_check_moved: { progress: State["journalCheck"] };
  blocked: { blocked: State["blocked"] };
  /** The newest link that the service has; `compared` if it has none, `not_asked` if it has to be read again. */
  service_head_read: { head: ServiceHead };
  /** The service's answer to a report of the journal's head. `changes`: those of `headReport` when it was sent. */
  head_answered: { outcome: "taken" | "unsupported" | "forked"; changes?: number };
  /** No usable answer: asked again at this time (monotonic). */
  head_failed: { notBeforeMs: number };
  duplicate_device_found: Nothing;
  duplicate_device_checked: Nothing;

  /** A closed day's report is printed again. */
  print_asked: { task: PrintTask };
  /** The drawer's answer to an opening without a withdrawal. */
  no_sale_ended: { number: number; result: DrawerResult };
}

/** An event that is not stored: it applies to this run only. */
export type TransientEvent = Tagged<"type", Transient> | PrintEvent;

/** The second person who approved; missing in journals of earlier versions. */
const personCode = z.string().nullable().optional();
const report = z.enum(reports);
/** Unique id of this hand-out, which differs between programs on copies of one folder. Missing in entries of earlier versions. */
const handOutId = { handOutId: z.string().optional() };
/** It was unclear or not on the screen: a message stays until the cashier has read it. */
const unwatched = { unwatched: z.boolean().optional() };

/** 1: without the journal's owner and problems. 3: with a drawer's day; others are still written as 2. */
const checkpointFormat = 3;

/** The result of all earlier entries, so that a start need not read them. Fields with a default are missing in earlier versions. */
const checkpointSchema = z.object({
  type: z.literal("checkpoint"),
  /** A newer format is not used; everything before it is read instead. */
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
      /** How long its report had been due. */
      owedForMs: z.number().nullable().default(null),
    }),
  ),
  ownIds: z.array(z.string()).default([]),
  cashGiven: z.array(z.string()),
  book: bookSchema.nullable().default(null),
  problems: z.array(problemSchema).default([]),
  acknowledgedElsewhere: z
    .array(
      z.object({
        withdrawalId: z.string(),
        actor: z.string(),
        note: z.string(),
        /** Missing in earlier versions: not known what was read, so it is shown once more. */
        about: z.array(z.string()).readonly().default([]),
      }),
    )
    .default([]),
  journalFork: journalForkSchema.default({ kind: "none" }),
  /** Missing in checkpoints of versions without days. */
  drawerMoney: drawerMoneySchema.optional(),
  drawerProblems: z.array(drawerProblemSchema).default([]),
  /** Highest number of a person's code so far. */
  peopleSeen: z.int().default(0),
  /** The service's restore after which everything was reported again. */
  restoreAnswered: z.string().nullable().default(null),
  /** Messages about unclear endings that nobody has read yet. */
  messages: z.array(messageSchema).default([]),
  hadEarlierLife: z.boolean().default(false),
  isManagerUnproven: z.boolean().default(false),
  /** Settings about authority and cash. */
  settings: protectedSettingsSchema.nullable().default(null),
});

const entry = <const Type extends string, Shape extends z.ZodRawShape = Nothing>(type: Type, shape = {} as Shape) =>
  z.object({ type: z.literal(type), ...shape });
const about = <const Type extends string, Shape extends z.ZodRawShape = Nothing>(type: Type, shape = {} as Shape) =>
  entry(type, { withdrawal: factsSchema, ...shape });

/** An entry of the journal. `upgradeEntry` converts entries of earlier versions first. */
const durableEventSchema = z.discriminatedUnion("type", [
  checkpointSchema,
  /** The first entry in journals of early versions, which had no owner. */
  entry("installed", { tag: z.string() }),
  /** The first entry: the journal's owner. `tag` is in every reference. `adopted`: the entries before it are of an earlier version. */
  entry("book_opened", {
    book: bookSchema,
    tag: z.string(),
    adopted: z.boolean(),
    /** Settings about authority and cash from here on; missing in earlier versions. */
    settings: protectedSettingsSchema.optional(),
  }),
  /** The same book with another device, or with another address of the same training service. */
  entry("device_changed", { book: bookSchema }),
  /** Problems from another shop's journal beside this one, and those resolved there since. */
  entry("carried_over", {
    from: z.string(),
    problems: z.array(problemSchema),
    resolved: z.array(z.string()).default([]),
  }),
  /** From here on entries are under this key; written by the journal itself. */
  entry("journal_keyed", { key: z.string(), after: z.string() }),
  /** Closed years were moved to archive files; written by the journal itself. */
  entry("journal_archived", { archives: z.array(z.unknown()) }),
  /**
   * Settings about authority and cash. `upgrade`: from an earlier version's file; `unknown`: the journal that had them
   * is damaged or missing, so these are the stricter ones; `other_shop`: this journal's own were older.
   */
  entry("settings_recorded", {
    settings: protectedSettingsSchema,
    why: z.enum(["changed", "upgrade", "unknown", "other_shop"]),
  }),
  /** The first entry of a new journal in a folder with leftovers of an earlier one. */
  entry("journal_missing"),
  /** The service knows another journal under this terminal's name: this one was cut, rewritten or restored from an older copy. */
  entry("journal_forked", { serviceHash: z.string().optional() }),
  /** The journal could not be written for a while; this entry shows that it can again. */
  entry("journal_recovered", { failedForMs: z.number() }),
  /** Written before the confirm is sent: from here on money may move under these ids. */
  about("confirm_intended", {
    /** How long ago the barcode was scanned; missing in earlier versions. */
    sinceScanMs: z.number().nullable().optional(),
  }),
  /** The service accepted this terminal's confirm. `status` as in its answer. */
  about("confirm_accepted", { status: z.string().nullable() }),
  about("reject_intended", {
    why: z.enum(rejectWhys),
    /** Whether a confirm was attempted before: then it may still become `settled`. */
    intended: z.boolean(),
  }),
  /** The service says `settled` for this terminal's confirm: cash may be offered. */
  about("settled"),
  about("hand_out_intended", { approvedBy: personCode }),
  /** Written before the drawer is opened again for the same withdrawal. */
  about("drawer_reopened", { approvedBy: personCode }),
  about("drawer_unsure", { drawer: z.enum(["failed", "unknown"]) }),
  /** The cashier counts the cash now. Not written if the open drawer itself counts as the hand-out. */
  about("drawer_opened"),
  about("handed_out", {
    by: z.enum(["drawer", "cashier"]),
    ...handOutId,
    /** The notes and coins that the cashier was shown. */
    pieces: countSchema.shape.pieces.optional(),
  }),
  about("not_handed_out", { reason: z.string(), approvedBy: personCode, ...unwatched }),
  about("report_accepted", { report }),
  /** The service permanently refused the report: no more attempts, but a problem for the manager. */
  about("report_refused", { report, http: z.number() }),
  /** Ended without cash from this terminal. */
  about("closed", { outcome: z.enum(outcomes), ...unwatched }),
  /** The cashier has read the message about an unclear ending. */
  entry("message_seen", { withdrawalId: z.string() }),
  /** A manager decided what became of it, with a reason. */
  about("decided", { decision: z.enum(decisions), actor: z.string(), note: z.string(), ...handOutId }),
  /** Everything that the service may have lost by its restore at that time was reported again. */
  entry("restore_answered", { restoredAt: z.string() }),
  /** A manager resolved a problem outside of the terminal. */
  entry("acknowledged", { withdrawalId: z.string(), actor: z.string(), note: z.string() }),
  /** An action on the terminal itself, or its refusal: `act` is the action, `about` its object. */
  entry("act", { act: z.string().max(40), about: z.string().max(200).nullable() }),
  /** A receipt is to be printed; has no effect on money. */
  entry("receipt_requested", {
    withdrawalId: z.string(),
    copies: z.array(z.enum(receiptCopies)),
    receipt: receiptSchema,
  }),
  ...dayEventSchemas,
  /** A problem for the books; `http` is the service's status. */
  about("discrepancy", { about: z.string(), http: z.number().nullable() }),
]);
/** An event that is a journal entry. */
export type DurableEvent = z.infer<typeof durableEventSchema>;
/** Who caused an entry. */
export interface Recorded {
  readonly actor?: string | undefined;
}
/** As in the journal, with the code of the person who caused it, or `terminal`. Missing in entries of earlier versions. */
export type RecordedEvent = DurableEvent & Recorded;
/** The entry that replaces all earlier ones at a start. */
type Checkpoint = z.infer<typeof checkpointSchema>;
/** Entries about one withdrawal. */
export type AboutWithdrawal = Extract<DurableEvent, { withdrawal: unknown }>;

/** Whether the event says that the customer has the cash: by the cashier, the drawer, or later a manager. */
export const isHandOut = (
  event: Event,
): event is Extract<DurableEvent, { type: "handed_out" }> | Extract<DurableEvent, { type: "decided" }> =>
  event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out");

/** Any event, durable or not. */
export type Event = DurableEvent | TransientEvent;

const durableTypes: ReadonlySet<string> = new Set(durableEventSchema.options.map((option) => option.shape.type.value));

/** Whether an event must be on disk before it has effects. */
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
/** Names on disk, unchanged since the first version, and the names in the code. */
const namesOnDisk = [
  ["of", "withdrawal"],
  ["partnerId", "terminalReference"],
] as const;
const asRead = withNames(new Map(namesOnDisk));
const asWritten = withNames(new Map(namesOnDisk.map(([onDisk, ours]) => [ours, onDisk])));

/** Parses an entry's body and renames its fields to the code's names. @throws SyntaxError if it is not JSON. */
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

/** Reads an entry as an event with its actor; `json` or `schema`: why it cannot be read. */
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

/** Like `readEvent`; null if it cannot be read. */
export const readRecorded = (entry: JournalEntry): RecordedEvent | null => {
  const event = readEvent(entry);
  return typeof event === "string" ? null : event;
};

/** Older programs can continue from a checkpoint without a day. */
const formatWithoutDays = 2;

/** The schema selects what of the state is stored. Reviews are left out because they are not in the journal. */
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

/** The state stored in a checkpoint; settings, device and screen come from `state`. Calls to the service start again. */
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
