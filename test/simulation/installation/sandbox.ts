/** Training's own service, with shops and terminals of the same names: what a till practises with must not touch the real one. */
import { createBank } from "../bank.ts";
import { partner, shop } from "../boot-service.ts";
import { bankCaller } from "../carrier.ts";
import { type Customer, startCustomer } from "../customer.ts";
import type { ServiceRow } from "../evidence.ts";
import type { FaultInjector } from "../fault-injector.ts";
import type { Network } from "../network.ts";
import type { PlannedWithdrawal } from "../plan.ts";
import type { Programs } from "../programs.ts";
import type { Scheduler } from "../scheduler.ts";
import { createServiceMachine, type ServiceMachine } from "../service.ts";

/** The base address of training's service. */
export const sandboxUrl = "http://sandbox.simulated";

/** Training's service and the people who practise with it. */
export interface Sandbox {
  readonly service: ServiceMachine;
  /** A person who plays the customer at a till in training. */
  practise(till: number, number: number, arrive: (customer: Customer) => void): void;
}

const practice: Omit<PlannedWithdrawal, "index" | "till" | "startMs"> = {
  amountMinor: 1_000,
  customer: "approves",
  cashier: "plain",
  alsoAtTill: null,
  bank: "accepts",
};

/** Its service is not booted yet. */
export const createSandbox = (options: {
  readonly seed: number;
  readonly currency: string;
  readonly epochMs: number;
  readonly scheduler: Scheduler;
  readonly injector: FaultInjector;
  readonly network: Network;
  readonly bootService: Programs["bootService"];
  /** A withdrawal was made here. */
  readonly onMade: (transactionId: string) => void;
}): Sandbox => {
  const { scheduler, network, seed, currency } = options;
  const injector: FaultInjector = { ...options.injector, of: (scope) => options.injector.of(`sandbox ${scope}`) };
  const rows = new Map<string, ServiceRow>();
  const bank = createBank({ now: scheduler.now, injector, wayOf: () => "accepts", onPayment: () => {} });
  const service = createServiceMachine({
    ...options,
    answers: "by-status-word",
    processes: 1,
    seed: seed + 1,
    injector,
    bank,
    onPowerCut: () => {},
    onCommit: (committed) => {
      for (const row of committed) {
        if (!rows.has(row.transactionId)) options.onMade(row.transactionId);
        rows.set(row.transactionId, row);
      }
    },
  });
  return {
    service,
    practise(till, number, arrive) {
      startCustomer({
        seed,
        planned: { ...practice, index: number, till, startMs: scheduler.now() + 1_000 },
        store: shop,
        currency,
        scheduler,
        call: bankCaller(
          network,
          service,
          () => partner,
          () => {},
        ),
        rowOf: (transactionId) => rows.get(transactionId) ?? null,
        serviceNow: service.now,
        arrive,
        leave: () => {},
      });
    },
  };
};
