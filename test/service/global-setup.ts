/** Starts one PostgreSQL for all service tests of a run; `stores.ts` finds it. */
import type { TestProject } from "vitest/node";
import { startPostgres } from "./postgres.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** A run without it, or of named files elsewhere, needs no database. */
const isNeeded = (): boolean => {
  if (process.env.STORES === "sqlite") return false;
  const files = process.argv.filter((argument) => /^(\.\/)?test\//.test(argument));
  return files.length === 0 || !files.every((file) => /test\/(?:unit|simulation|upgrade)\b/.test(file));
};

/** Starts the server where a test of the run needs it; what it returns stops the server. */
export default async function setup(project: TestProject) {
  if (!isNeeded()) return () => Promise.resolve();
  const server = await startPostgres();
  project.provide("postgresUrl", server.adminUrl);
  return () => server.stop();
}
