/** How a refusal reads in each of the three shapes, and what the caller is never told. */
import { expect, test } from "vitest";
import { OAuthRefusal } from "../../../backend/access/authorize.ts";
import { type ErrorShape, errorResponse } from "../../../backend/http/problem.ts";
import { ServiceError } from "../../../backend/service-error.ts";
import { UserExists } from "../../../backend/users/create-user.ts";

const session = { kind: "client", ownerId: "bank", deviceId: "server-1", scopes: [], expiresAt: 0 } as const;
const refuse = async (error: unknown, shape: ErrorShape, more: object = {}) => {
  const failing = { shape, requestId: "r-1", endpoint: "POST /x", session: null, nowMs: 0, tokenSent: false, ...more };
  const answer = errorResponse(error, failing);
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.json() };
};
const realm = 'realm="tillcash"';

test.each([
  ["no token", new ServiceError("unauthenticated"), {}, 401, `Bearer ${realm}`, undefined],
  [
    "nobody says of a token",
    new ServiceError("unauthenticated"),
    { tokenSent: undefined },
    401,
    `Bearer ${realm}`,
    undefined,
  ],
  [
    "a wrong token",
    new ServiceError("unauthenticated"),
    { tokenSent: true },
    401,
    `Bearer ${realm}, error="invalid_token"`,
    undefined,
  ],
  [
    "a token without the scope",
    new ServiceError("insufficient_scope"),
    { tokenSent: true },
    403,
    `Bearer ${realm}, error="insufficient_scope"`,
    undefined,
  ],
  ["too many", new ServiceError("too_many_requests", "wait", { retryAfterSeconds: 7 }), {}, 429, undefined, "7"],
  ["a conflict", new ServiceError("transaction_conflict"), {}, 409, undefined, undefined],
] as const)("headers: %s", async (_, error, more, status, challenge, retryAfter) => {
  for (const shape of ["problem", "users"] as const) {
    const { headers, ...answer } = await refuse(error, shape, more);
    expect([answer.status, headers["www-authenticate"], headers["retry-after"]]).toEqual([
      status,
      challenge,
      retryAfter,
    ]);
  }
});

test.each([
  [
    "a wrong secret by Basic",
    new OAuthRefusal("invalid_client", 401, "wrong", "Basic"),
    401,
    `Basic ${realm}`,
    "invalid_client",
    "wrong",
  ],
  ["a wrong scope", new OAuthRefusal("invalid_scope", 400, "no", "Bearer"), 400, undefined, "invalid_scope", "no"],
  [
    "signs that RFC 6749 keeps out",
    new ServiceError("validation_failed", 'a "word" \\ é'),
    400,
    undefined,
    "invalid_request",
    "a 'word' ? ?",
  ],
  [
    "fields",
    new ServiceError("validation_failed", "x", {
      errors: [
        { path: "a", message: "is missing" },
        { path: "b", message: "is long" },
      ],
    }),
    400,
    undefined,
    "invalid_request",
    "a: is missing; b: is long",
  ],
  ["too many", new ServiceError("too_many_requests", "wait"), 429, undefined, "too_many_requests", "wait"],
  ["no database", new ServiceError("unavailable", "later"), 503, undefined, "temporarily_unavailable", "later"],
  ["a defect", new Error("SELECT secret"), 500, undefined, "server_error", "Something went wrong on our side"],
] as const)("by OAuth: %s", async (_, error, status, challenge, code, words) => {
  const { headers, body, ...answer } = await refuse(error, "oauth");
  expect([answer.status, headers["www-authenticate"]]).toEqual([status, challenge]);
  expect(headers).toMatchObject({
    "content-type": "application/json",
    pragma: "no-cache",
    "cache-control": "no-store",
  });
  expect(body).toEqual({ error: code, error_description: words });
});

test.each([
  ["a user that exists", new UserExists("taken"), 422, "ENTITY_EXISTS", "BUSINESS"],
  ["a token without the scope", new ServiceError("insufficient_scope"), 403, "UNAUTHORIZED_ACCESS", "BUSINESS"],
  ["too many", new ServiceError("too_many_requests"), 429, "TOO_MANY_REQUESTS", "TECHNICAL"],
  ["a body that is wrong", new ServiceError("validation_failed"), 400, "BAD_REQUEST", "BUSINESS"],
  ["a defect", new Error("SELECT secret"), 500, "UNEXPECTED_ERROR", "TECHNICAL"],
  ["no database", new ServiceError("unavailable"), 503, "UNEXPECTED_ERROR", "TECHNICAL"],
] as const)("by the published shape: %s", async (_, error, status, code, type) => {
  const { body, ...answer } = await refuse(error, "users", { session });
  expect(answer.status).toBe(status);
  expect(body).toEqual({
    errors: [{ message: expect.not.stringContaining("SELECT"), code, type }],
    date: "1970-01-01T00:00:00.000Z",
    requestId: "r-1",
    endpoint: "POST /x",
    authContext: "bank/server-1",
  });
});

test.each([
  ["validation_failed", undefined, []],
  ["validation_failed", [{ path: "a", message: "is missing" }], [{ path: "a", message: "is missing" }]],
  ["transaction_conflict", undefined, undefined],
] as const)("%s with fields %j names %j", async (code, errors, expected) => {
  const { body } = await refuse(new ServiceError(code, "x", errors && { errors }), "problem");
  expect(body.errors).toEqual(expected);
});

test.each([
  ["amount_out_of_range", { limits: { amount_min: "10.00" } }],
  ["transaction_conflict", { transaction: { status: "settled" } }],
  ["limit_reached", {}],
] as const)("%s shows what counts of its shop and its transaction: %j", async (code, extra) => {
  const { body } = await refuse(new ServiceError(code, "x", extra as object), "problem");
  const { limits, transaction } = body;
  expect({ ...(limits && { limits }), ...(transaction && { transaction }) }).toEqual(extra);
  expect(["limits" in body, "transaction" in body]).toEqual(["limits" in extra, "transaction" in extra]);
});

test("in the published shape what is of no field is a line of its own", async () => {
  const { body } = await refuse(new ServiceError("validation_failed", "x"), "users");
  expect(body.errors).toEqual([{ message: "x", code: "BAD_REQUEST", type: "BUSINESS" }]);
});

test("in the published shape each field is a line, and what is wrong before anybody has signed in names nobody", async () => {
  const errors = [
    { path: "id", message: "is long" },
    { path: "phone", message: "is short" },
  ];
  const failing = { session: null, endpoint: undefined };
  const { body, headers } = await refuse(new ServiceError("validation_failed", "x", { errors }), "users", failing);
  expect(headers["content-type"]).toBe("application/json");
  expect(body).toMatchObject({ endpoint: "", authContext: "" });
  expect(body.errors).toEqual([
    { message: "id: is long", code: "BAD_REQUEST", type: "BUSINESS" },
    { message: "phone: is short", code: "BAD_REQUEST", type: "BUSINESS" },
  ]);
});

test("a defect is a problem without a word of its cause", async () => {
  const { status, headers, body } = await refuse(new Error("SELECT secret"), "problem");
  expect([status, headers["content-type"], headers["x-request-id"]]).toEqual([500, "application/problem+json", "r-1"]);
  const words = { title: "Something went wrong on our side", detail: "Something went wrong on our side" };
  const type = "urn:tillcash:problem:internal_error";
  expect(body).toEqual({ type, ...words, status: 500, code: "internal_error", request_id: "r-1" });
  expect(JSON.stringify(body)).not.toContain("SELECT");
});
