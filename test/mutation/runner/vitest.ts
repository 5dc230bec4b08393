/** The module that stands in for "vitest" while changes are tried (see collect.ts). */
import { expect as expectOnce, expectTypeOf, vi } from "vitest";

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from "./collect.ts";
export { onTestFinished } from "./play.ts";
export { expectTypeOf, vi };

/** The run's database server, where its wing is played on one: nothing else is provided. */
export const inject = (): unknown => JSON.parse(process.env.MUTATION_POSTGRES ?? "null") ?? undefined;

const pollMs = 1_000;
/** The machine's own, whatever a test puts in its place. */
const { setTimeout } = globalThis;

type Matchers = Record<string, (...args: unknown[]) => unknown>;

const polling = (read: () => unknown, timeoutMs: number, chain: readonly string[]): unknown =>
  new Proxy(
    {},
    {
      get(_, name: string) {
        if (name === "not") return polling(read, timeoutMs, [...chain, name]);
        return async (...args: unknown[]) => {
          const lastAt = Date.now() + timeoutMs;
          for (;;) {
            try {
              let matchers = expectOnce(await read()) as unknown as Matchers;
              for (const word of chain) matchers = matchers[word] as unknown as Matchers;
              await matchers[name]?.(...args);
              return;
            } catch (error) {
              if (Date.now() >= lastAt) throw error;
              await new Promise((resolve) => setTimeout(resolve, 10));
            }
          }
        };
      },
    },
  );

/** Vitest's own asks which test is running; this one does not. */
export const expect = new Proxy(expectOnce, {
  get: (target, name, receiver) =>
    name === "poll"
      ? (read: () => unknown, { timeout = pollMs } = {}) => polling(read, timeout, [])
      : Reflect.get(target, name, receiver),
});
