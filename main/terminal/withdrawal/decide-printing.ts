/** Receipts: printed automatically after a hand-out and again on request. Nothing depends on them. */
import type { Settings } from "../../../preload/contract.ts";
import type { Receipt, ReceiptCopy } from "../printing/paper.ts";
import { printTroubleOf } from "../printing/queue.ts";
import type { Event } from "./events.ts";
import {
  type Actor,
  accept,
  counterActor,
  type Decisions,
  type Input,
  refuse,
  type Turn,
  terminalActor,
} from "./inputs.ts";
import { type State, shopOf, terminalNameOf } from "./state.ts";
import type { Facts } from "./withdrawal.ts";

/** Copies that the settings require for every hand-out. */
const copiesOf = (printer: Settings["printer"]): readonly ReceiptCopy[] => {
  if (printer.kind === "none" || printer.receipts === "none") return [];
  return printer.receipts === "both" ? ["customer", "shop"] : [printer.receipts];
};

/** The acting cashier; for inputs without a person, the one who is signed in. */
const cashierOf = (state: State, { code }: Actor): string | null =>
  code === terminalActor.code ? (state.people.cashier?.code ?? null) : code === counterActor.code ? null : code;

/** The receipt of a withdrawal whose cash is handed out now. */
export const receiptOf = (state: State, facts: Facts, atMs: number, cashier: string | null): Receipt => ({
  transactionId: facts.transactionId,
  terminalReference: facts.terminalReference,
  amount: facts.amount,
  currency: facts.currency,
  atMs,
  shop: shopOf(state)?.name ?? (facts.shop || (state.device?.merchantId ?? "")),
  terminal: terminalNameOf(state),
  cashier,
  training: state.training,
  isReprint: false,
});

/** Requests the receipts of a hand-out that the settings require; written in the same step. */
export const receiptRequest = ({ state, moment, actor }: Turn, facts: Facts): readonly Event[] => {
  const copies = copiesOf(state.settings.printer);
  if (copies.length === 0) return [];
  const receipt = receiptOf(state, facts, moment.wallMs, cashierOf(state, actor));
  return [{ type: "receipt_requested", withdrawalId: facts.withdrawalId, copies: [...copies], receipt }];
};

/** Decisions about printing. */
export const printingDecisions = {
  receipt_wanted: ({ state }, { withdrawalId, copies, receipt }) =>
    state.settings.printer.kind === "none"
      ? refuse("no_printer")
      : accept({ type: "receipt_requested", withdrawalId, copies: [...copies], receipt }),
  print_answered: ({ state: { printing } }, { number, result }) =>
    printing.printer.kind === "printing" && printing.jobs[0]?.number === number
      ? accept({ type: "print_ended", number, answer: result })
      : refuse("stale"),
  print_pause_ended: ({ state: { printing } }) =>
    printing.printer.kind === "not_printed" ? accept({ type: "print_retried" }) : refuse("stale"),
  retry_print: ({ state: { printing } }) =>
    printTroubleOf(printing.printer) === null ? refuse("stale") : accept({ type: "print_retried" }),
  drop_prints: ({ state: { printing } }) =>
    printTroubleOf(printing.printer) === null ? refuse("stale") : accept({ type: "prints_dropped" }),
} satisfies Partial<Decisions<Input>>;
