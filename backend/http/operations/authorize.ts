import { authorize, OAuthRefusal } from "../../access/authorize.ts";
import { scopesOfKind } from "../../access/credentials.ts";
import { accessTokenSchema, authorizeBodySchema, tokenBodySchema } from "../../contract/pos.ts";
import type { Scope } from "../../contract/scopes.ts";
import { callerAddress } from "../app-context.ts";
import { clientCredentials } from "../client-credentials.ts";
import { json, operation } from "../operation.ts";

const listed = (list: readonly Scope[]): string =>
  `${list.length === 1 ? "scope" : "scopes"} ${list.map((one) => `\`${one}\``).join(", ")}`;
const [terminalScopes, clientScopes] = [listed(scopesOfKind.terminal), listed(scopesOfKind.client)];

/** `POST /oauth2/authorize` (interface 4.1). */
export const authorizeOperation = operation({
  id: "authorize",
  method: "post",
  path: "/oauth2/authorize",
  tag: "Point of sale",
  section: "4.1",
  summary: "Get an access token",
  description:
    "OAuth 2.0 client credentials grant. A terminal or a partner's server shows its secret and receives a bearer token for every other call.",
  conventions: [
    "`expires_in` is a number of seconds, `token_type` is `bearer`, and the reply names the granted `scope`.",
    `\`device_type\` is \`terminal\` (bound to a merchant and a device; ${terminalScopes}) or \`client\` (a partner's server, the client-level token; ${clientScopes}; its \`merchant_id\` is the partner's id). An empty or absent \`scope\` grants all that the credential has.`,
    "No Authorization header is needed. A form-encoded body is taken too.",
    "Errors are bodies of RFC 6749 §5.2. After repeated failures of a credential or from an address: 429 with `Retry-After`.",
  ],
  scopes: null,
  errorShape: "oauth",
  body: authorizeBodySchema,
  takesForms: "too",
  replies: { 201: json("An access token, opaque to the caller.", accessTokenSchema) },
  errors: ["unauthenticated", "too_many_requests"],
  async handle({ app, body, context }) {
    return { status: 201, body: await authorize(app.access, body, callerAddress(app, context)) };
  },
});

/** `POST /oauth2/token`: the same grant for standard clients (RFC 6749 §4.4). */
export const tokenOperation = operation({
  id: "getToken",
  method: "post",
  path: "/oauth2/token",
  tag: "Client",
  section: null,
  summary: "Get an access token with a standard OAuth client",
  description:
    "The grant of `/oauth2/authorize` as RFC 6749 has it: form-encoded, answered with 200, the client authenticated by HTTP Basic (`merchant_id/device_id` as the client id, the password as the client secret) or by the parameters `client_id` and `client_secret`. `device_type` is `client` unless sent.",
  conventions: [],
  scopes: null,
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
      const granted = await authorize(
        app.access,
        { grant_type, scope, device_type, ...credentials },
        callerAddress(app, context),
      );
      return { status: 200, body: granted };
    } catch (error) {
      if (!(error instanceof OAuthRefusal) || error.status !== 401) throw error;
      throw new OAuthRefusal(error.code, 401, "unknown client or wrong secret", "Basic");
    }
  },
});
