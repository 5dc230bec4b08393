/** The web-SDK page for its tests: a check-in, its link, an amount typed in a browser. */
import { afterAll, beforeAll, beforeEach } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Clock } from "../../backend/ports.ts";
import type { Dialect, Store } from "../../backend/store/store.ts";
import { createBrowser } from "./browser.ts";
import { type Caller, callAs, type Stage, startStage } from "./sandbox-stage.ts";
import { createPlace, type Place } from "./stores.ts";

interface Checkin {
  readonly status: string;
  readonly destination_url: string;
}

const details = {
  brand: "Demo Bank",
  userId: "ann",
  balance: "300.00",
  currency: "EUR",
  urlBack: "https://bank.example/back?tab=cash",
};

/** One service for the tests of a `describe`; call it there. Its clock can be put forward, until the next test. */
export const useWebSdk = (dialect: Dialect) => {
  let place: Place;
  let store: Store;
  let stage: Stage;
  let bank: Caller;
  let till: Caller;
  let laterMs = 0;
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + laterMs };

  const start = async (): Promise<void> => {
    stage = await startStage(store, {}, clock);
    [bank, till] = [await callAs(stage, "bank"), await callAs(stage, "till")];
  };
  beforeAll(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    await start();
  });
  beforeEach(() => {
    laterMs = 0;
  });
  afterAll(async () => {
    await stage.stop();
    await place.dispose();
  });

  const checkIn = (more: object = {}, referenceId = "ref-1") =>
    bank.post<Checkin>("/api/v7/partnerCheckin", { referenceId, additionalData: { ...details, ...more } });
  const freshLink = async (more: object = {}) => (await checkIn(more)).body.destination_url;

  return {
    url: () => stage.url,
    app: () => stage.app,
    store: () => store,
    till: () => till,
    checkIn,
    freshLink,
    later(ms: number) {
      laterMs = ms;
    },
    async restart() {
      await stage.stop();
      await start();
    },
    /** Withdrawals that the bank has secured and not paid. */
    async countHolds(): Promise<number> {
      const ledger = (await (await fetch(`${stage.url}/sandbox/bank/ledger`)).json()) as { holds: unknown[] };
      return ledger.holds.length;
    },
    /** Opens a fresh link and types an amount. */
    async placeOrder(amount: string, more: object = {}) {
      const browser = createBrowser();
      const page = await browser.open(await freshLink(more));
      const after = /name="after" value="([^"]*)"/.exec(page.html)?.[1] ?? "";
      const reply = await browser.submit(`${page.url}/withdrawal`, { after, amount, store: "demo-shop" });
      return { browser, page, reply, id: /data-code="(\w{16})"/.exec(reply.html)?.[1] ?? "" };
    },
  };
};
