/** How a standard OAuth client says who it is: by HTTP Basic or by parameters, never by both. */
import { beforeEach, expect, test } from "vitest";
import { addCredential } from "../../../backend/access/credentials.ts";
import type { App } from "../../../backend/http/app-context.ts";
import { createApp } from "../../../backend/http/create-app.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const secret = "a secret: of the bank's";
beforeEach(async () => {
  const server = { kind: "client", ownerId: "bank", deviceId: "server-1" } as const;
  await addCredential(stage.service, stage.access.secrets, server, undefined, secret);
  const till = { kind: "terminal", ownerId: "corner-shop", deviceId: "till-1" } as const;
  await addCredential(stage.service, stage.access.secrets, till, undefined, "the till's");
});

const grant = { grant_type: "client_credentials" };
const ask = async (fields: Record<string, string>, authorization?: string) => {
  const app = {
    ...{ service: stage.service, access: stage.access, observer: { answered: () => {} }, isSandbox: false },
    ...{ publicUrl: () => "https://cash.example", clientAddress: (peer: string) => peer },
  };
  const headers = {
    "content-type": "application/x-www-form-urlencoded",
    ...(authorization === undefined ? {} : { authorization }),
  };
  const body = new URLSearchParams({ ...grant, ...fields }).toString();
  const random = { ...stage.service.random, id: () => "r-1" };
  const routes = createApp({ ...app, service: { ...stage.service, random } } as unknown as App);
  const answer = await routes.request("/oauth2/token", { method: "POST", headers, body });
  const { error = null, scope = null, error_description: words } = (await answer.json()) as Record<string, string>;
  return { status: answer.status, error, scope, challenge: answer.headers.get("www-authenticate"), words };
};
const basic = (text: string, scheme = "Basic") => `${scheme} ${Buffer.from(text).toString("base64")}`;
const id = "bank/server-1";
const all = "checkin reconciliation users withdrawals";

test.each<[string, Record<string, string>, string | undefined, string]>([
  ["by parameters", { client_id: id, client_secret: secret }, undefined, all],
  ["by parameters, with an empty header", { client_id: id, client_secret: secret }, "", all],
  ["for a part of its scopes", { client_id: id, client_secret: secret, scope: "users" }, undefined, "users"],
  ["by Basic", {}, basic(`${id}:${secret}`), all],
  ["by Basic in small letters, with blanks", {}, `${basic(`${id}:${secret}`, "basic  ")}  `, all],
  [
    "by Basic, encoded as a form",
    {},
    basic(`bank%2Fserver-1:${encodeURIComponent(secret).replaceAll("%20", "+")}`),
    all,
  ],
  ["by Basic, and by its name as well", { client_id: id }, basic(`${id}:${secret}`), all],
  [
    "as a terminal",
    { client_id: "corner-shop/till-1", client_secret: "the till's", device_type: "terminal" },
    undefined,
    "transactions",
  ],
])("%s it is let in", async (_, fields, authorization, scope) => {
  const answer = await ask(fields, authorization);
  expect({ ...answer, scope: answer.scope?.split(" ").sort().join(" ") }).toEqual({
    ...{ status: 200, error: null, challenge: null, scope, words: undefined },
  });
});

const [formOfBasic, formOfId] = [
  "the Authorization header is not of the form",
  "the client id is merchant_id/device_id",
];
test.each([
  ["bank/server-1", formOfBasic],
  ["", formOfBasic],
  [":x", formOfId],
  ["bank:x", formOfId],
  [`${id}:`, formOfId],
  [`${id}:x`, "unknown client or wrong secret"],
  [`${id}:100%`, "unknown client or wrong secret"],
])("by Basic of %j it is told: %s", async (text, words) => {
  expect((await ask({}, basic(text))).words).toContain(words);
});

const challenge = 'Basic realm="tillcash"';
test.each<[string, Record<string, string>, string | undefined]>([
  ["with another secret", { client_id: id, client_secret: "x" }, undefined],
  ["with another secret by Basic", {}, basic(`${id}:x`)],
  ["with no secret", { client_id: id }, undefined],
  ["with no name", { client_secret: secret }, undefined],
  ["with nothing", {}, undefined],
  ["without a device", { client_id: "bank", client_secret: secret }, undefined],
  ["with an empty device", { client_id: "bank/", client_secret: secret }, undefined],
  ["with an empty owner", { client_id: "/server-1", client_secret: secret }, undefined],
  ["with a third part", { client_id: `${id}/x`, client_secret: secret }, undefined],
  ["as a terminal that it is not", { client_id: id, client_secret: secret, device_type: "terminal" }, undefined],
  ["by Basic without a colon", {}, basic("bank")],
  ["by Basic without a text", {}, "Basic"],
  ["by Basic that is not in base64", {}, "Basic b*nk"],
  ["by Basic with more behind it", {}, `${basic(`${id}:${secret}`)} x`],
  ["by Basic with more before it", {}, `x${basic(`${id}:${secret}`)}`],
  ["by another scheme", {}, basic(`${id}:${secret}`, "Bearer")],
  ["by Basic with an empty secret", {}, basic(`${id}:`)],
  ["by Basic with what cannot be decoded", {}, basic(`${id}:100%`)],
])("%s it is not let in, and asked for Basic", async (_, fields, authorization) => {
  const refused = { status: 401, error: "invalid_client", scope: null, challenge };
  expect(await ask(fields, authorization)).toMatchObject(refused);
});

test.each<[string, Record<string, string>, string]>([
  ["by both ways", { client_secret: secret }, "invalid_request"],
  ["with the name of another one", { client_id: "bank/server-2" }, "invalid_request"],
  ["for a scope that it has not", { scope: "transactions" }, "invalid_scope"],
  ["for another grant", { grant_type: "password" }, "unsupported_grant_type"],
])("%s by Basic it is refused, whoever it is", async (_, fields, error) => {
  const refused = { status: 400, error, scope: null, challenge: null };
  expect(await ask(fields, basic(`${id}:${secret}`))).toMatchObject(refused);
});
