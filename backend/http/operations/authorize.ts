/** Client authentication of RFC 6749 §2.3.1: HTTP Basic or parameters, never both. */
import { authorize, OAuthRefusal } from "../../access/authorize.ts";
import { scopesOfKind } from "../../access/credentials.ts";
import { accessTokenSchema, authorizeBodySchema, tokenBodySchema } from "../../contract/pos.ts";
import type { Scope } from "../../contract/scopes.ts";
import { callerAddress } from "../app-context.ts";
import { json, type Operation, operation } from "../operation.ts";

const listed = (list: readonly Scope[]): string =>
  `${list.length === 1 ? "scope" : "scopes"} ${list.map((one) => `\`${one}\``).join(", ")}`;
const [terminalScopes, clientScopes, chainScopes] = [
  listed(scopesOfKind.terminal),
  listed(scopesOfKind.client),
  listed(scopesOfKind.chain),
];

/** Signing in. */
export const authorizeOperations: readonly Operation[] = [
  /** `POST /oauth2/authorize` (interface 4.1). */
  operation({
    id: "authorize",
    scopes: null,
    method: "post",
    path: "/oauth2/authorize",
    tag: "Point of sale",
    section: "4.1",
    summary: "Get an access token",
    description:
      "OAuth 2.0 client credentials grant. A terminal or a partner's server shows its secret and receives a bearer token for every other call.",
    conventions: [
      "`expires_in` is a number of seconds, `token_type` is `bearer`, and the reply names the granted `scope`.",
      `\`device_type\` is \`terminal\` (bound to a merchant and a device; ${terminalScopes}) or \`client\` (a partner's server, the client-level token; ${clientScopes}; its \`merchant_id\` is the partner's id) or, an extension, \`chain\` (the head office of several shops, which reads and changes nothing; ${chainScopes}; its \`merchant_id\` is the chain's name, its \`device_id\` \`office\`). An empty or absent \`scope\` grants all that the credential has.`,
      "No Authorization header is needed. A form-encoded body is taken too.",
      "Errors are bodies of RFC 6749 §5.2. After repeated failures of a credential or from an address: 429 with `Retry-After`.",
    ],
    errorShape: "oauth",
    body: authorizeBodySchema,
    takesForms: "too",
    replies: { 201: json("An access token, opaque to the caller.", accessTokenSchema) },
    errors: ["unauthenticated", "too_many_requests"],
    handle: ({ app, body, context }) => authorize(app.access, body, callerAddress(app, context)),
  }),
  /** `POST /oauth2/token`: the same grant for standard clients (RFC 6749 §4.4). */
  operation({
    id: "getToken",
    scopes: null,
    method: "post",
    path: "/oauth2/token",
    tag: "Client",
    summary: "Get an access token with a standard OAuth client",
    description:
      "The grant of `/oauth2/authorize` as RFC 6749 has it: form-encoded, answered with 200, the client authenticated by HTTP Basic (`merchant_id/device_id` as the client id, the password as the client secret) or by the parameters `client_id` and `client_secret`. `device_type` is `client` unless sent.",
    errorShape: "oauth",
    body: tokenBodySchema,
    takesForms: "only",
    takesBasic: true,
    replies: { 200: json("An access token, opaque to the caller.", accessTokenSchema) },
    errors: ["unauthenticated", "too_many_requests"],
    async handle({ app, body, context }) {
      const credentials = clientCredentials(context.req.header("authorization"), body);
      const { grant_type, scope, device_type } = body;
      try {
        return await authorize(
          app.access,
          { grant_type, scope, device_type, ...credentials },
          callerAddress(app, context),
        );
      } catch (error) {
        if (!(error instanceof OAuthRefusal) || error.status !== 401) throw error;
        throw new OAuthRefusal(error.code, 401, "unknown client or wrong secret", "Basic");
      }
    },
  }),
];

const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i;

const refuse = (description: string) => new OAuthRefusal("invalid_client", 401, description, "Basic");

/** Both halves are form-encoded before they are joined (§2.3.1); text that cannot be decoded is taken as it is. */
const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

const fromBasic = (header: string) => {
  const [, encoded = ""] = basic.exec(header) ?? [];
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) throw refuse("the Authorization header is not of the form: Basic base64(client_id:client_secret)");
  return { id: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
};

const invalid = (description: string) => new OAuthRefusal("invalid_request", 400, description);

/**
 * An empty Authorization header counts as none; with Basic, a parameter `client_id` must name the same client.
 * @throws OAuthRefusal `invalid_client`, or `invalid_request` when both ways are used.
 */
const clientCredentials = (
  authorization: string | undefined,
  body: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
) => {
  if (!authorization) return credentialsOf(body.client_id, body.client_secret);
  if (body.client_secret !== undefined) throw invalid("authenticate by HTTP Basic or by parameters, not by both");
  const { id, secret } = fromBasic(authorization);
  if (body.client_id !== undefined && body.client_id !== id)
    throw invalid("the client_id is another than that of HTTP Basic");
  return credentialsOf(id, secret);
};

const credentialsOf = (id: string | undefined, secret: string | undefined) => {
  const [merchantId, deviceId, ...rest] = id?.split("/") ?? [];
  if (!merchantId || !deviceId || rest.length > 0 || !secret)
    throw refuse("the client id is merchant_id/device_id, the client secret is its password");
  return { merchant_id: merchantId, device_id: deviceId, password: secret };
};
