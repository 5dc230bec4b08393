/** A withdrawal at the terminal, from its look-up until the service has taken its end: where it stands, and what that means. Pure. */
import { z } from "zod";
import { closingPatienceMs, justSettledMs } from "../bounds.ts";
import type { DrawerState } from "../ports.ts";
import type { Report } from "../service/client.ts";

/** The facts of a withdrawal that never change; every journal entry about it carries them, so that one lost entry loses no money. */
export const factsSchema = z.object({
  withdrawalId: z.string(),
  transactionId: z.string(),
  /** The `transaction_id_partner` of the one confirm; fixed when the withdrawal begins, so that it survives any crash. */
  terminalReference: z.string(),
  amount: z.string(),
  currency: z.string(),
  shop: z.string(),
});
/** As `factsSchema` has them. */
export type Facts = Readonly<z.infer<typeof factsSchema>>;

/** The facts alone, of a withdrawal that carries more. */
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

/** Who rejected: the cashier, the terminal's time-out, or the terminal because its confirm did not get through. */
export const rejectWhys = ["cashier", "time_out", "given_up"] as const;
/** One of `rejectWhys`. */
export type RejectWhy = (typeof rejectWhys)[number];

/** Where a withdrawal stands that is in the journal. */
export const stageSchema = z.discriminatedUnion("kind", [
  /** The intent is in the journal, the service has not said yes. */
  z.object({ kind: z.literal("confirming") }),
  z.object({ kind: z.literal("waiting"), phase: z.enum(["approval", "payment"]) }),
  z.object({ kind: z.literal("rejecting"), why: z.enum(rejectWhys) }),
  z.object({ kind: z.literal("payable") }),
  /** Hand-out intended: the drawer moves, or the cashier is asked about it; once it is `open`, the cash is counted. */
  z.object({ kind: z.literal("opening"), drawer: z.enum(["opening", "failed", "unknown", "open"]) }),
  /** Cash is with the customer; the link is in the outbox. */
  z.object({ kind: z.literal("handed_out") }),
  /** The cashier declared that no cash was handed out; the report is in the outbox. */
  z.object({ kind: z.literal("not_handed_out"), reason: z.string() }),
]);
/** Where an open withdrawal stands; of a review, in which the cashier decides, nothing is in the journal. */
export type Stage = { readonly kind: "review" } | Readonly<z.infer<typeof stageSchema>>;

/** How far a withdrawal is in a stage: from `hand_out` on the cash may have left the drawer, `reported` says what became of it. */
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

/** Whether a stage belongs to one of these parts. */
export const isIn = <P extends Phase>(stage: Stage, ...parts: readonly P[]): stage is StageIn<P> =>
  (parts as readonly Phase[]).includes(phaseByStage[stage.kind]);

/** How the calls to the service about one withdrawal go. Lost in a crash, on purpose: after a restart everything is asked again. */
export type RequestState = Readonly<ReturnType<typeof freshRequestState>>;

/** Nothing is known about the drawer yet. */
export const notSensed = { drawer: "unknown", checks: 0, atMs: 0 } as const;

/** How the calls of a stage start. `checkFirst`: the service is asked before anything is repeated or offered. */
export const freshRequestState = (notBeforeMs: number, checkFirst: boolean) => ({
  /** Answers and silences so far: part of the effects' keys. */
  number: 0,
  failures: 0,
  notBeforeMs,
  /** Ask before repeating: set by silence, conflict and restart. */
  checkFirst,
  /** The service answered a confirm with 409. */
  conflict: false,
  confirms: 0,
  /** Confirms that may have been done although no answer came. */
  silentConfirms: 0,
  /** The service refused the reject for good: only asking is left. */
  rejectRefused: false,
});

/** One that begins: nothing is known of it but its facts. Times that end in `Ms` are monotonic unless their comment says otherwise. */
export const newWithdrawal = (facts: Facts, beganMs: number, afterRestore: string | null) => ({
  ...facts,
  stage: { kind: "review" } as Stage,
  /** Whether a confirm was sent, or may have been: before it no money can move through this terminal. */
  confirmAttempted: false,
  /** The service has said that it took this terminal's confirm. */
  confirmed: false,
  /** An entry that cannot be read may be about it: cash is not offered, a manager says what became of it. */
  doubtful: false,
  /** A manager has said what became of it: another device, shop or service may be enrolled over it. */
  decided: false,
  /** The service's restore to which this terminal had answered when it began: a later one may have forgotten it. */
  afterRestore,
  /** Found so after a restart or a silence. */
  recovered: false,
  /** A hand-out was begun and its end is not known: the cash may be with the customer. */
  handOutBegun: false,
  /** The cashier rejected it; the money may have been quicker. */
  rejectedHere: false,
  /** When this run heard that it is paid. Null where an earlier run did, or another program on a copy of this folder. */
  settledMs: null as number | null,
  /** Who pressed for the hand-out while the service is asked whether the cash was given already. */
  handOutAsked: null as Readonly<{ by: string; approvedBy: string | null; atMs: number }> | null,
  /** The code of whoever said what became of the cash; null until then. */
  saidBy: null as string | null,
  /** The name of its hand-out, the same in every report of it; null before it, and of one that an earlier version wrote. */
  handOutId: null as string | null,
  /** Service's times, milliseconds since the epoch; null when it does not say. */
  createdAtMs: null as number | null,
  expiresAtMs: null as number | null,
  beganMs,
  stageSinceMs: beganMs,
  /** When its barcode was scanned. Null after a restart, a sleep and a journal that failed: nobody knows who stands there now. */
  scannedMs: null as number | null,
  /** Since when the service is owed a report about it; kept over restarts. */
  reportDueSinceMs: null as number | null,
  /** Until when the terminal waits for the customer's approval, with its length. `isService`: by the service's deadline. */
  approval: null as Readonly<{ untilMs: number; totalMs: number; isService: boolean }> | null,
  drawerTries: 0,
  /** What the drawer's sensor said last while the cash is counted, and how often it was asked. */
  sensed: notSensed as Readonly<{ drawer: DrawerState; checks: number; atMs: number }>,
  requestState: freshRequestState(beganMs, false) as RequestState,
});
/** A withdrawal from its look-up until the service has taken its end. */
export type Withdrawal = Readonly<ReturnType<typeof newWithdrawal>>;

/** Whether the customer's approval may still be missing: the only time in which the terminal's own time-out runs. */
export const awaitsApproval = (stage: Stage): boolean =>
  stage.kind === "confirming" || (stage.kind === "waiting" && stage.phase === "approval");

/** Whether the service's word decides what comes next; from `payable` on it is the cashier's, and no late answer undoes it. */
export const awaitsService = (stage: Stage): stage is StageIn<"payment"> => isIn(stage, "payment");

/** Paid, as this journal has it, but the service was not asked since the start: another journal may have handed it out. */
export const needsRecheck = (withdrawal: Withdrawal): boolean =>
  isIn(withdrawal.stage, "payable") && withdrawal.requestState.checkFirst;

/** Whether it may be shown as payable. */
export const offersCash = (withdrawal: Withdrawal): boolean =>
  isIn(withdrawal.stage, "payable") && !withdrawal.requestState.checkFirst;

/** Whether the service is asked before its cash leaves the drawer: the money is not just settled, so another may have given it. */
export const mustAskFirst = ({ settledMs }: Withdrawal, nowMs: number): boolean =>
  settledMs === null || nowMs - settledMs > justSettledMs;

/** Whether its drawer is open, so that the cashier counts the cash. */
export const isCounting = (one: Withdrawal | undefined): boolean =>
  one?.stage.kind === "opening" && one.stage.drawer === "open";

/** Until when the screen says that it closes; monotonic. The timer and the screen ask the same sum: a difference rounds otherwise. */
export const closingEndsMs = ({ stageSinceMs }: Pick<Withdrawal, "stageSinceMs">): number =>
  stageSinceMs + closingPatienceMs;

/** Whether the drawer was opened for it, or may have been. */
export const mayHaveOpened = ({ handOutBegun, stage, drawerTries }: Withdrawal): boolean =>
  handOutBegun && !(stage.kind === "opening" && stage.drawer === "failed" && drawerTries === 1);

/** What the outbox still owes the service about a withdrawal. */
export const pendingReport = ({ stage, requestState }: Withdrawal): Report | null => {
  if (isIn(stage, "reported")) return stage.kind === "handed_out" ? "link" : "undelivered";
  return stage.kind === "rejecting" && !requestState.rejectRefused ? "reject" : null;
};
