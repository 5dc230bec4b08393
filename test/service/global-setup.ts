/** Before any test of a run: its folder for temporary files, and one PostgreSQL for all service tests; `stores.ts` finds it. */
import type { TestProject } from "vitest/node";
import { systemClock } from "../../backend/adapters.ts";
import { openStore } from "../../backend/store/open.ts";
import { keepFilesTogether } from "../runner/temp-folder.ts";
import { makeTemplate, type PostgresServer, startPostgres } from "./postgres.ts";
import { VirtualClock } from "./virtual-clock.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The run's server, and the name of a database as a first start leaves it. */
    postgres: { readonly adminUrl: string; readonly template: string };
  }
}

/** A run without it, or of named files elsewhere, needs no database. */
const isNeeded = (): boolean => {
  if (process.env.STORES === "sqlite") return false;
  const files = process.argv.filter((argument) => /^(\.\/)?test\//.test(argument));
  return files.length === 0 || !files.every((file) => /test\/(?:unit|simulation|upgrade)\b/.test(file));
};

/** Its partitions are those of the time at which a virtual clock begins. */
const templateOn = async (server: PostgresServer): Promise<string> => {
  const url = await server.createDatabase();
  const begins = new VirtualClock().now();
  await (await openStore(url, { ...systemClock, now: () => begins }, { migrates: true })).close();
  return makeTemplate(server.adminUrl, url);
};

/** A server for a whole run, and what its tests are provided with. */
export const startForRun = async () => {
  // Hundreds of databases that live for seconds: none is worth tidying up.
  const server = await startPostgres(["autovacuum=off"]);
  return { provided: { adminUrl: server.adminUrl, template: await templateOn(server) }, stop: () => server.stop() };
};

/** Starts the server where a test of the run needs it; what it returns stops the server. */
export default async function setup(project: TestProject) {
  keepFilesTogether();
  if (!isNeeded()) return () => Promise.resolve();
  const { provided, stop } = await startForRun();
  project.provide("postgres", provided);
  return stop;
}
