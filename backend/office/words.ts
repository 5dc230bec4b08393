/** Labels for the API's words. */
import type { Status } from "../contract/transaction.ts";

/** Labels of statuses. */
export const statusWords: Readonly<Record<Status, string>> = {
  requested: "Asked for",
  ready: "Ready to be scanned",
  awaiting_sca: "Waits for the customer",
  settling: "Being paid",
  settled: "Paid, no word of the cash",
  linked: "Handed out",
  undelivered: "Paid, not handed out",
  declined: "Declined by the bank",
  rejected: "Rejected at the till",
  canceled: "Cancelled",
  expired: "Expired",
  failed: "Not paid",
};

/** Tones of statuses, as `Tag` describes them. */
export const statusTones: Readonly<Record<Status, "act" | "wait" | "done" | "off">> = {
  requested: "wait",
  ready: "wait",
  awaiting_sca: "wait",
  settling: "wait",
  settled: "act",
  linked: "done",
  undelivered: "act",
  declined: "off",
  rejected: "off",
  canceled: "off",
  expired: "off",
  failed: "off",
};
