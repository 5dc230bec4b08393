/** A read that may be held: what it is asked with, when it takes one of its caller's places, and what ends it. */
import { expect, test, vi } from "vitest";
import { createHeldReads } from "../../../backend/access/rate-limits.ts";
import { withHeldReadSlot } from "../../../backend/http/serve-operation.ts";
import type { Wait } from "../../../backend/withdrawals/get.ts";

const stage = () => {
  const [caller, leaving, stopping] = [new AbortController(), new AbortController(), new AbortController()];
  const app = {
    access: { heldReads: createHeldReads(1) },
    leaving: leaving.signal,
    stopping: stopping.signal,
  };
  const context = { req: { raw: { signal: caller.signal } } };
  const session = { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" };
  const held = <T>(query: object, read: (wait?: Wait) => Promise<T>) =>
    withHeldReadSlot({ app, context, session, query } as unknown as Parameters<typeof withHeldReadSlot>[0], read);
  return { caller, leaving, stopping, held };
};

test.each([{}, { wait: 0 }, { status: "ready" }])(
  "with %j it is answered at once, and takes no place",
  async (query) => {
    const { held } = stage();
    const read = vi.fn(async () => "now");
    const both = [held(query, read), held(query, read)];
    expect(await Promise.all(both)).toEqual(["now", "now"]);
    expect(read.mock.calls).toEqual([[], []]);
  },
);

test.each([
  [{ wait: 25 }, { waitMs: 25_000 }],
  [
    { wait: 1, status: "ready" },
    { waitMs: 1_000, whileStatus: "ready" },
  ],
])("with %j it waits as %j", async (query, wait) => {
  const { held } = stage();
  const read = vi.fn(async () => "later");
  expect(await held(query, read)).toBe("later");
  expect(read.mock.calls).toEqual([[{ ...wait, signal: expect.any(AbortSignal) }]]);
});

test("it has its place until it is answered, whether or not that fails", async () => {
  const { held } = stage();
  const full = expect.objectContaining({ code: "too_many_requests" });
  for (const end of ["resolve", "reject"] as const) {
    const answer = Promise.withResolvers<string>();
    const first = held({ wait: 5 }, () => answer.promise);
    await expect(held({ wait: 5 }, async () => "second")).rejects.toEqual(full);
    answer[end]("first");
    expect(await first.catch((error: unknown) => error)).toBe("first");
  }
  expect(await held({ wait: 5 }, async () => "third")).toBe("third");
});

test.each([
  ["caller", true],
  ["stopping", true],
  ["leaving", false],
] as const)("where %s aborts it ends: %s", async (who, ends) => {
  const { held, ...signals } = stage();
  await held({ wait: 5 }, async (wait) => {
    expect(wait?.signal?.aborted).toBe(false);
    signals[who].abort();
    expect(wait?.signal?.aborted).toBe(ends);
  });
});
