/** The till's counter: the real programs, the cashier who works the till and the killer, bound to each other and seen by the checker. */
import { parseAmount } from "../../../backend/contract/money.ts";
import type { Screen } from "../../../preload/contract.ts";
import { createChance, seedOf } from "../../random.ts";
import type { SimulatedBank } from "../bank.ts";
import { type Cashier, createCashier } from "../cashier.ts";
import type { ServiceRow } from "../evidence.ts";
import type { Occupancy } from "../occupancy.ts";
import { readRow } from "../read-service.ts";
import type { Scheduler } from "../scheduler.ts";
import type { Watch } from "../watch.ts";
import { createKiller, type Killer } from "./kills.ts";
import { openShop, type Shop } from "./shop.ts";

/** All that plays at one till. */
export interface Counter {
  readonly shop: Shop;
  readonly cashier: Cashier;
  readonly killer: Killer;
  /** A withdrawal as the service's database has it now. */
  rowOf(transactionId: string): ServiceRow | null;
}

/** Everything is up but the till. */
export const openCounter = async (options: {
  readonly seed: number;
  readonly scheduler: Pick<Scheduler, "after">;
  readonly bank: SimulatedBank;
  readonly watch: Watch;
  readonly occupancy: Occupancy;
  readonly betweenKillsMs: { readonly min: number; readonly max: number };
  readonly atEnd: (close: () => unknown) => void;
}): Promise<Counter> => {
  const { seed, watch, occupancy } = options;
  // Bound one after the other: nothing is shown before the till starts.
  let onScreen = (_: Screen): void => {};
  let onDrawer = (): void => {};
  const shop = await openShop({
    bank: options.bank,
    atEnd: options.atEnd,
    onDrawer: () => onDrawer(),
    onSnapshot: ({ screen }) => onScreen(screen),
  });
  const rowOf = (transactionId: string): ServiceRow | null => readRow(shop.books, transactionId);
  /** What the database says now is what the checker holds against the till. */
  const compare = (transactionId: string): void => {
    const row = rowOf(transactionId);
    if (row) watch.recordRow(row);
  };

  const cashier = createCashier({
    seed,
    scheduler: options.scheduler,
    till: shop.till,
    currency: "EUR",
    onCash: (transactionId, { amount, currency }) => {
      compare(transactionId);
      watch.cashLeft({ till: 0, transactionId, amountMinor: parseAmount(amount, currency) ?? 0, currency });
    },
    tillMayForget: false,
    cashMinor: () => 0,
    onTrace: () => {},
  });
  const killer = createKiller({
    chance: createChance(seedOf(seed, "kills")),
    shop,
    betweenMs: options.betweenKillsMs,
    statusOf: (transactionId) => rowOf(transactionId)?.status ?? null,
    onTillOff: () => occupancy.off(0),
    onServiceBack: (awayMs) => occupancy.excuse(0, awayMs),
  });

  let lastStep = "";
  onDrawer = cashier.drawerOpened;
  onScreen = (screen) => {
    occupancy.shows(0, screen);
    if (screen.kind === "payable" && screen.step !== lastStep) {
      compare(screen.transactionId);
      watch.offered(0, screen.transactionId);
    }
    lastStep = screen.step;
    cashier.screenChanged(screen);
    killer.shows(screen);
  };
  return { shop, cashier, killer, rowOf };
};
