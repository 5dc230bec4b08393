/** The examples of the service's calls to a bank: both orders, and an event for each status that is reported. */
import { example } from "../../contract/example.ts";
import { holdMarginMs, type SettleOrder, type StartOrder } from "../../contract/partner.ts";
import { type EventStatus, eventStatuses, type StatusEvent } from "../../contract/status-events.ts";
import { eventSequence } from "../../withdrawals/lifecycle.ts";
import type { Exchanges } from "./exchange.ts";
import type { Timing, WithdrawalStory } from "./withdrawal.ts";

/** The headers of one call, as they would come with its example. */
export interface SentHeaders {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
}

const secondsOf = (time: string): string => String(Math.floor(Date.parse(time) / 1000));

const summaries: Readonly<Record<EventStatus, string>> = {
  ready: "The barcode can be scanned",
  awaiting_sca: "The cashier has confirmed: ask your customer",
  settled: "You have paid",
  linked: "The cash was handed out",
  undelivered: "No cash was handed out",
  rejected: "The cashier refused",
  canceled: "Not approved in time",
  expired: "Nobody confirmed in time",
  declined: "You declined the Start order",
  failed: "You declined the Settle order",
};

const eventOf = ({ as }: WithdrawalStory, status: EventStatus): StatusEvent => {
  const transaction = as[status];
  const sca_expires_at = transaction.sca_expires_at === null ? null : Date.parse(transaction.sca_expires_at);
  return { type: `withdrawal.${status}`, sequence: eventSequence({ status, sca_expires_at }), transaction };
};

/** What each order and event comes with. */
export const webhookHeaders = (story: WithdrawalStory): Readonly<Record<string, SentHeaders>> => ({
  startOrder: { id: `start_${example.transactionId}`, timestamp: secondsOf(story.as.ready.created_at) },
  settleOrder: { id: `settle_${example.transactionId}`, timestamp: secondsOf(story.approvedAt) },
  statusEvent: {
    id: `event_${example.transactionId}_${eventOf(story, "awaiting_sca").sequence}`,
    timestamp: secondsOf(story.as.awaiting_sca.confirmed_at ?? story.approvedAt),
  },
});

/** The bodies. The event that a bank has to act upon comes first. */
export const webhookExchanges = (story: WithdrawalStory, { scaSeconds }: Timing): Exchanges => {
  const { created_at, expires_at, amount, store_name } = story.as.ready;
  const start: StartOrder = {
    userId: example.userId,
    amount,
    dateOfTransaction: created_at,
    expiryTimeOfTheOrder: new Date(Date.parse(expires_at) + scaSeconds * 1000 + holdMarginMs).toISOString(),
    svcTransactionReferenceId: example.transactionId,
    store: store_name,
  };
  const settle: SettleOrder = {
    userId: example.userId,
    TransactionId: example.transactionIdPartner,
    DateOperation: story.approvedAt,
    SvcTransactionReferenceId: example.transactionId,
  };
  const accepted = { status: "accepted" };
  const inTurn = ["awaiting_sca", ...eventStatuses.filter((status) => status !== "awaiting_sca")] as const;
  return {
    startOrder: { secured: { summary: "The funds are secured", sent: start, answered: accepted } },
    settleOrder: { paid: { summary: "The shop is paid", sent: settle, answered: accepted } },
    statusEvent: Object.fromEntries(
      inTurn.map((status) => [status, { summary: summaries[status], sent: eventOf(story, status) }]),
    ),
  };
};
