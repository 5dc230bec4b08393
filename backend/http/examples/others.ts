/** The examples of calls that move no withdrawal: customers, users, shops, terminals, the operator's own. */
import { destinationUrl } from "../../checkin/check-in.ts";
import { example } from "../../contract/example.ts";
import type { Exchanges } from "./exchange.ts";
import type { Timing } from "./withdrawal.ts";

const limits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10.00" };
const checkin = {
  referenceId: "checkin-8842",
  additionalData: {
    brand: "My Bank",
    userId: example.userId,
    balance: "250.00",
    currency: example.currency,
    urlBack: "https://bank.example/cash",
  },
};
const user = { id: "ann", password: "correct horse 7", email: "ann@example.com", phone: "+49 30 1234567" };
const head = { seq: 42, head: "c29tZSBsaW5r", at: "2026-11-20T10:17:20.000Z" };
const kept = { ...head, received_at: "2026-11-20T10:17:21.000Z" };

/** @param publicUrl where customers' pages are. */
export const otherExchanges = ({ scaSeconds }: Timing, publicUrl: string): Exchanges => ({
  partnerCheckin: {
    known: {
      summary: "A customer who has been here before",
      sent: checkin,
      answered: {
        status: "active",
        destination_url: destinationUrl(publicUrl, "ZkW3yQ1xV8uT5sR2", "mG0pX4bYy2nV1sQfK8cJ6tL3rZ5wH7uD9aEoBiTxPqA"),
        expires_at: "2026-11-20T10:25:00.000Z",
      },
    },
    blocked: {
      summary: "A customer who is blocked",
      sent: checkin,
      answered: { status: "blocked", destination_url: null, expires_at: null },
    },
  },
  createUser: {
    chosen: {
      summary: "With an id and a password of your own",
      sent: user,
      answered: { ...user, isAutoUpdateEnabled: false },
    },
    made: {
      summary: "With an id and a password that the service makes",
      sent: {},
      answered: {
        id: "9f1c4be07a52d3686e0b1f2a4c7d90",
        password: "w6Yt0KfQ2sHn8bVx4RcJ1mLp",
        isAutoUpdateEnabled: false,
      },
    },
  },
  listStores: {
    all: {
      summary: "All on one page",
      answered: {
        stores: [
          { store: example.store, name: example.storeName, ...limits },
          { store: "station-kiosk", name: "Station Kiosk", ...limits, amount_max: "200.00" },
        ],
        next: null,
      },
    },
  },
  enrol: {
    code: {
      summary: "As a person types it",
      sent: { code: "7F3K-9Q2M-4XT6" },
      answered: {
        merchant_id: example.store,
        store_name: example.storeName,
        device_id: example.device,
        password: "the-access-key-of-this-terminal",
      },
    },
  },
  resetManager: {
    code: {
      summary: "As a person types it",
      sent: { merchant_id: example.store, device_id: example.device, code: "7F3K-9Q2M-4XT6" },
      answered: { merchant_id: example.store, device_id: example.device },
    },
  },
  reportJournalHead: { newest: { summary: "The newest link", sent: head, answered: kept } },
  listJournalHeads: { kept: { summary: "What was reported", answered: { heads: [kept] } } },
  readTill: {
    shop: {
      summary: "The shop of this terminal",
      answered: {
        ...limits,
        store_name: example.storeName,
        sca_timeout_seconds: scaSeconds,
        support: { text: "Head office, 8 to 18 h", phone: "+49 30 123456" },
        server_time: "2026-11-20T10:15:00.000Z",
        forgot_since: null,
        restored_at: null,
        kept_head: null,
      },
    },
  },
  getHealth: { alive: { summary: "The process runs", answered: { status: "ok" } } },
  getReady: { ready: { summary: "It can work", answered: { status: "ready" } } },
  getMetrics: {
    some: {
      summary: "Some of them",
      answered: [
        "# HELP tillcash_transitions_total Committed transitions of withdrawals",
        "# TYPE tillcash_transitions_total counter",
        'tillcash_transitions_total{from="settled",to="linked",reason="none"} 1',
        "",
      ].join("\n"),
    },
  },
});
