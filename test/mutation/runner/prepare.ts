/** A process in which product and tests are loaded once, and changes are switched on and off. */
import { registerHooks } from "node:module";
import type { MutantCoverage } from "@stryker-mutator/api/core";

/** What the instrumented code reads and counts. */
export interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: MutantCoverage;
}
const global = globalThis as unknown as { __stryker__?: Switches };
/** Those of this process. */
export const switches: Switches = global.__stryker__ ?? {};
global.__stryker__ = switches;

/** A statement is built once for the life of a process: here once for each change and, while none is on, for each test. */
const builtFor = new WeakMap<object, string | undefined>();
const forgetOthersBuild = (compiled: Record<string, unknown>): void => {
  const now = switches.activeMutant ?? switches.currentTestId;
  if (builtFor.get(compiled) !== now) for (const dialect of Object.keys(compiled)) delete compiled[dialect];
  builtFor.set(compiled, now);
};

/** Tests get the stand-in for "vitest", and vitest's own `expect` and `vi` what they read outside vitest's workers. */
export function prepareProcess(): void {
  const standIn = import.meta.resolve("./vitest.ts");
  Object.assign(globalThis, { forgetOthersBuild });
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "vitest" && context.parentURL !== standIn && !context.parentURL?.includes("/node_modules/")
        ? { url: standIn, shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) => {
      const loaded = next(url, context);
      if (!url.endsWith("/backend/store/store.ts")) return loaded;
      const source = String(loaded.source).replace("sql(dialect) {", "$& globalThis.forgetOthersBuild(compiled);");
      return { ...loaded, source };
    },
  });
  (globalThis as unknown as Record<string, unknown>).__vitest_worker__ = {
    // Polled for as long as in vitest.config.ts: by default a busy machine would end it after a second.
    config: { expect: { poll: { timeout: 60_000 } }, fakeTimers: {}, snapshotOptions: {} },
    environment: { name: "node" },
  };
  // A change may leave a promise behind that nobody awaits; only a test's own word counts.
  process.on("unhandledRejection", () => undefined);
  process.on("uncaughtException", () => undefined);
}
