/** How many answers one credential may hold open. */
import { expect, test } from "vitest";
import { createHeldReads, type ReadHolder } from "../../../backend/access/rate-limits.ts";

const till = { kind: "terminal", ownerId: "shop", deviceId: "till-1" } as const;
const server = { kind: "client", ownerId: "bank", deviceId: "server-1" } as const;
const page = { kind: "page", ownerId: "checkin", deviceId: "" } as const;
const full = expect.objectContaining({ code: "too_many_requests", extra: { retryAfterSeconds: 1 } });

test.each([
  ["a terminal by default", null, till, 16],
  ["a bank's server by default", null, server, 1_000],
  ["a chain's office by default", null, { kind: "chain", ownerId: "acme", deviceId: "office" }, 16],
  ["a customer's page", null, page, 8],
  ["a customer's page, whatever the installation says of credentials", 3, page, 8],
  ["a terminal where the installation says so", 3, till, 3],
  ["a terminal where the installation says more", 20, till, 20],
  ["a bank's server where the installation says so", 3, server, 3],
] as const satisfies readonly (readonly [string, number | null, ReadHolder, number])[])(
  "%s: so many and no more, and one more for each that ends",
  (_, most, session, count) => {
    const reads = createHeldReads(most);
    const ends = Array.from({ length: count }, () => reads.acquire(session));
    expect(() => reads.acquire(session)).toThrow(full);
    for (const end of ends.slice(0, 2)) end();
    reads.acquire(session);
    reads.acquire(session);
    expect(() => reads.acquire(session)).toThrow(full);
  },
);

test("each credential counts for itself: of another kind, owner or device", () => {
  const reads = createHeldReads(1);
  reads.acquire(till);
  for (const other of [
    { ...till, kind: "client" as const },
    { ...till, ownerId: "other-shop" },
    { ...till, deviceId: "till-2" },
    { ...till, ownerId: "shopt", deviceId: "ill-1" },
  ])
    reads.acquire(other);
  expect(() => reads.acquire(till)).toThrow(full);
});

test("what has ended altogether begins again from nothing", () => {
  const reads = createHeldReads(1);
  reads.acquire(till)();
  reads.acquire(till)();
  reads.acquire(till);
  expect(() => reads.acquire(till)).toThrow(full);
});
