/** What the service answers where no operation does: another method, another path, a failure; and what it says of itself at each sign-in. */
import { expect, test, vi } from "vitest";
import type { App } from "../../../backend/http/app-context.ts";
import { createApp, type Mount } from "../../../backend/http/create-app.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

const appOf = (answered = vi.fn(), error = vi.fn(), isSandbox = false): App =>
  ({
    service: { clock: new VirtualClock(0), log: { error }, random: { id: () => "made-up" } },
    ...{ observer: { answered }, publicUrl: () => "https://cash.example", isSandbox },
  }) as unknown as App;
const ask = async (
  method: string,
  path: string,
  {
    headers = {},
    mounts = [],
    isSandbox,
  }: { headers?: HeadersInit; mounts?: readonly Mount[]; isSandbox?: boolean } = {},
) => {
  const [answered, error] = [vi.fn(), vi.fn()];
  const answer = await createApp(appOf(answered, error, isSandbox), mounts).request(path, { method, headers });
  const text = await answer.text();
  const { status } = answer;
  return { status, headers: answer.headers, text, answered: answered.mock.calls, logged: error.mock.calls };
};

test.each([
  ["OPTIONS", "/transaction", 204, "GET, HEAD, OPTIONS"],
  ["OPTIONS", "/ext/v1/withdrawals/x/sca", 204, "POST, OPTIONS"],
  ["DELETE", "/transaction", 405, "GET, HEAD, OPTIONS"],
  ["PUT", "/ext/v1/reconciliation.csv", 405, "GET, HEAD, OPTIONS"],
  ["OPTIONS", "/ext/v1/reconciliation-csv", 404, null],
  ["OPTIONS", "/ext/v1/withdrawals//sca", 404, null],
  ["OPTIONS", "/ext/v1/withdrawals/x/y/sca", 404, null],
  ["DELETE", "/before/transaction", 404, null],
  ["DELETE", "/transaction/after", 404, null],
  ["GET", "/nowhere", 404, null],
])("%s %s is %d, and says what may be asked: %s", async (method, path, status, allow) => {
  const { headers, answered, ...answer } = await ask(method, path);
  expect([answer.status, headers.get("allow")]).toEqual([status, allow]);
  const isEmpty = status === 204;
  expect(answer.text === "").toBe(isEmpty);
  expect([headers.get("x-request-id"), headers.get("cache-control")]).toEqual(["made-up", "no-store"]);
  expect(headers.get("date")).toBe(isEmpty ? null : "Thu, 01 Jan 1970 00:00:00 GMT");
  const counted = { method: "other", route: "other", status, durationMs: 0, requestId: "made-up" };
  expect(answered).toEqual(isEmpty ? [] : [[counted]]);
});

test("HEAD is answered as GET is, without the body", async () => {
  const [head, get] = [await ask("HEAD", "/nowhere"), await ask("GET", "/nowhere")];
  expect(head.text).toBe("");
  expect(JSON.parse(get.text)).toMatchObject({ status: 404, code: "not_found", request_id: "made-up" });
  expect([...head.headers]).toEqual([...get.headers]);
});

test.each([
  ["/", "docs"],
  ["/docs/", "../docs"],
])("%s leads to the reference, %s, also below another path", async (path, to) => {
  const { status, headers, text } = await ask("GET", path);
  expect([status, headers.get("location"), text]).toEqual([302, to, ""]);
  expect([headers.get("x-request-id"), headers.get("cache-control")]).toEqual(["made-up", "no-store"]);
});

test.each([
  ["till-7/42", "till-7/42"],
  ["x".repeat(256), "made-up"],
  ["", "made-up"],
])("of the id %s that was sent the answer has %s", async (sent, back) => {
  const headers = { "x-request-id": sent };
  for (const [method, path] of [
    ["GET", "/"],
    ["OPTIONS", "/transaction"],
    ["GET", "/nowhere"],
  ] as const)
    expect((await ask(method, path, { headers })).headers.get("x-request-id")).toBe(back);
});

test("the creation of users keeps its own form, and names what was called", async () => {
  const { text } = await ask("PUT", "/api/v2/users");
  expect(JSON.parse(text)).not.toHaveProperty("type");
  expect(text).toContain('"PUT /api/v2/users"');
  expect(JSON.parse((await ask("PUT", "/api/v2/users/x")).text)).toMatchObject({ code: "not_found" });
});

test("pages are mounted beside the operations; what fails in one is an answer of ours, and logged", async () => {
  const failure = new Error("a secret of the page's");
  const page: Mount = (routes, { publicUrl }) => {
    routes.get("/page", (c) => c.text(publicUrl()));
    routes.get("/broken", () => {
      throw failure;
    });
  };
  expect((await ask("GET", "/page", { mounts: [page] })).text).toBe("https://cash.example");
  const { status, text, logged } = await ask("GET", "/broken", { mounts: [page] });
  expect([status, JSON.parse(text).code, text.includes("secret")]).toEqual([500, "internal_error", false]);
  expect(logged).toEqual([[expect.objectContaining({ err: failure }), expect.any(String)]]);
});

test.each([
  [true, "/oauth2/token", "sandbox"],
  [true, "/oauth2/nothing", "sandbox"],
  [true, "/nowhere", null],
  [false, "/oauth2/token", null],
])("where no money is real (%s), %s says so: %s", async (isSandbox, path, says) => {
  expect((await ask("OPTIONS", path, { isSandbox })).headers.get("tillcash-environment")).toBe(says);
});

test("a page at a path that an operation may be meant by is refused as the app is made", () => {
  const page: Mount = (routes) => void routes.get("/:any/confirm", (c) => c.text("which?"));
  expect(() => createApp(appOf(), [page])).toThrow("/:any/confirm");
});
