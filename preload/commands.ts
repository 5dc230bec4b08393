/** What the screens can ask of the terminal's core, and what it answers. */
import { z } from "zod";
import { isServiceUrl } from "../backend/contract/service-url.ts";
import { undeliveredReasons } from "../backend/contract/undelivered-reasons.ts";
import { noteLengthMax, symbologies } from "./choices.ts";
import { credentialSchema } from "./credential.ts";
import { drawerMoneyCommandSchemas } from "./drawer-money.ts";
import { historyCommandSchemas } from "./history.ts";
import { ownServiceCommandSchemas } from "./own-service.ts";
import { approvalSchema, type PeopleCommand, peopleCommandSchemas } from "./people.ts";
import { phoneAccessCommandSchemas } from "./phone-access.ts";
import { settingsSchema } from "./settings.ts";
import { updateCommandSchemas } from "./updates.ts";
import type { refusals } from "./words.ts";

/** Where a scanned or typed text came from. */
export const scanSources = ["camera", "keyboard", "hid", "serial", "typed", "pasted"] as const;
/** Where a scanned or typed text came from. */
export type ScanSource = (typeof scanSources)[number];

/** What a manager can say about an open withdrawal: `leave_to_books` ends the terminal's part and leaves it to the reconciliation. */
export const decisions = ["handed_out", "not_handed_out", "leave_to_books"] as const;
/** One of `decisions`. */
export type ManagerDecision = (typeof decisions)[number];

/** Names a screen at one moment. A command that carries another step was meant for a screen that is gone: it is refused as `stale`. */
const step = z.string().min(1).max(100);
const withdrawalId = z.string().min(1).max(64);
const transactionId = z.string().min(1).max(64);
/** What a manager writes down about a decision; goes into the journal. */
const note = z.string().trim().min(1).max(noteLengthMax);

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
    /** After a restart, when the drawer was opened for it before (`approval_needed` without). */
    approval: approvalSchema.optional(),
  }),
  /** Once the drawer may have been open, with a second person's PIN (`approval_needed` without). */
  z.object({
    type: z.literal("not_handed_out"),
    step,
    reason: z.enum(undeliveredReasons),
    approval: approvalSchema.optional(),
  }),
  /** Leaves an ended, done or unknown screen (the terminal goes on working on what is unknown). */
  z.object({ type: z.literal("dismiss"), step }),
  /** Tries the failed look-up again, or asks at once about what is unknown. */
  z.object({ type: z.literal("retry"), step }),
  /** Brings an open withdrawal of the list back to the front. */
  z.object({ type: z.literal("resume"), withdrawalId }),
  /** Opens the drawer again after it failed or was shut; pays nothing. Once, then with a manager's PIN (`approval_needed`). */
  z.object({ type: z.literal("open_drawer"), step, approval: approvalSchema.optional() }),
  /** Prints the receipt of a withdrawal whose cash was handed out; one that was printed before is marked as a copy. */
  z.object({ type: z.literal("print_receipt"), withdrawalId, copy: z.enum(["customer", "shop"]) }),
  /** The printer was looked after: what waits is printed. */
  z.object({ type: z.literal("retry_print") }),
  /** Nobody needs what waits for the printer; each can be reprinted from the list. */
  z.object({ type: z.literal("drop_prints") }),
  credentialSchema.extend({
    type: z.literal("enroll"),
    /** A new address must be https (http on loopback); a stored one of an older version is still read. */
    serviceUrl: z.string().max(2048).refine(isServiceUrl),
  }),
  /**
   * Turns a one-time code into this terminal's access key, at the address that came with the code. The key never reaches the
   * page. Refused as `denied` when the code is unknown, used or too old, and as `unreachable`.
   */
  z.object({
    type: z.literal("enroll_by_code"),
    serviceUrl: z.string().max(2048).refine(isServiceUrl),
    code: z.string().trim().min(1).max(40),
  }),
  /** Whether a service of this kind answers at an address; nothing is kept. Reply data: ConnectionReport. */
  z.object({ type: z.literal("check_connection"), serviceUrl: z.string().max(2048).refine(isServiceUrl) }),
  z.object({ type: z.literal("change_settings"), settings: settingsSchema }),
  /** Opens the drawer while no withdrawal is under way, and writes so. Reply data: what the drawer said, as DrawerTest. */
  z.object({ type: z.literal("test_drawer") }),
  /** Prints a few lines that are no receipt; refused as `no_printer`, and as `busy` while a receipt waits. Reply data: PrinterTest. */
  z.object({ type: z.literal("test_printer") }),
  /** Training alone: plays the customer with the bundled service. Reply data of the three: PracticeWithdrawal. */
  z.object({ type: z.literal("practice_request"), amount: z.string().regex(/^\d{1,6}\.\d{2}$/) }),
  z.object({ type: z.literal("practice_read"), transactionId }),
  z.object({ type: z.literal("practice_decide"), transactionId, approved: z.boolean() }),
  /** The host restarts the terminal, for training or for real money; refused as `busy` while a withdrawal is unfinished. */
  z.object({ type: z.literal("switch_purpose"), training: z.boolean() }),
  ...historyCommandSchemas,
  /** Manager, on the desktop: the customer's display goes to the next screen, which is remembered; `no_screen` without one. */
  z.object({ type: z.literal("move_customer_display") }),
  /** Manager, on the desktop: closes the program, the one way out of a kiosk. */
  z.object({ type: z.literal("close_program") }),
  /** Manager: writes a file for support, without keys, PINs or customers. The host's. Reply data: SavedReport. */
  z.object({ type: z.literal("save_report") }),
  /** Manager: what this machine gives the program, for support. The host's. Reply data: CheckLine[]. */
  z.object({ type: z.literal("check_machine") }),
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
  ...drawerMoneyCommandSchemas,
  ...ownServiceCommandSchemas,
  ...phoneAccessCommandSchemas,
  ...updateCommandSchemas,
  ...peopleCommandSchemas,
]);
/** A checked command. */
export type Command = z.infer<typeof commandSchema>;
export type { PeopleCommand };
/** What reaches the terminal's core, once the host has checked who stands behind it. */
export type TerminalCommand = Exclude<Command, PeopleCommand>;

/** Why a command did nothing. */
export type Refusal = (typeof refusals)[number];
/** The answer to a command; `data` only where the command says what it is. */
export type Reply = { readonly ok: true; readonly data?: unknown } | { readonly ok: false; readonly code: Refusal };
