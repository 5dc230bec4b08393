/** Receipts: printed by themselves when cash was handed out, again when somebody asks, and never a condition for anything. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Settings } from "../../../preload/contract.ts";
import type { Receipt, ReceiptCopy } from "../printing/receipt.ts";
import type { Event } from "./events.ts";
import { type Actor, accept, counterActor, type Decision, type PrintInput, refuse, terminalActor } from "./inputs.ts";
import { type Moment, type State, shopOf, terminalNameOf } from "./state.ts";
import type { Facts } from "./withdrawal.ts";

/** Copies that the settings want for every hand-out. */
const copiesOf = (printer: Settings["printer"]): readonly ReceiptCopy[] => {
  if (printer.kind === "none" || printer.receipts === "none") return [];
  return printer.receipts === "both" ? ["customer", "shop"] : [printer.receipts];
};

/** Of a drawer's own answer, the cashier who stands there. */
const cashierOf = (state: State, { code }: Actor): string | null =>
  code === terminalActor.code ? (state.people.cashier?.code ?? null) : code === counterActor.code ? null : code;

/** What the receipt of a withdrawal says when the cash is handed over at this moment. */
export const receiptOf = (state: State, facts: Facts, atMs: number, cashier: string | null): Receipt => ({
  transactionId: facts.transactionId,
  partnerId: facts.partnerId,
  amount: facts.amount,
  currency: facts.currency,
  atMs,
  shop: shopOf(state)?.name ?? (facts.shop || (state.device?.merchantId ?? "")),
  terminal: terminalNameOf(state),
  cashier,
  training: state.training,
  isReprint: false,
});

/** The decision with the request for a receipt behind each hand-out, in the same step of the journal. */
export const withReceipts = (state: State, decision: Decision, moment: Moment, actor: Actor): Decision => {
  const copies = copiesOf(state.settings.printer);
  if (copies.length === 0) return decision;
  const requests = decision.events.flatMap((event): readonly Event[] => {
    if (event.type !== "handed_out") return [];
    const receipt = receiptOf(state, event.of, moment.wallMs, cashierOf(state, actor));
    return [{ type: "receipt_requested", withdrawalId: event.of.withdrawalId, copies: [...copies], receipt }];
  });
  return { ...decision, events: [...decision.events, ...requests] };
};

/** Decides about an input that concerns the printer. */
export const decidePrinting = ({ settings, printing }: State, input: PrintInput): Decision => {
  const { kind } = printing.printer;
  const waits = kind === "not_printed" || kind === "unclear";
  switch (input.type) {
    case "receipt_wanted": {
      if (settings.printer.kind === "none") return refuse("no_printer");
      const { withdrawalId, copies, receipt } = input;
      return accept({ type: "receipt_requested", withdrawalId, copies: [...copies], receipt });
    }
    case "print_answered":
      if (kind !== "printing" || printing.jobs[0]?.number !== input.number) return refuse("stale");
      return accept({ type: "print_ended", number: input.number, answer: input.result });
    case "print_pause_ended":
      return kind === "not_printed" ? accept({ type: "print_retried" }) : refuse("stale");
    case "retry_print":
      return waits ? accept({ type: "print_retried" }) : refuse("stale");
    case "drop_prints":
      return waits ? accept({ type: "prints_dropped" }) : refuse("stale");
    default:
      return assertNever(input);
  }
};
