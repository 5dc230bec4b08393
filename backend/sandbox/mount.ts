/**
 * The sandbox: a bank and a customer's phone to play with (conventions, "Sandbox"). Without it neither its routes nor
 * its tables nor the demo credentials exist.
 */
import { pauseUnless } from "../background.ts";
import type { ServiceOptions } from "../context.ts";
import { isFinal, type Transaction } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import type { Mount } from "../http/create-app.ts";
import { type BankClient, bankRoutes, createBankClient } from "./bank.ts";
import { seedDemo } from "./demo.ts";
import { approvalDone, approvalsLeft, behaviourOf, createSandboxTables, selfApprovalMs } from "./ledger.ts";
import { sandboxPageRoutes } from "./pages.ts";

/**
 * Creates missing sandbox tables and demo credentials; runs until `app.stopping`.
 * @param partnerSecret the key of the service's signatures to the sandbox bank.
 */
export const sandboxMount = async (app: App, partnerSecret: string): Promise<Mount> => {
  await createSandboxTables(app.service.store);
  await seedDemo(app.service);
  return (routes) => {
    const toService = (request: Request) => routes.fetch(request);
    const bank = createBankClient(toService);
    routes.route("/", bankRoutes(app, partnerSecret, bank, startSelfApproval(app, bank)));
    routes.route("/", sandboxPageRoutes(app, bank, toService));
  };
};

/** Options of a service with the sandbox: some amounts need no SCA. */
export const sandboxOptions: Pick<ServiceOptions, "scaRequiredByDefault"> = {
  scaRequiredByDefault: ({ minor }) => behaviourOf(minor) !== "needs_no_sca",
};

const failurePauseMs = 500;
/** Approved, unknown, or too late. Other answers are retried. */
const definite: readonly number[] = [201, 404, 409];

/**
 * Approves withdrawals ending in `.06`, also those left by an earlier process, until the service stops.
 * @returns a function that watches another withdrawal until it is approved or has ended.
 */
const startSelfApproval = ({ service, stopping }: App, bank: BankClient): ((reference: string) => void) => {
  const { clock, store, log } = service;
  const watched = new Set<string>();

  /** Approves when due; true when nothing is left to do. */
  const approve = async (known: Transaction): Promise<boolean> => {
    const dueAt = Date.parse(known.confirmed_at ?? "") + selfApprovalMs;
    if (!(await pauseUnless(stopping, clock, dueAt - clock.now()))) return false;
    const path = `/ext/v1/withdrawals/${known.transaction_id}/sca`;
    return definite.includes((await bank.post(path, { outcome: "approved" })).status);
  };

  const follow = async (reference: string): Promise<void> => {
    let known = await bank.withdrawal(reference);
    while (known !== null && !stopping.aborted) {
      const done = known.status === "awaiting_sca" ? await approve(known) : isFinal(known.status);
      if (done) break;
      known = await bank.withdrawal(reference, { status: known.status, signal: stopping });
    }
    if (!stopping.aborted) await approvalDone(store, reference);
  };

  const watch = (reference: string): void => {
    if (watched.has(reference)) return;
    watched.add(reference);
    const run = async () => {
      while (!stopping.aborted) {
        try {
          await follow(reference);
          break;
        } catch (error) {
          if (!stopping.aborted) log.warn({ err: error }, "the sandbox bank could not approve; it tries again");
          await pauseUnless(stopping, clock, failurePauseMs);
        }
      }
      watched.delete(reference);
    };
    void run();
  };

  clock.soon(() => {
    approvalsLeft(store).then(
      (references) => references.forEach(watch),
      (error: unknown) => log.warn({ err: error }, "the sandbox bank could not read its books"),
    );
  });
  return watch;
};
