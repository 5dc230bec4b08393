/** The ways to every status, and the verbs that may be tried there. */
import type { Status, Transaction } from "../../backend/contract/transaction.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { approve, bank, confirmIt, declined, placeOrder, till, type World } from "./world.ts";

/** How long a barcode is good in these tests. */
export const orderTtlMs = 900_000;

/** A status that a withdrawal rests in. */
export type WayTo = Exclude<Status, "requested" | "settling">;
/** What a terminal or a bank may do to a withdrawal. */
export type Verb = "confirm" | "reject" | "link" | "undelivered" | "cancel" | "approve" | "deny";

/** Status to begin with → what each verb answers: the status of a 201, or 409. */
export const answersByStatus: Record<WayTo, Record<Verb, Status | 409>> = {
  ready: {
    confirm: "awaiting_sca",
    reject: "rejected",
    link: 409,
    undelivered: 409,
    cancel: "canceled",
    approve: 409,
    deny: 409,
  },
  awaiting_sca: {
    confirm: 409,
    reject: "rejected",
    link: 409,
    undelivered: 409,
    cancel: 409,
    approve: "settling",
    deny: "canceled",
  },
  settled: {
    confirm: 409,
    reject: 409,
    link: "linked",
    undelivered: "undelivered",
    cancel: 409,
    approve: "settled",
    deny: 409,
  },
  linked: { confirm: 409, reject: 409, link: "linked", undelivered: 409, cancel: 409, approve: "linked", deny: 409 },
  undelivered: {
    confirm: 409,
    reject: 409,
    link: 409,
    undelivered: "undelivered",
    cancel: 409,
    approve: "undelivered",
    deny: 409,
  },
  declined: { confirm: 409, reject: "declined", link: 409, undelivered: 409, cancel: 409, approve: 409, deny: 409 },
  rejected: { confirm: 409, reject: "rejected", link: 409, undelivered: 409, cancel: 409, approve: 409, deny: 409 },
  canceled: {
    confirm: 409,
    reject: "canceled",
    link: 409,
    undelivered: 409,
    cancel: 409,
    approve: 409,
    deny: "canceled",
  },
  expired: { confirm: 409, reject: "expired", link: 409, undelivered: 409, cancel: 409, approve: 409, deny: 409 },
  failed: { confirm: 409, reject: "failed", link: 409, undelivered: 409, cancel: 409, approve: "failed", deny: 409 },
};

/** Bound to the world of the test that runs. */
export const waysIn = (world: () => World, clock: () => VirtualClock) => {
  const read = (transaction: Transaction, reader = till) =>
    getTransaction(world().service, reader, transaction.transaction_id);
  const settledOf = (transaction: Transaction) =>
    getTransaction(world().service, till, transaction.transaction_id, { waitMs: 10_000, whileStatus: "settling" });

  /** Leads a fresh withdrawal to a status, by the shortest way. */
  const leadTo: Record<WayTo, () => Promise<Transaction>> = {
    ready: () => placeOrder(world().service),
    awaiting_sca: async () => confirmIt(world().service, await placeOrder(world().service)),
    settled: async () => settledOf(await approve(world().service, await leadTo.awaiting_sca())),
    linked: async () => linkTransaction(world().service, till, (await leadTo.settled()).transaction_id),
    undelivered: async () =>
      declareUndelivered(world().service, till, (await leadTo.settled()).transaction_id, "till_short"),
    async declined() {
      world().bank.onStart = () => declined;
      return placeOrder(world().service);
    },
    rejected: async () => rejectTransaction(world().service, till, (await placeOrder(world().service)).transaction_id),
    canceled: async () => resolveSca(world().service, bank, (await leadTo.awaiting_sca()).transaction_id, "denied"),
    async expired() {
      const transaction = await placeOrder(world().service);
      clock().jump(orderTtlMs);
      return read(transaction);
    },
    async failed() {
      world().bank.onSettle = () => declined;
      return settledOf(await approve(world().service, await leadTo.awaiting_sca()));
    },
  };

  const verbs: Record<Verb, (id: string) => Promise<Transaction>> = {
    confirm: (id: string) =>
      confirmTransaction(world().service, till, { transaction_id: id, transaction_id_partner: "late" }),
    reject: (id: string) => rejectTransaction(world().service, till, id),
    link: (id: string) => linkTransaction(world().service, till, id),
    undelivered: (id: string) => declareUndelivered(world().service, till, id, "till_short"),
    cancel: (id: string) => cancelWithdrawal(world().service, bank, id),
    approve: (id: string) => resolveSca(world().service, bank, id, "approved"),
    deny: (id: string) => resolveSca(world().service, bank, id, "denied"),
  };

  return { read, settledOf, leadTo, verbs };
};
