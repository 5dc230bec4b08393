import { authorize } from "../../access/authorize.ts";
import { accessTokenSchema, authorizeBodySchema } from "../../contract/pos.ts";
import { json, operation } from "../operation.ts";
import { headerOf } from "../read-body.ts";

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
    "`device_type` is `terminal` (bound to a merchant and a device; scope `transactions`) or `client` (a partner's server, the client-level token; scopes `checkin`, `users`, `withdrawals`, `reconciliation`; its `merchant_id` is the partner's id). An empty or absent `scope` grants all that the credential has.",
    "No Authorization header is needed. A form-encoded body is taken too.",
    "Errors are bodies of RFC 6749 §5.2. After repeated failures of a credential or from an address: 429 with `Retry-After`.",
  ],
  scopes: null,
  errorShape: "oauth",
  body: authorizeBodySchema,
  takesForms: true,
  replies: { 201: json("An access token, opaque to the caller.", accessTokenSchema) },
  errors: ["unauthenticated", "too_many_requests"],
  async handle({ app, body, context }) {
    const peer = context.env?.incoming?.socket.remoteAddress ?? "in-process";
    const address = app.clientAddress(peer, headerOf(context, "x-forwarded-for"));
    return { status: 201, body: await authorize(app.access, body, address) };
  },
});
