/** The module that stands in for "vitest" while changes are tried (see collect.ts). */
import { expect as expectOnce, expectTypeOf, vi } from "vitest";

export { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } from "./collect.ts";
export { onTestFinished } from "./play.ts";
export { expectTypeOf, vi };

/** Nothing is provided: no database server runs beside these tests. */
export const inject = (): undefined => undefined;

const pollMs = 1_000;

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
