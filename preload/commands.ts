/** What the screens can ask of the terminal's core, and what it answers. */
import { z } from "zod";
import { undeliveredReasons } from "../backend/contract/reasons.ts";
import { isServiceUrl } from "../backend/contract/service-url.ts";
import { noteLengthMax, symbologies } from "./choices.ts";
import { type Answerer, command, type HostPartName, hostParts, type Right } from "./command.ts";
import { credentialSchema } from "./credential.ts";
import { drawerMoneyCommands, piecesSchema } from "./drawer-money.ts";
import type { refusals } from "./enums.ts";
import { historyCommands } from "./history.ts";
import { ownServiceCommands } from "./own-service.ts";
import { approvalSchema, type PeopleCommand, peopleCommands } from "./people.ts";
import { phoneAccessCommands } from "./phone-access.ts";
import { enteredDrawerSchema, enteredPrinterSchema, settingsSchema } from "./settings.ts";
import { updateCommands } from "./updates.ts";

/** Where a scanned or typed text came from. */
const scanSources = ["camera", "keyboard", "hid", "serial", "typed", "pasted"] as const;
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

/** Everything that a screen can ask for: its name, who may, who answers it, and what it holds. */
const commands = [
  /** A barcode, wherever it came from. Anything that is no id, or comes while money is moving, is refused. */
  command("scan", "serve", "cashier", {
    text: z.string().max(4096),
    source: z.enum(scanSources),
    symbology: z.enum(symbologies).optional(),
  }),
  command("confirm", "serve", "cashier", { step }),
  command("reject", "pay_out", "cashier", { step }),
  /**
   * On `payable`: opens the drawer; where none is connected, says that the cash was handed over, which links. On `counting` and
   * where the drawer did not open: says so.
   */
  command("hand_out", "pay_out", "cashier", {
    step,
    /** The hand-out was begun before and the customer already has the cash: the drawer stays shut. */
    alreadyGiven: z.literal(true).optional(),
    /** The notes and coins that the screen suggested, if any. */
    cash: piecesSchema.optional(),
    /** A second person's PIN: needed after a restart, when the drawer was opened for it before (else `approval_needed`). */
    approval: approvalSchema.optional(),
  }),
  /** A second person's PIN: needed once the drawer may have been open (else `approval_needed`). */
  command("not_handed_out", "pay_out", "cashier", {
    step,
    reason: z.enum(undeliveredReasons),
    approval: approvalSchema.optional(),
  }),
  /** Leaves an ended, done or unknown screen (the terminal goes on working on what is unknown). */
  command("dismiss", "pay_out", "cashier", { step }),
  /** Tries the failed look-up again, or asks at once about what is unknown. */
  command("retry", "pay_out", "cashier", { step }),
  /** Brings an open withdrawal of the list back to the front. */
  command("resume", "pay_out", "cashier", { withdrawalId }),
  /** Opens the drawer again after it failed or was shut; pays nothing. Once, then with a manager's PIN (`approval_needed`). */
  command("open_drawer", "pay_out", "cashier", { step, approval: approvalSchema.optional() }),
  /** Prints the receipt of a withdrawal whose cash was handed out; one that was printed before is marked as a copy. */
  command("print_receipt", "counter", "history", { withdrawalId, copy: z.enum(["customer", "shop"]) }),
  /** The printer was refilled or repaired: prints what waits. */
  command("retry_print", "pay_out", "printer"),
  /** Discards what waits for the printer; each receipt can be reprinted from the list. */
  command("drop_prints", "pay_out", "printer"),
  command("enroll", "manager", "enrolment", {
    ...credentialSchema.shape,
    /** A new address must be https (http on loopback); a stored one of an older version is still read. */
    serviceUrl: z.string().max(2048).refine(isServiceUrl),
  }),
  /**
   * Turns a one-time code into this terminal's access key, at the address that came with the code. The key never reaches the
   * page. Refused as `denied` when the code is unknown, used or too old, and as `unreachable`.
   */
  command("enroll_by_code", "operator_code", "enrolment", {
    serviceUrl: z.string().max(2048).refine(isServiceUrl),
    code: z.string().trim().min(1).max(40),
  }),
  /** Whether a service of this kind answers at an address; nothing is kept. Reply data: ConnectionReport. */
  command("check_connection", "set_up", "setUp", { serviceUrl: z.string().max(2048).refine(isServiceUrl) }),
  command("change_settings", "set_up", "terminal", { settings: settingsSchema }),
  /** Opens the drawer while no withdrawal is under way, and notes it in the journal. Changes no settings. Reply data: DrawerResult. */
  command("test_drawer", "manager", "setUp", {
    /** One that is tried before it is chosen; else the one of the settings. */
    drawer: enteredDrawerSchema.optional(),
  }),
  /**
   * Prints a few lines that are no receipt; refused as `no_printer`, and as `busy` while a receipt waits. Changes no settings.
   * Reply data: PrinterTest.
   */
  command("test_printer", "manager", "setUp", {
    /** One that is tried before it is chosen; else the one of the settings. */
    printer: enteredPrinterSchema.optional(),
  }),
  /**
   * Looks at this machine's ports and the shop's own network for what may be a printer; nothing is sent to any. Takes a few
   * seconds. Reply data: FoundPrinter[].
   */
  command("find_printers", "manager", "setUp"),
  /** Training alone: plays the customer with the bundled service. Reply data of the three: PracticeWithdrawal. */
  command("practice_request", "counter", "setUp", { amount: z.string().regex(/^\d{1,6}\.\d{2}$/) }),
  command("practice_read", "counter", "setUp", { transactionId }),
  command("practice_decide", "counter", "setUp", { transactionId, approved: z.boolean() }),
  /** The host restarts the terminal, for training or for real money; refused as `busy` while a withdrawal is unfinished. */
  command("switch_purpose", "set_up", "purpose", {
    training: z.boolean(),
    /** The last step of the set-up: training begins with one withdrawal, and goes back to real money after it. */
    practice: z.literal(true).optional(),
  }),
  ...historyCommands,
  /** Manager, on the desktop: the customer's display goes to the next screen, which is remembered; `no_screen` without one. */
  command("move_customer_display", "manager", "windows"),
  /** Manager, on the desktop: closes the program, the one way out of a kiosk. */
  command("close_program", "set_up", "windows"),
  /** Manager: writes a file for support, without keys, PINs or customers. The host's. Reply data: SavedReport. */
  command("save_report", "manager", "report"),
  /** Manager: what this machine gives the program, for support. The host's. Reply data: CheckLine[]. */
  command("check_machine", "manager", "report"),
  /** Manager: the journal's state. Reply data: JournalHealth. */
  command("check_journal", "manager", "terminal"),
  /** Manager: what is open and what the books must explain, oldest first. Reply data: Problem[]. */
  command("list_problems", "manager", "terminal"),
  /** Manager: says what became of an open withdrawal that the service cannot be asked about any more. */
  command("decide_withdrawal", "manager", "manager", { withdrawalId, decision: z.enum(decisions), note }),
  /** Manager: a problem was cleared up outside of the terminal; it leaves the list. Refused as `stale` if it is not as it was `shown`. */
  command("acknowledge_problem", "manager", "manager", {
    withdrawalId,
    note,
    shown: z.object({ since: z.string().max(100), about: z.string().max(2_000) }).optional(),
  }),
  /** Manager: says whether a journal without an owner belongs to this shop. */
  command("answer_journal_question", "manager", "terminal", { choice: z.enum(["adopt", "set_aside"]) }),
  ...drawerMoneyCommands,
  ...ownServiceCommands,
  ...phoneAccessCommands,
  ...updateCommands,
  ...peopleCommands,
] as const;
type Commands = typeof commands;
type SchemasOf<Rows extends readonly { readonly schema: unknown }[]> = {
  -readonly [At in keyof Rows]: Rows[At]["schema"];
};

/** What does not match is refused as `invalid` and never reaches the core. */
export const commandSchema = z.discriminatedUnion(
  "type",
  commands.map(({ schema }) => schema) as unknown as SchemasOf<Commands>,
);
/** A checked command. */
export type Command = z.infer<typeof commandSchema>;
export type { HostPartName, PeopleCommand, Right };

const table = Object.fromEntries(commands.map((row) => [row.type, row])) as unknown as Readonly<
  Record<Command["type"], { readonly right: Right; readonly by: Answerer }>
>;

/** Who may give it. */
export const rightOf = (given: Command): Right => table[given.type].right;

/** The names of the commands that one part answers. */
export type CommandNameOf<By extends Answerer> = Extract<Commands[number], { by: By }>["type"];
/** The commands that one part answers. */
export type CommandOf<By extends Answerer> = z.infer<Extract<Commands[number], { by: By }>["schema"]>;

/** Whether a part answers it. */
export const isFor = <By extends Answerer>(given: Command, ...parts: readonly By[]): given is CommandOf<By> =>
  (parts as readonly Answerer[]).includes(table[given.type].by);

/** Whether a part of the program around the terminal answers it. */
export const isForHost = (given: Command): given is CommandOf<HostPartName> => isFor(given, ...hostParts);

/** What reaches the terminal's core, once the host has checked who stands behind it. */
export type TerminalCommand = Exclude<Command, PeopleCommand>;

/** Why a command did nothing. */
export type Refusal = (typeof refusals)[number];
/** The answer to a command; `data` only where the command says what it is. */
export type Reply = { readonly ok: true; readonly data?: unknown } | { readonly ok: false; readonly code: Refusal };
