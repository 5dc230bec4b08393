/** Every response carries X-Request-Id, whoever made it: the API, its errors, the pages, the sandbox's bank. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { startPath } from "../../backend/sandbox/pages.ts";
import { assetPaths } from "../../backend/websdk/assets.ts";
import { createHttpStage, type HttpStage } from "./http-stage.ts";

let stage: HttpStage;
beforeAll(async () => {
  stage = await createHttpStage("sqlite");
});
afterAll(() => stage.dispose());

test.each([
  ["GET", "/healthz", 200],
  ["GET", "/metrics", 200],
  ["GET", "/openapi.json", 200],
  ["GET", "/docs", 200],
  ["GET", "/docs/search.js", 200],
  ["GET", "/docs/none.js", 404],
  ["GET", "/nowhere", 404],
  ["DELETE", "/transaction", 405],
  ["OPTIONS", "/transaction", 204],
  ["GET", "/transaction", 401],
  ["POST", "/oauth2/authorize", 415],
  ["POST", "/api/v2/users", 401],
  ["GET", "/websdk/none", 404],
  ["GET", assetPaths.style, 200],
  ["GET", assetPaths.script, 200],
  ["GET", "/sandbox", 200],
  ["POST", startPath, 403],
  ["GET", "/sandbox/bank/ledger", 200],
  ["POST", "/sandbox/bank/api/svc/startwithdrawal", 401],
  ["POST", "/sandbox/bank/api/svc/settlewithdrawal", 401],
])("%s %s (%i)", async (method, path, status) => {
  const answer = await stage.call(method, path);
  expect(answer.status).toBe(status);
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
});
