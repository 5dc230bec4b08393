/**
 * All that crosses the bridge between the terminal's core and its screens: commands and queries one way, snapshots the
 * other. The host parses commands with these schemas; the renderer imports the types alone, so no schema library loads there.
 */
import { z } from "zod";
import { foreignIdAlphabets, foreignIdChecks } from "../backend/contract/foreign-ids.ts";
import { isServiceUrl } from "../backend/contract/service-url.ts";
import { undeliveredReasons } from "../backend/contract/undelivered-reasons.ts";
import { colorSchemes, defaultPrinterPort, keyboardLayouts, languages, settingBounds, symbologies } from "./choices.ts";

export { type Language, type Symbology, symbologies } from "./choices.ts";

/** Where a scanned or typed text came from. */
export const scanSources = ["camera", "keyboard", "hid", "serial", "typed", "pasted"] as const;
/** Where a scanned or typed text came from. */
export type ScanSource = (typeof scanSources)[number];

/** Names a screen at one moment. A command that carries another step was meant for a screen that is gone: it is refused as `stale`. */
const step = z.string().min(1).max(100);
const withdrawalId = z.string().min(1).max(64);
const shortText = z.string().max(200);
/** What a manager writes down about a decision; goes into the journal. */
const note = z.string().trim().min(1).max(500);

/** What a manager can say about an open withdrawal: `leave_to_books` ends the terminal's part and leaves it to the reconciliation. */
export const decisions = ["handed_out", "not_handed_out", "leave_to_books"] as const;
/** One of `decisions`. */
export type ManagerDecision = (typeof decisions)[number];

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);

/** Ids of a foreign network: what the manager says they look like. */
export const foreignIdPatternSchema = z.object({
  lengthMin: within(settingBounds.foreignIdLength),
  lengthMax: within(settingBounds.foreignIdLength),
  alphabet: z.enum(foreignIdAlphabets),
  check: z.enum(foreignIdChecks),
});

/** How one keyboard scanner behaves, learnt on the test screen. */
export const keyboardScannerSchema = z.object({
  /** Longest pause between two keys of one scan. */
  gapMs: within(settingBounds.keyboardGapMs).default(60),
  prefix: z.string().max(8).default(""),
  suffix: z.string().max(8).default(""),
  layout: z.enum(keyboardLayouts).default("us"),
});

/** The settings of a terminal. Every field has a default, so that `{}` is a whole set; bounds are in `choices.ts`. */
export const settingsSchema = z.object({
  language: z.enum(languages).default("en"),
  colorScheme: z.enum(colorSchemes).default("auto"),
  sound: z.boolean().default(true),
  /** Of the sounds, in percent. */
  volume: within(settingBounds.volume).default(50),
  /** The terminal's own time-out for the customer's approval, for services that name no deadline of their own. */
  scaTimeoutSeconds: within(settingBounds.scaTimeoutSeconds).default(35),
  camera: z
    .object({ enabled: z.boolean().default(true), deviceId: z.string().max(512).nullable().default(null) })
    .prefault({}),
  symbologies: z.array(z.enum(symbologies)).default(["code128", "qr", "aztec", "datamatrix", "pdf417"]),
  /** ITF and Code 39 are read only at this length (with a check digit); null keeps them off. */
  fixedLength: within(settingBounds.fixedLength).nullable().default(null),
  foreignIds: foreignIdPatternSchema.nullable().default(null),
  keyboardScanner: keyboardScannerSchema.prefault({}),
  /** `simulated` opens nothing and is for training; outside of it the core takes it as `none`: opened by hand. */
  drawer: z
    .discriminatedUnion("kind", [
      z.object({ kind: z.literal("simulated") }),
      z.object({ kind: z.literal("none") }),
      z.object({
        kind: z.literal("network"),
        host: z.string().min(settingBounds.hostLength.min).max(settingBounds.hostLength.max),
        port: within(settingBounds.port).default(defaultPrinterPort),
        /** Whether the drawer has a switch that tells open from closed. */
        sensor: z.boolean().default(true),
      }),
    ])
    .default({ kind: "simulated" }),
  /** After the drawer opened, the cashier counts and then says that the cash was handed over; false takes the open drawer for that. */
  confirmHandOver: z.boolean().default(true),
});
/** The settings with every default filled in. */
export type Settings = z.infer<typeof settingsSchema>;

/** The access key of a terminal: what a person types once, and what the host keeps, encrypted where the machine can. */
export const credentialSchema = z.object({
  /** Base address of the service. */
  serviceUrl: z.string().min(1).max(2048),
  merchantId: shortText.min(1),
  deviceId: shortText.min(1),
  secret: z.string().min(1).max(256),
});
/** The access key, checked. */
export type Credential = Readonly<z.infer<typeof credentialSchema>>;

/** Everything that a screen can ask for. What does not match is refused as `invalid` and never reaches the core. */
export const commandSchema = z.discriminatedUnion("type", [
  /** A barcode, wherever it came from. Anything that is no id, or comes while money is moving, is refused. */
  z.object({
    type: z.literal("scan"),
    text: z.string().max(4096),
    source: z.enum(scanSources),
    symbology: z.enum(symbologies).optional(),
  }),
  z.object({ type: z.literal("confirm"), step }),
  z.object({ type: z.literal("reject"), step }),
  /**
   * On `payable`: opens the drawer; where none is connected, says that the cash was handed over, which links. On `counting` and
   * where the drawer did not open: says so.
   */
  z.object({
    type: z.literal("hand_out"),
    step,
    /** Where a hand-out was begun before: the customer says that the cash is there, so the drawer stays shut. */
    alreadyGiven: z.literal(true).optional(),
  }),
  z.object({ type: z.literal("not_handed_out"), step, reason: z.enum(undeliveredReasons) }),
  /** Leaves an ended, done or unknown screen (the terminal goes on working on what is unknown). */
  z.object({ type: z.literal("dismiss"), step }),
  /** Tries the failed look-up again, or asks at once about what is unknown. */
  z.object({ type: z.literal("retry"), step }),
  /** Brings an open withdrawal of the list back to the front. */
  z.object({ type: z.literal("resume"), withdrawalId }),
  /** Opens the drawer again after it failed or was shut; pays nothing. */
  z.object({ type: z.literal("open_drawer"), step }),
  credentialSchema.extend({
    type: z.literal("enroll"),
    /** A new address must be https (http on loopback); one that is kept already goes on being read. */
    serviceUrl: z.string().max(2048).refine(isServiceUrl),
  }),
  z.object({ type: z.literal("change_settings"), settings: settingsSchema }),
  /** Manager: the latest withdrawals, newest first. Reply data: HistoryLine[]. */
  z.object({ type: z.literal("list_history"), before: z.string().max(64).nullable(), limit: z.int().min(1).max(200) }),
  /** Manager: the journal's state. Reply data: JournalHealth. */
  z.object({ type: z.literal("check_journal") }),
  /** Manager: what is open and what the books must explain, oldest first. Reply data: Problem[]. */
  z.object({ type: z.literal("list_problems") }),
  /** Manager: says what became of an open withdrawal that the service cannot be asked about any more. */
  z.object({ type: z.literal("decide_withdrawal"), withdrawalId, decision: z.enum(decisions), note }),
  /** Manager: a problem was cleared up outside of the terminal; it leaves the list. */
  z.object({ type: z.literal("acknowledge_problem"), withdrawalId, note }),
  /** Manager: whether a journal that does not say whose it is belongs to this shop. */
  z.object({ type: z.literal("answer_journal_question"), choice: z.enum(["adopt", "set_aside"]) }),
]);
/** A checked command. */
export type Command = z.infer<typeof commandSchema>;

/** Why a command did nothing. `code` picks the text in the locales. */
export const refusals = [
  "stale",
  "busy",
  "not_an_id",
  "duplicate_scan",
  "not_enrolled",
  "invalid",
  "denied",
  "unreachable",
  "failed",
  /** Another shop, terminal or service can be enrolled once every open withdrawal was decided. */
  "undecided",
] as const;
/** One of `refusals`. */
export type Refusal = (typeof refusals)[number];
/** The answer to a command; `data` only where the command says what it is. */
export type Reply = { readonly ok: true; readonly data?: unknown } | { readonly ok: false; readonly code: Refusal };

/** What one withdrawal ended as, for the screen's text. Cash may be given in none of these but `handed_out`. */
export type Outcome =
  | "handed_out"
  | "not_handed_out"
  | "rejected"
  /** The service has it as rejected, and nobody pressed that here just now. */
  | "rejected_before"
  /** The terminal closed it: its confirm did not get through in time. */
  | "given_up"
  | "sca_timeout"
  | "sca_denied"
  | "user_canceled"
  | "order_expired"
  | "declined"
  | "settle_declined"
  | "already_used"
  /** Another terminal has confirmed it and it is not over: a new one could charge the customer twice. */
  | "in_use_elsewhere"
  | "unknown_barcode"
  | "no_network"
  | "service_down"
  | "service_refused"
  /** It may have been paid, and nobody here can tell: a new barcode could charge the customer twice. */
  | "unclear";

/** An amount as the screens show it: the wire's decimal string and its currency. */
export interface Amount {
  readonly amount: string;
  readonly currency: string;
}

/** Runs on the receiver's monotonic clock from the moment the snapshot arrives. */
export interface Countdown {
  readonly totalMs: number;
  readonly remainingMs: number;
}

interface OfWithdrawal {
  readonly withdrawalId: string;
  readonly transactionId: string;
  readonly money: Amount;
}

/** The shops and terminals that a journal's entries name. */
export interface JournalOrigin {
  readonly shops: readonly string[];
  readonly terminals: readonly string[];
}

/** What is in front, with all that it shows. Every screen carries the `step` that its buttons send along. */
export type Screen =
  | { readonly kind: "starting"; readonly step: string }
  | { readonly kind: "setup"; readonly step: string; readonly why: "not_enrolled" | "credential_refused" }
  /** Nothing can be begun: the journal cannot be opened (it is tried again), or it may be another shop's. */
  | { readonly kind: "blocked"; readonly step: string; readonly why: "journal_unavailable" | "journal_newer" }
  | {
      readonly kind: "blocked";
      readonly step: string;
      readonly why: "other_journal";
      /** Whose names are in it, and how many of its withdrawals are open. */
      readonly found: JournalOrigin & { readonly open: number };
    }
  | { readonly kind: "ready"; readonly step: string }
  | { readonly kind: "looking_up"; readonly step: string; readonly transactionId: string }
  | ({
      readonly kind: "review";
      readonly step: string;
      readonly shop: string;
      /** Null when the service does not say when it was ordered. */
      readonly orderedMsAgo: number | null;
      /** Null when the service does not say when the order expires. */
      readonly expires: Countdown | null;
    } & OfWithdrawal)
  | ({ readonly kind: "confirming"; readonly step: string } & OfWithdrawal)
  /** `approval`: the customer must approve now. `payment`: approved, the bank is still settling; no cash yet. */
  | ({
      readonly kind: "waiting";
      readonly step: string;
      readonly phase: "approval" | "payment";
      readonly countdown: Countdown | null;
    } & OfWithdrawal)
  | ({ readonly kind: "closing"; readonly step: string; readonly why: "cashier" | "time_out" } & OfWithdrawal)
  /** The one screen that offers cash: the service said `settled`. `recovered`: found so after a restart or a silence. */
  | ({
      readonly kind: "payable";
      readonly step: string;
      readonly recovered: boolean;
      /** A hand-out was begun and its end is not known (the terminal stopped in it): the cash may already be with the customer. */
      readonly handOutBegun: boolean;
    } & OfWithdrawal)
  | ({
      readonly kind: "opening";
      readonly step: string;
      readonly drawer: "opening" | "failed" | "unknown";
      /** As on `payable`: it came back, and this may not be the first time that cash is taken out for it. */
      readonly recovered: boolean;
    } & OfWithdrawal)
  /** The drawer is open and the cash is counted, for as long as it takes. `drawer`: what its sensor says, where it has one. */
  | ({
      readonly kind: "counting";
      readonly step: string;
      readonly drawer: "open" | "closed" | "unknown";
      readonly recovered: boolean;
    } & OfWithdrawal)
  | ({ readonly kind: "done"; readonly step: string; readonly until: Countdown } & OfWithdrawal)
  | {
      readonly kind: "ended";
      readonly step: string;
      readonly outcome: Outcome;
      readonly transactionId: string | null;
      readonly money: Amount | null;
      /** Whether `retry` makes sense here. */
      readonly canRetry: boolean;
    }
  | ({
      readonly kind: "unknown";
      readonly step: string;
      readonly sinceMs: number;
      readonly attempts: number;
      readonly doing: "asking_service" | "repeating";
    } & OfWithdrawal);

/** One kind of screen with its own fields. */
export type ScreenOf<K extends Screen["kind"]> = Extract<Screen, { readonly kind: K }>;

/** Something open that is not in front: the header counts them, the list shows them. */
export interface OpenWithdrawal extends OfWithdrawal {
  readonly state: "unknown" | "payable" | "closing";
  readonly sinceMs: number;
}

/** What the top line shows, on every screen. */
export interface Header {
  readonly shop: string;
  readonly device: string;
  readonly training: boolean;
  /** Where a person plays the customer's phone in training (the sandbox's start page); null outside of training. */
  readonly sandboxUrl: string | null;
  readonly connection: "online" | "offline" | "starting";
  /** Links, rejects and undelivered reports not yet accepted by the service. */
  readonly pendingReports: { readonly count: number; readonly oldestMs: number } | null;
  readonly open: readonly OpenWithdrawal[];
  /** Withdrawals that the books must explain and that no manager has acknowledged yet. */
  readonly problems: number;
  /** Withdrawals that may hold money or whose end the service has not taken, the one in front included: leaving the terminal asks. */
  readonly unfinished: number;
  /** Terminal clock minus service clock, when it is off by more than 60 s. */
  readonly clockOffMs: number | null;
  readonly sameDeviceElsewhere: boolean;
  readonly damagedEntries: number;
  /** How far a check of the journal has come, in entries; null while none is under way. */
  readonly journalCheck: { readonly checked: number; readonly total: number } | null;
  /** The journal takes no entry: nothing can be begun or ended until it does, and no cash may be given. */
  readonly journalFailing: boolean;
}

/** A one-off message about the last scan; `id` grows, so that the same toast twice is seen twice. */
export interface Toast {
  readonly id: number;
  readonly code: "not_an_id" | "duplicate_scan" | "busy_review" | "busy_money" | "busy_lookup";
}

/** Everything the screens know. `revision` grows with each one. */
export interface Snapshot {
  readonly revision: number;
  readonly screen: Screen;
  readonly header: Header;
  readonly toast: Toast | null;
  readonly settings: Settings;
}

/** One withdrawal in the manager's list; `at` is ISO 8601 in UTC. */
export interface HistoryLine {
  readonly withdrawalId: string;
  readonly transactionId: string;
  readonly at: string;
  readonly money: Amount | null;
  readonly state: string;
  readonly outcome: Outcome | null;
  /** What the books must explain about it, in the core's words (`link_refused`, `amount_changed`, …); null when all is well. */
  readonly discrepancy: string | null;
}

/** Something for the manager: an open withdrawal that can be decided, or one that the books must explain. */
export interface Problem extends OfWithdrawal {
  readonly shop: string;
  readonly since: string;
  /** `open`: the terminal still works on it. `unresolved`: it stays until it is acknowledged. */
  readonly kind: "open" | "unresolved";
  /** What the books must explain, in the core's words, with commas between them; the stage of an open one. */
  readonly about: string;
  /** The shop whose journal it is in, when it is not this one's. */
  readonly otherShop: string | null;
  /** What a manager may say about it now; empty for an unresolved one. */
  readonly decisions: readonly ManagerDecision[];
}

/** What a check of the journal found; `entries` counts the sound ones. */
export interface JournalHealth {
  readonly entries: number;
  readonly damaged: readonly { readonly sequence: number; readonly why: string }[];
}

/** What the host puts on `window.till`, and what the core offers to hosts. */
export interface Bridge {
  dispatch(command: Command): Promise<Reply>;
  /** Calls at once with the latest snapshot, then on every change; the result stops it. */
  subscribe(listener: (snapshot: Snapshot) => void): () => void;
}
