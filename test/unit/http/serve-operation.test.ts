/** What every call has in common, whatever it does: who may ask, what a wrong one is told, and what is counted of it. */
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { Session } from "../../../backend/access/credentials.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { operation } from "../../../backend/http/operation.ts";
import { chainOf, clientOf, readerOf, serveOperation, terminalOf } from "../../../backend/http/serve-operation.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

type Definition = Partial<Parameters<typeof operation>[0]>;
const session = (kind: Session["kind"], scopes: Session["scopes"]): Session => ({
  ...{ kind, scopes, ownerId: "corner-shop", deviceId: "till-1", expiresAt: 9e15 },
});

const stage = (definition: Definition, found: Session | null = null) => {
  const [clock, answered, heard] = [new VirtualClock(), vi.fn(), vi.fn()];
  const app = {
    service: { clock, log: { error: vi.fn() }, random: { id: () => "r-1" } },
    access: { heard, tokens: { find: async (token: string) => (token === "known" ? found : null) } },
    observer: { answered },
    publicUrl: () => "https://cash.example",
  } as unknown as App;
  const served = serveOperation(
    app,
    operation({
      ...{ id: "x", method: "get", path: "/x", tag: "Extension", scopes: null, summary: "", description: "" },
      ...{ replies: { 200: { description: "", content: {} } }, handle: () => ({}) },
      ...(definition as object),
    }),
  );
  const routes = new Hono().get("/x", served).post("/x", served);
  return { clock, answered, heard, routes };
};

const realm = 'Bearer realm="tillcash"';
test.each([
  ["none", {}, 401, realm],
  ["one that is not of its form", { authorization: "Basic a:b" }, 401, `${realm}, error="invalid_token"`],
  ["an unknown one", { authorization: "Bearer other" }, 401, `${realm}, error="invalid_token"`],
  ["one for something else", { authorization: "Bearer known" }, 403, `${realm}, error="insufficient_scope"`],
])("who sends as a token %s is told that, and nothing more", async (_, headers, status, challenge) => {
  const { routes, heard } = stage({ scopes: ["transactions"] }, session("client", ["checkin", "users"]));
  const answer = await routes.request("/x", { headers });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, challenge]);
  expect(heard).not.toHaveBeenCalled();
});

test.each(["Bearer known", "bearer known", "BEARER   known  "])(
  "%j is a token, and its terminal was heard",
  async (authorization) => {
    const found = session("terminal", ["users", "transactions"]);
    const { routes, heard } = stage({ scopes: ["checkin", "transactions"] }, found);
    const answer = await routes.request("/x", { headers: { authorization, "user-agent": "Tillcash/1" } });
    expect(answer.status).toBe(200);
    expect(heard.mock.calls).toEqual([[found, "Tillcash/1"]]);
  },
);

test.each(["GET", "HEAD"])("a streamed answer to %s is counted once", async (method) => {
  const { routes, answered } = stage({ streams: true });
  await (await routes.request("/x", { method })).text();
  expect(answered).toHaveBeenCalledTimes(1);
});

test("a call during which the clock was set back took no time", async () => {
  const { routes, clock, answered } = stage({
    handle() {
      clock.jump(-20_000);
      return {};
    },
  });
  await routes.request("/x");
  expect(answered.mock.calls).toEqual([[expect.objectContaining({ durationMs: 0, status: 200 })]]);
});

test("a parameter that there is not is named, as far as it is no novel", async () => {
  const { routes } = stage({ query: z.strictObject({}) as never });
  const answer = (await (await routes.request(`/x?${"a".repeat(99)}=1`)).json()) as { errors: unknown };
  expect(answer.errors).toEqual([{ path: "a".repeat(64), message: "is no parameter of this call" }]);
});

test.each([
  ["terminal", { terminal: { merchantId: "corner-shop", deviceId: "till-1", requestId: "r-1" } }],
  ["client", { client: { partnerId: "corner-shop", requestId: "r-1" } }],
  ["chain", { chain: { chainId: "corner-shop" } }],
] as const)("a %s's token is that alone", (kind, own) => {
  const of = session(kind, []);
  const as = { terminal: terminalOf, client: clientOf, chain: chainOf };
  for (const [name, read] of Object.entries(as)) {
    const expected = (own as Record<string, unknown>)[name];
    if (expected === undefined)
      expect(() => read(of, "r-1")).toThrow(expect.objectContaining({ code: "insufficient_scope" }));
    else expect([read(of, "r-1"), readerOf(of, "r-1")]).toEqual([expected, expected]);
  }
});
