/** Client authentication of RFC 6749 §2.3.1: HTTP Basic or parameters, never both. */
import { OAuthRefusal } from "../access/authorize.ts";

/** A client's id and secret, as a request brought them (RFC 6749 §2.3.1). */
export interface ClientCredentials {
  readonly merchant_id: string;
  readonly device_id: string;
  readonly password: string;
}

const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i;

const refuse = (description: string) => new OAuthRefusal("invalid_client", 401, description, "Basic");

/** Both halves are form-encoded before they are joined (§2.3.1); what cannot be decoded was sent as it is. */
const formDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

const fromBasic = (header: string) => {
  const encoded = basic.exec(header)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? "", "base64").toString("utf8")) ?? [];
  if (id === undefined || secret === undefined)
    throw refuse("the Authorization header is not of the form: Basic base64(client_id:client_secret)");
  return { id: formDecoded(id), secret: formDecoded(secret) };
};

const invalid = (description: string) => new OAuthRefusal("invalid_request", 400, description);

/**
 * An empty Authorization header counts as none; beside Basic the parameter `client_id` may name the same client alone.
 * @throws OAuthRefusal `invalid_client`, or `invalid_request` when both ways are used.
 */
export const clientCredentials = (
  authorization: string | undefined,
  body: { readonly client_id?: string | undefined; readonly client_secret?: string | undefined },
): ClientCredentials => {
  if (!authorization) return credentialsOf(body.client_id ?? "", body.client_secret ?? "");
  if (body.client_secret !== undefined) throw invalid("authenticate by HTTP Basic or by parameters, not by both");
  const { id, secret } = fromBasic(authorization);
  if (body.client_id !== undefined && body.client_id !== id)
    throw invalid("the client_id is another than that of HTTP Basic");
  return credentialsOf(id, secret);
};

const credentialsOf = (id: string, secret: string): ClientCredentials => {
  const [merchantId, deviceId, ...rest] = id.split("/");
  if (!merchantId || !deviceId || rest.length > 0 || secret === "")
    throw refuse("the client id is merchant_id/device_id, the client secret is its password");
  return { merchant_id: merchantId, device_id: deviceId, password: secret };
};
