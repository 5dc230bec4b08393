/** What a withdrawal's status means to the customer. One place, so that no status is ever without words. */
import { assertNever } from "../../contract/assert-never.ts";
import type { Reason } from "../../contract/reasons.ts";
import type { Status } from "../../contract/transaction.ts";
import type { StatusMessage, Texts } from "../texts/texts.ts";

/** How a message looks. */
export type Tone = "good" | "bad" | "wait";

/** How an ended withdrawal reads, and what it looks like. */
export const toneOf = (status: Status): Tone => {
  switch (status) {
    case "settled":
    case "linked":
      return "good";
    case "requested":
    case "ready":
    case "awaiting_sca":
    case "settling":
      return "wait";
    case "declined":
    case "rejected":
    case "canceled":
    case "expired":
    case "failed":
    case "undelivered":
      return "bad";
    default:
      return assertNever(status);
  }
};

/** Of each reason for `canceled`, its words; one that a later release wrote reads as the rest. */
const canceledTexts: Readonly<Record<Reason, "scaTimeout" | "scaDenied" | "userCanceled" | "restored" | "canceled">> = {
  sca_timeout: "scaTimeout",
  sca_denied: "scaDenied",
  user_canceled: "userCanceled",
  order_expired: "canceled",
  partner_declined: "canceled",
  partner_unreachable: "canceled",
  cashier_rejected: "canceled",
  settle_declined: "canceled",
  restored: "restored",
};
const canceled = (reason: Reason | null, texts: Texts): StatusMessage =>
  texts[(reason === null ? undefined : canceledTexts[reason]) ?? "canceled"];

/** The customer's text for a status: what the service knows, and no more. */
export const statusMessageOf = (status: Status, reason: Reason | null, amount: string, texts: Texts): StatusMessage => {
  switch (status) {
    case "requested":
      return texts.requested;
    case "ready":
      return texts.ready;
    case "awaiting_sca":
      return texts.awaitingSca;
    case "settling":
      return texts.settling;
    case "settled":
      return texts.settled(amount);
    case "linked":
      return texts.linked(amount);
    case "undelivered":
      return texts.undelivered(amount);
    case "declined":
      return reason === "partner_unreachable" ? texts.unreachable : texts.declined;
    case "rejected":
      return reason === "sca_timeout" ? texts.scaTimeout : texts.rejected;
    case "canceled":
      return canceled(reason, texts);
    case "expired":
      return texts.expired;
    case "failed":
      return texts.failed;
    default:
      return assertNever(status);
  }
};
