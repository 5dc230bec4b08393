/**
 * A bank and a customer's phone to play with (conventions, "Sandbox"). Made only when the sandbox is switched on: without
 * it neither the routes nor the tables nor the demo credentials exist.
 */
import type { App } from "../http/app-context.ts";
import type { Mount } from "../http/create-app.ts";
import { createBankClient } from "./bank-client.ts";
import { bankRoutes } from "./bank-routes.ts";
import { seedDemo } from "./demo.ts";
import { sandboxPageRoutes } from "./page-routes.ts";
import { startSelfApproval } from "./self-approval.ts";
import { createSandboxTables } from "./tables.ts";

/**
 * Creates the sandbox's tables and the demo credentials where they are missing; works until `app.stopping`.
 * @param partnerSecret PARTNER_SECRET: what the service's calls to its bank are signed with.
 */
export const sandboxMount = async (app: App, partnerSecret: string): Promise<Mount> => {
  await createSandboxTables(app.service.store);
  await seedDemo(app.service);
  return (routes) => {
    const toService = (request: Request) => routes.fetch(request);
    const bank = createBankClient(toService);
    const approval = startSelfApproval(app, bank);
    routes.route("/", bankRoutes(app, partnerSecret, bank, approval.watch));
    routes.route("/", sandboxPageRoutes(app, bank, toService));
  };
};
