/** A terminal of another shop with the same device id, which tries to link what is not its own. */
import { otherShop, tillDevice, tillSecret } from "./boot-service.ts";
import { serviceUrl } from "./carrier.ts";
import type { ServiceRow } from "./evidence.ts";
import { NotListening } from "./network.ts";
import type { Scheduler } from "./scheduler.ts";
import type { ServiceMachine } from "./service.ts";
import type { Watch } from "./watch.ts";

/** It is never allowed to link anything. */
export interface ForeignTerminal {
  /** Tries to link some of what was just settled at this till, before the till itself can have linked it. */
  settled(row: ServiceRow, till: number): void;
}

const delayMs = 100;
/** One withdrawal in so many, by its id: drawn without drawing anything from a story's faults. */
const everyWithdrawals = 8;
const json = { "content-type": "application/json" } as const;

/** A link that it gets through is reported to the watch. */
export const createForeignTerminal = (parts: {
  readonly scheduler: Pick<Scheduler, "after">;
  readonly service: Pick<ServiceMachine, "fetch">;
  readonly watch: Pick<Watch, "report">;
}): ForeignTerminal => {
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>> = json) =>
    parts.service.fetch({ method: "POST", url: serviceUrl + path, headers, body: JSON.stringify(body) });

  const link = async (transactionId: string, till: number): Promise<void> => {
    const signIn = await post("/oauth2/authorize", {
      grant_type: "client_credentials",
      merchant_id: otherShop,
      device_id: tillDevice(till),
      device_type: "terminal",
      password: tillSecret,
      scope: "",
    });
    if (signIn.status !== 201) return;
    const { access_token: token } = JSON.parse(await signIn.text()) as { access_token: string };
    const body = { transaction_id: transactionId };
    const answer = await post("/transaction/link", body, { ...json, authorization: `Bearer ${token}` });
    if (answer.status < 300) parts.watch.report(4, transactionId, "linked by a terminal of another shop");
  };

  return {
    settled: ({ transactionId }, till) => {
      if (transactionId.charCodeAt(2) % everyWithdrawals !== 0) return;
      parts.scheduler.after(delayMs, () => {
        link(transactionId, till).catch((problem: unknown) => {
          if (!(problem instanceof NotListening)) throw problem;
        });
      });
    },
  };
};
