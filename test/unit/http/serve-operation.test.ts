/** What every call has in common, whatever it does: who may ask, what a wrong one is told, and what is counted of it. */
import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import type { Session } from "../../../backend/access/credentials.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { operation } from "../../../backend/http/operation.ts";
import { chainOf, clientOf, readerOf, serveOperation, terminalOf } from "../../../backend/http/serve-operation.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

type Definition = Partial<Parameters<typeof operation>[0]>;
const session = (kind: Session["kind"], scopes: Session["scopes"]): Session => ({
  ...{ kind, scopes, ownerId: "corner-shop", deviceId: "till-1", expiresAt: 9e15 },
});

const stage = (definition: Definition, found: Session | null = null, more: object = {}) => {
  const [clock, answered, heard, logged] = [new VirtualClock(), vi.fn(), vi.fn(), vi.fn()];
  const app = {
    service: { clock, log: { error: logged }, random: { id: () => "r-1" } },
    access: { heard, tokens: { find: async (token: string) => (token === "known" ? found : null) } },
    observer: { answered },
    publicUrl: () => "https://cash.example",
    ...more,
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
  return { clock, answered, heard, logged, routes };
};

const realm = 'Bearer realm="tillcash"';
test.each([
  ["none", {}, 401, realm, "The Authorization header is missing"],
  [
    "one that is not of its form",
    { authorization: "Basic a:b" },
    401,
    `${realm}, error="invalid_token"`,
    "The Authorization header is not of the form: Bearer <ACCESS_TOKEN>",
  ],
  [
    "an unknown one",
    { authorization: "Bearer other" },
    401,
    `${realm}, error="invalid_token"`,
    "The access token is unknown, expired or revoked",
  ],
  [
    "one for something else",
    { authorization: "Bearer known" },
    403,
    `${realm}, error="insufficient_scope"`,
    "This call is not for a client's token",
  ],
])("who sends as a token %s is told that, and nothing more", async (_, headers, status, challenge, detail) => {
  const { routes, heard } = stage({ scopes: ["transactions"] }, session("client", ["checkin", "users"]));
  const answer = await routes.request("/x", { headers });
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([status, challenge]);
  expect(await answer.json()).toMatchObject({ detail });
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

test.each(["xBearer known", "Bearer known known", "Bearerknown", "Bearer", "Bearer kn\u00e9wn"])(
  "%j is no token",
  async (authorization) => {
    const { routes } = stage({ scopes: ["transactions"] }, session("terminal", ["transactions"]));
    expect((await routes.request("/x", { headers: { authorization } })).status).toBe(401);
  },
);

test.each([
  ["client", ["transactions"], "This call is not for a client's token"],
  ["terminal", ["withdrawals", "reports"], "This call is not for a terminal's token"],
  ["client", ["reconciliation", "transactions", "checkin"], "This call needs the scope reconciliation or checkin"],
  ["chain", ["reconciliation", "transactions", "reports"], "This call needs the scope reports"],
] as const)("a %s's token that lacks one of %j is told which", async (kind, scopes, detail) => {
  const { routes } = stage({ scopes: [...scopes] }, session(kind, ["users"]));
  const answer = await routes.request("/x", { headers: { authorization: "Bearer known" } });
  expect([answer.status, await answer.json()]).toEqual([403, expect.objectContaining({ detail })]);
});

test("a call is handed on with all that was parsed of it, and whose it is", async () => {
  const handle = vi.fn(() => ({ done: true }));
  const found = session("terminal", ["transactions"]);
  const part = z.object({ a: z.coerce.number() });
  const { routes, answered } = stage(
    {
      ...{ method: "post", scopes: ["transactions"], handle, replies: { 201: { description: "", content: {} } } },
      ...({ query: part, body: part, headers: part } as object),
    },
    found,
  );
  const headers = { authorization: "Bearer known", "content-type": "application/json", a: "2", "x-request-id": "mine" };
  const answer = await routes.request("/x?a=1", { method: "POST", body: '{"a":"3"}', headers });
  expect([answer.status, answer.headers.get("x-request-id"), await answer.json()]).toEqual([
    201,
    "mine",
    { done: true },
  ]);
  expect(answer.headers.get("content-type")).toBe("application/json");
  const parsed = { query: { a: 1 }, headers: { a: 2 }, body: { a: 3 }, params: undefined };
  expect(handle.mock.calls).toEqual([[expect.objectContaining({ ...parsed, session: found, requestId: "mine" })]]);
  expect(answered.mock.calls).toEqual([
    [{ method: "POST", route: "/x", status: 201, durationMs: 0, requestId: "mine" }],
  ]);
});

test("an answer of the call's own keeps its headers, dated and with the request's id", async () => {
  const { routes } = stage({
    handle: () => new Response("a,b", { status: 200, headers: { "content-type": "text/csv" } }),
  });
  const { headers } = await routes.request("/x", { headers: { "x-request-id": "mine" } });
  expect([headers.get("content-type"), headers.get("x-request-id")]).toEqual(["text/csv", "mine"]);
  expect(headers.get("date")).toMatch(/ GMT$/);
});

test.each([
  ["problem", "a  b", 200, "a  b"],
  ["problem", "\u00e9", 200, "r-1"],
  ["problem", "x".repeat(256), 200, "r-1"],
  ["problem", undefined, 200, "r-1"],
  ["users", "\u00e9", 200, "\u00e9"],
  ["users", "x".repeat(255), 200, "x".repeat(255)],
  ["users", "x".repeat(256), 400, "r-1"],
  ["users", undefined, 200, "r-1"],
] as const)(
  "a call whose errors are of the shape %s and whose id is %j is %i",
  async (errorShape, id, status, back) => {
    const { routes } = stage({ errorShape } as Definition);
    const answer = await routes.request("/x", { headers: id === undefined ? {} : { "x-request-id": id } });
    expect([answer.status, answer.headers.get("x-request-id")]).toEqual([status, back]);
  },
);

test.each([
  ["get", "GET", 200],
  ["post", "POST", 403],
] as const)("of a page of another site a %s is answered, or not", async (method, name, status) => {
  const { routes } = stage({ method });
  for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
    expect((await routes.request("/x", { method: name, headers })).status).toBe(status);
  const called = { origin: "http://192.168.1.20:80", host: "192.168.1.20" };
  expect((await routes.request("/x", { method: name, headers: called })).status).toBe(200);
});

const value = (schema: unknown, sent: string) => async () => {
  const { routes } = stage({ method: "post", body: z.object({ v: schema as z.ZodType }) } as Definition);
  const headers = { "content-type": "application/json" };
  const answer = await routes.request("/x", { method: "POST", body: `{"v":${sent}}`.replace('{"v":}', "{}"), headers });
  return ((await answer.json()) as { errors: unknown }).errors;
};
const named = (message: string, path = "v") => [{ path, message }];
test.each<[string, () => Promise<unknown>, readonly object[]]>([
  ["nothing", value(z.string(), ""), named("is missing")],
  ["no text", value(z.string(), "1"), named("must be a string")],
  ["no object", value(z.object({}), "1"), named("must be an object")],
  ["no list", value(z.array(z.string()), "1"), named("must be a list")],
  ["no whole number", value(z.int(), "1.5"), named("must be a whole number")],
  ["not the one word", value(z.literal("a"), '"b"'), named("must be a")],
  ["none of the words", value(z.enum(["a", "b"]), '"c"'), named("must be one of a, b")],
  ["too much", value(z.number().max(5), "6"), named("must be at most 5")],
  ["too little", value(z.number().min(5), "4"), named("must be at least 5")],
  ["too much of a whole number", value(z.int().max(5), "6"), named("must be at most 5")],
  ["more than a whole number can be", value(z.int(), "1e17"), named("must be at most 9007199254740991")],
  ["less than one", value(z.int().min(1), "0"), named("must be at least 1")],
  ["too long", value(z.string().max(2), '"abc"'), named("must have at most 2 characters")],
  ["too short", value(z.string().min(2), '"a"'), named("must have at least 2 characters")],
  ["empty", value(z.string().min(1), '""'), named("must not be empty")],
  ["too many", value(z.array(z.int()).max(1), "[1,2]"), named("must have at most 1")],
  ["too few", value(z.array(z.int()).min(1), "[]"), named("must have at least 1")],
  ["of another form", value(z.email(), '"a"'), named("is not in the form that the reference describes")],
  [
    "of a form with words of its own",
    value(z.string().regex(/^x/, "must begin with x"), '"a"'),
    named("must begin with x"),
  ],
  [
    "wrong in its own way",
    value(
      z.string().refine(() => false, "must be ours"),
      '"a"',
    ),
    named("must be ours"),
  ],
  ["wrong within", value(z.object({ w: z.array(z.string()) }), '{"w":[1]}'), named("must be a string", "v.w.0")],
])("what is %s is told", async (_, answer, expected) => expect(await answer()).toEqual(expected));

test("a defect is logged with its call, and the caller is told its id alone", async () => {
  const { routes, logged } = stage({ handle: () => Promise.reject(new Error("SELECT")) });
  const answer = await routes.request("/x");
  expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining("SELECT")]);
  expect(logged.mock.calls).toMatchObject([
    [{ request_id: "r-1", endpoint: "GET /x", code: "internal_error" }, expect.any(String)],
  ]);
});

test("whoever is refused by name is named in the published shape alone", async () => {
  const handle = () => Promise.reject(new ServiceError("validation_failed"));
  const { routes } = stage(
    { scopes: ["users"], errorShape: "users", handle } as Definition,
    session("client", ["users"]),
  );
  const answer = await routes.request("/x", { headers: { authorization: "Bearer known" } });
  expect(await answer.json()).toMatchObject({
    endpoint: "GET /x",
    authContext: "corner-shop/till-1",
    requestId: "r-1",
  });
});

test("a call is traced under its name, where there is somebody to trace it for", async () => {
  const call = vi.fn((_: string, work: () => Promise<Response>) => work());
  const { routes } = stage({}, null, { tracing: { call } });
  expect((await routes.request("/x")).status).toBe(200);
  expect(call).toHaveBeenCalledExactlyOnceWith("GET /x", expect.any(Function));
});

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
    else expect([read(of, "r-1"), readerOf(of)]).toEqual([expected, read(of)]);
  }
});
