/** How a caller shows who it is, as the document names it. */
import type { Scope } from "../contract/scopes.ts";

const scopeTexts: Readonly<Record<Scope, string>> = {
  transactions: "A terminal: look up, confirm, reject, link, declare undelivered.",
  checkin: "A bank: check its customers in to the phone page.",
  users: "A bank: create users.",
  withdrawals: "A bank: request, read and cancel withdrawals, report approvals, list stores.",
  reconciliation: "A bank: read the reconciliation report.",
};

/** How callers prove who they are, as OpenAPI has it. @param publicUrl where the service is reached, below a path or not. */
export const securitySchemesAt = (publicUrl: string) => ({
  oauth2: {
    type: "oauth2" as const,
    description:
      "Client credentials. A bearer token of 24 hours, from `POST /oauth2/token` (RFC 6749) or `POST /oauth2/authorize` (the interface's own form).",
    flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth2/token`, scopes: { ...scopeTexts } } },
  },
  basic: {
    type: "http" as const,
    scheme: "basic",
    description: "`merchant_id/device_id` as the user, the credential's password as the password.",
  },
  signature: {
    type: "apiKey" as const,
    in: "header" as const,
    name: "webhook-signature",
    description:
      "Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `webhook-id.webhook-timestamp.body` under the bytes of the key behind `whsec_`. During a rotation there are two, separated by a space. Refuse what is older than five minutes.",
  },
});
