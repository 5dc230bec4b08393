/**
 * A bank and a customer's phone to play with (conventions, "Sandbox"). Made only when the sandbox is switched on: without
 * it neither the routes nor the tables nor the demo credentials exist.
 */
import { Hono } from "hono";
import type { Money } from "../contract/money.ts";
import type { App } from "../http/app-context.ts";
import type { Bindings } from "../http/read-body.ts";
import type { SandboxLinks } from "../websdk/serve-page.ts";
import { createBankClient, type Fetch } from "./bank-client.ts";
import { bankRoutes } from "./bank-routes.ts";
import { seedDemo } from "./demo.ts";
import { homePath } from "./home-page.ts";
import { sandboxPageRoutes, scaPath } from "./page-routes.ts";
import { createSelfApproval } from "./self-approval.ts";
import { behaviourOf } from "./steering.ts";
import { createSandboxTables } from "./tables.ts";

export interface Sandbox {
  readonly routes: Hono<{ Bindings: Bindings }>;
  /** Call it when the service is listening: takes up approvals that a restart interrupted. */
  start(): void;
  stop(): void;
}

/** Where the pages of the web SDK lead in a service with the sandbox. */
export const sandboxLinks: SandboxLinks = { homePath, scaPath };

/** For `ServiceOptions.scaRequiredByDefault`: some amounts need no SCA. */
export const sandboxScaRequired = ({ minor }: Money): boolean => behaviourOf(minor) !== "needs_no_sca";

/** Creates its tables and the demo credentials where they are missing. @param fetch the app that the routes go into. */
export const createSandbox = async (app: App, fetch: Fetch): Promise<Sandbox> => {
  await createSandboxTables(app.service.store);
  await seedDemo(app.service, app.access.secrets);
  const bank = createBankClient(fetch);
  const approval = createSelfApproval(app.service, bank);
  const routes = new Hono<{ Bindings: Bindings }>();
  routes.route("/", bankRoutes(app, approval.wake));
  routes.route("/", sandboxPageRoutes({ app, sandbox: sandboxLinks }, bank, fetch));
  return { routes, start: approval.wake, stop: approval.stop };
};
