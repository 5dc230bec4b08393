/** A withdrawal at the terminal, from its look-up until the service has accepted its final report: its stages and what they mean. Pure. */
import { z } from "zod";
import { closingPatienceMs, justSettledMs } from "../bounds.ts";
import type { DrawerState } from "../ports.ts";
import type { Report } from "../service/client.ts";

/** The constant facts of a withdrawal. Every journal entry about it contains them, so that one lost entry loses no money. */
export const factsSchema = z.object({
  withdrawalId: z.string(),
  transactionId: z.string(),
  /** The `transaction_id_partner` of the one confirm; fixed when the withdrawal begins, so that it survives any crash. */
  terminalReference: z.string(),
  amount: z.string(),
  currency: z.string(),
  shop: z.string(),
});
/** See `factsSchema`. */
export type Facts = Readonly<z.infer<typeof factsSchema>>;

/** Only the facts of a withdrawal. */
export const factsOf = (withdrawal: Facts): Facts => ({
  withdrawalId: withdrawal.withdrawalId,
  transactionId: withdrawal.transactionId,
  terminalReference: withdrawal.terminalReference,
  amount: withdrawal.amount,
  currency: withdrawal.currency,
  shop: withdrawal.shop,
});

/** The facts that the screens show. */
export const shownFacts = (facts: Facts) => ({
  withdrawalId: facts.withdrawalId,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
});

/** Why it was rejected: by the cashier, by the terminal's time-out, or because the terminal's confirm did not get through. */
export const rejectWhys = ["cashier", "time_out", "given_up"] as const;
/** One of `rejectWhys`. */
export type RejectWhy = (typeof rejectWhys)[number];

/** Stages of a withdrawal that are in the journal. */
export const stageSchema = z.discriminatedUnion("kind", [
  /** The confirm is in the journal and not yet accepted by the service. */
  z.object({ kind: z.literal("confirming") }),
  z.object({ kind: z.literal("waiting"), phase: z.enum(["approval", "payment"]) }),
  z.object({ kind: z.literal("rejecting"), why: z.enum(rejectWhys) }),
  z.object({ kind: z.literal("payable") }),
  /** Hand-out begun: the drawer is opening, or the cashier is asked about it; once it is `open`, the cash is counted. */
  z.object({ kind: z.literal("opening"), drawer: z.enum(["opening", "failed", "unknown", "open"]) }),
  /** The customer has the cash; the link is in the outbox. */
  z.object({ kind: z.literal("handed_out") }),
  /** The cashier stated that no cash was handed out; the report is in the outbox. */
  z.object({ kind: z.literal("not_handed_out"), reason: z.string() }),
]);
/** Stage of an open withdrawal. A review, in which the cashier decides, is not in the journal. */
export type Stage = { readonly kind: "review" } | Readonly<z.infer<typeof stageSchema>>;

/** Groups of stages: from `hand_out` on the cash may have left the drawer; in `reported` it is known what became of it. */
const phaseByStage = {
  review: "review",
  confirming: "payment",
  waiting: "payment",
  rejecting: "payment",
  payable: "payable",
  opening: "hand_out",
  handed_out: "reported",
  not_handed_out: "reported",
} as const satisfies Readonly<Record<Stage["kind"], string>>;
type Phase = (typeof phaseByStage)[Stage["kind"]];
type StageIn<P extends Phase> = Extract<
  Stage,
  { kind: { [K in Stage["kind"]]: (typeof phaseByStage)[K] extends P ? K : never }[Stage["kind"]] }
>;

/** Whether a stage belongs to one of these groups. */
export const isIn = <P extends Phase>(stage: Stage, ...parts: readonly P[]): stage is StageIn<P> =>
  (parts as readonly Phase[]).includes(phaseByStage[stage.kind]);

/** State of the calls to the service about one withdrawal. Not stored: after a restart everything is asked again. */
export type RequestState = Readonly<ReturnType<typeof freshRequestState>>;

/** Nothing is known about the drawer yet. */
export const notSensed = { drawer: "unknown", checks: 0, atMs: 0 } as const;

/** The calls at the start of a stage. `checkFirst`: ask the service before repeating or offering anything. */
export const freshRequestState = (notBeforeMs: number, checkFirst: boolean) => ({
  /** Number of answers and silences: part of the effects' keys. */
  number: 0,
  failures: 0,
  notBeforeMs,
  /** Ask before repeating; set after silence, conflict and restart. */
  checkFirst,
  /** The service answered a confirm with 409. */
  conflict: false,
  confirms: 0,
  /** Confirms that may have been done although no answer came. */
  silentConfirms: 0,
  /** The service permanently refused the reject: now only its status is asked. */
  rejectRefused: false,
  /** The service has said what an operator decided about the cash. */
  operatorDecided: false,
});

/** A new withdrawal. Times that end in `Ms` are monotonic unless noted otherwise. */
export const newWithdrawal = (facts: Facts, beganMs: number, afterRestore: string | null) => ({
  ...facts,
  stage: { kind: "review" } as Stage,
  /** Whether a confirm was or may have been sent: before that, no money can move through this terminal. */
  confirmAttempted: false,
  /** The service has accepted this terminal's confirm. */
  confirmed: false,
  /** An unreadable entry may be about it: no cash is offered, and a manager has to decide. */
  doubtful: false,
  /** A manager has decided what became of it, so it does not prevent another enrolment. */
  decided: false,
  /** The last service restore that this terminal had handled when it began; by a later one the service may have lost it. */
  afterRestore,
  /** Continued after a restart or a silence. */
  recovered: false,
  /** It was open before this run: a copy of the journal may be from before its hand-out. */
  ofEarlierRun: false,
  /** A hand-out was begun and its end is unknown: the customer may have the cash. */
  handOutBegun: false,
  /** The cashier rejected it, but the payment may have been faster. */
  rejectedHere: false,
  /** When this run learned that it is settled; null if an earlier run did, or another program on a copy of this folder. */
  settledMs: null as number | null,
  /** Who pressed for the hand-out, while the service is asked whether the cash was already handed out. */
  handOutAsked: null as Readonly<{ by: string; approvedBy: string | null; atMs: number }> | null,
  /** Code of the person who stated what became of the cash; null until then. */
  saidBy: null as string | null,
  /** Id of its hand-out, the same in all its reports; null before that, or if written by an earlier version. */
  handOutId: null as string | null,
  /** The service's times, milliseconds since the epoch, or null. */
  createdAtMs: null as number | null,
  expiresAtMs: null as number | null,
  beganMs,
  stageSinceMs: beganMs,
  /** When its barcode was scanned; null after a restart, sleep, failed journal or change of cashiers, because another customer may be there. */
  scannedMs: null as number | null,
  /** Since when a report about it is due; kept across restarts. */
  reportDueSinceMs: null as number | null,
  /** Deadline and length of the wait for the customer's approval. `isService`: by the service's deadline. */
  approval: null as Readonly<{ untilMs: number; totalMs: number; isService: boolean }> | null,
  drawerTries: 0,
  /** Whether it was set, when the drawer was told to open, that the cashier says what became of the cash. */
  asksHandOver: true,
  /** Last state of the drawer's sensor while the cash is counted, and how often it was read. */
  sensed: notSensed as Readonly<{ drawer: DrawerState; checks: number; atMs: number }>,
  requestState: freshRequestState(beganMs, false) as RequestState,
});
/** A withdrawal from its look-up until the service has accepted its final report. */
export type Withdrawal = Readonly<ReturnType<typeof newWithdrawal>>;

type Open = ReadonlyMap<string, Withdrawal>;

/** Forgets presses for the drawer that wait for the service's answer. */
export const withoutPress = (open: Open): Open =>
  new Map([...open].map(([id, one]) => [id, { ...one, handOutAsked: null }]));

/**
 * The customer may have left: inputs that could not be written are handled later, and another cashier has not seen who it was. A review
 * waits for the cashier's press.
 */
export const perhapsLeft = (open: Open): Open =>
  new Map(
    [...open].map(([id, one]) => [
      id,
      isIn(one.stage, "review") ? one : { ...one, handOutAsked: null, scannedMs: null },
    ]),
  );

/** What changes when its drawer is told to open. */
export const toldToOpen = (
  { drawerTries }: Withdrawal,
  { confirmHandOver }: { readonly confirmHandOver: boolean },
) => ({
  drawerTries: drawerTries + 1,
  asksHandOver: confirmHandOver,
});

/** Whether the customer's approval may still be missing; only then the terminal's own time-out runs. */
export const awaitsApproval = (stage: Stage): boolean =>
  stage.kind === "confirming" || (stage.kind === "waiting" && stage.phase === "approval");

/** Whether the service's status decides what comes next. From `payable` on the cashier decides, and no late answer changes that. */
export const awaitsService = (stage: Stage): stage is StageIn<"payment"> => isIn(stage, "payment");

/** Settled by this journal, but not rechecked since the start: another journal may have handed out the cash. */
export const needsRecheck = (withdrawal: Withdrawal): boolean =>
  isIn(withdrawal.stage, "payable") && withdrawal.requestState.checkFirst;

/** Whether its cash may be offered. */
export const offersCash = (withdrawal: Withdrawal): boolean =>
  isIn(withdrawal.stage, "payable") && !withdrawal.requestState.checkFirst;

/** Whether to ask the service before the cash leaves the drawer: if it was not settled just now, another program may have handed it out. */
export const mustAskFirst = ({ settledMs }: Withdrawal, nowMs: number): boolean =>
  settledMs === null || nowMs - settledMs > justSettledMs;

/** Whether its drawer is open, so that the cashier counts the cash. */
export const isCounting = (one: Withdrawal | undefined): boolean =>
  one?.stage.kind === "opening" && one.stage.drawer === "open";

/** Until when its closing is shown; monotonic. Shared by timer and screen, because rounding would differ otherwise. */
export const closingEndsMs = ({ stageSinceMs }: Pick<Withdrawal, "stageSinceMs">): number =>
  stageSinceMs + closingPatienceMs;

/** Whether the drawer was or may have been opened for it. */
export const mayHaveOpened = ({ handOutBegun, stage, drawerTries }: Withdrawal): boolean =>
  handOutBegun && !(stage.kind === "opening" && stage.drawer === "failed" && drawerTries === 1);

/** The report about a withdrawal that is in the outbox, or null. */
export const pendingReport = ({ stage, requestState }: Withdrawal): Report | null => {
  if (isIn(stage, "reported")) return stage.kind === "handed_out" ? "link" : "undelivered";
  return stage.kind === "rejecting" && !requestState.rejectRefused ? "reject" : null;
};
