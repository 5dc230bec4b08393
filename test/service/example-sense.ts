/** What must hold of any withdrawal that is shown, whoever shows it: its times in order, and each field as its status has it. */
import { isTransactionId } from "../../backend/contract/ids.ts";
import type { Reason } from "../../backend/contract/reasons.ts";
import { isClosed, isFinal, type Status, type Transaction } from "../../backend/contract/transaction.ts";

/** What an installation may set; the examples follow. */
export interface Timing {
  readonly scaSeconds: number;
  readonly orderTtlSeconds: number;
}

/** Whether a withdrawal in this status has been confirmed; null where both may be. */
const isConfirmed: Readonly<Record<Status, boolean | null>> = {
  requested: false,
  ready: false,
  awaiting_sca: true,
  settling: true,
  settled: true,
  linked: true,
  undelivered: true,
  declined: false,
  rejected: null,
  canceled: null,
  expired: false,
  failed: true,
};
const reasonsOf: Readonly<Partial<Record<Status, readonly Reason[]>>> = {
  declined: ["partner_declined", "partner_unreachable"],
  rejected: ["cashier_rejected", "sca_timeout"],
  canceled: ["sca_timeout", "sca_denied", "user_canceled"],
  expired: ["order_expired"],
  failed: ["settle_declined"],
};

const ms = (time: string | null): number | null => (time === null ? null : Date.parse(time));

/** Each sentence is one thing that cannot be; none for a withdrawal that makes sense. */
export const faultsOf = (shown: Transaction, { scaSeconds, orderTtlSeconds }: Timing): string[] => {
  const { status, reason } = shown;
  const [created, expires] = [Date.parse(shown.created_at), Date.parse(shown.expires_at)];
  const confirmed = ms(shown.confirmed_at);
  const sca = ms(shown.sca_expires_at);
  const [settled, linked, closed] = [ms(shown.settled_at), ms(shown.linked_at), ms(shown.closed_at)];
  const isPaid = status === "settled" || status === "linked" || status === "undelivered";
  const isApproved = isPaid || status === "settling" || status === "failed";
  const rules: Record<string, boolean> = {
    "the id has its check character": isTransactionId(shown.transaction_id),
    "expires_at follows created_at": expires - created === orderTtlSeconds * 1000,
    "confirmed_at is as the status has it":
      isConfirmed[status] === null || isConfirmed[status] === (confirmed !== null),
    "the terminal's own id comes with the confirmation":
      (shown.transaction_id_partner === null) === (confirmed === null),
    "confirmed after it was asked for, and in time": confirmed === null || (created < confirmed && confirmed < expires),
    "sca_expires_at comes with a confirmation that needs approval":
      (sca !== null) === (confirmed !== null && shown.sca_required),
    "sca_expires_at follows confirmed_at": sca === null || sca - (confirmed ?? 0) === scaSeconds * 1000,
    "only who needs approval awaits it": status !== "awaiting_sca" || shown.sca_required,
    "settled_at is set when the bank has paid": (settled !== null) === isPaid,
    "paid after the confirmation": settled === null || (confirmed ?? settled) < settled,
    "linked_at is set for linked": (linked !== null) === (status === "linked"),
    "linked after it was paid": linked === null || (settled ?? linked) < linked,
    "closed_at is set for what ended without cash": (closed !== null) === (isFinal(status) && status !== "linked"),
    "closed last": closed === null || [created, confirmed, settled].every((time) => time === null || time < closed),
    "a reason is given for what ended without cash": (reason !== null) === (isFinal(status) && status !== "linked"),
    "the reason is one of its status": !isClosed(status) || (reasonsOf[status] ?? []).includes(reason as Reason),
    "expired when its time had passed": status !== "expired" || closed === expires,
    "timed out when the approval's time had passed":
      status !== "canceled" || reason !== "sca_timeout" || closed === sca,
    "denied while the approval's time ran":
      reason !== "sca_denied" || (sca !== null && closed !== null && closed < sca),
    "given up before the confirmation": reason !== "user_canceled" || confirmed === null,
    "approved within its time": sca === null || !isApproved || (settled ?? closed ?? sca) <= sca + 60_000,
  };
  return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [`${status} ${reason}: ${rule}`]));
};
