/** The authorization call (interface 4.1; RFC 6749 §4.4): a credential's secret against an access token. */
import type { z } from "zod";
import {
  type accessTokenSchema,
  type authorizeBodySchema,
  type oauthErrorSchema,
  tokenLifetimeSeconds,
} from "../contract/pos.ts";
import { type Scope, scopes } from "../contract/scopes.ts";
import { ServiceError } from "../service-error.ts";
import type { Access } from "./access.ts";
import { credentialByDevice, scopesFrom } from "./credentials.ts";
import type { Attempt } from "./rate-limits.ts";
import { verifyGeneratedSecret } from "./secrets.ts";

type OAuthCode = z.infer<typeof oauthErrorSchema>["error"];

/** A refusal in the words of RFC 6749 §5.2. */
export class OAuthRefusal extends Error {
  readonly code: OAuthCode;
  readonly status: 400 | 401;
  /** The scheme that `WWW-Authenticate` names with a 401. */
  readonly challenge: "Bearer" | "Basic";

  constructor(code: OAuthCode, status: 400 | 401, description: string, challenge: "Bearer" | "Basic" = "Bearer") {
    super(description);
    this.challenge = challenge;
    this.name = "OAuthRefusal";
    this.code = code;
    this.status = status;
  }
}

/**
 * @param address of the peer, for throttling.
 * @throws OAuthRefusal; ServiceError `too_many_requests` after repeated failures or when too many sign in at once.
 */
export const authorize = async (
  access: Access,
  body: z.output<typeof authorizeBodySchema>,
  address: string,
): Promise<z.infer<typeof accessTokenSchema>> => {
  if (body.grant_type !== "client_credentials")
    throw new OAuthRefusal("unsupported_grant_type", 400, "grant_type must be client_credentials");
  const attempt = { credential: `${body.device_type}\n${body.merchant_id}\n${body.device_id}`, address };
  const key = { kind: body.device_type, ownerId: body.merchant_id, deviceId: body.device_id };
  const credential = await access.service.store.read((tx) => tx.first(credentialByDevice(key)));
  const usable = credential !== undefined && credential.revoked_at === null ? credential : null;
  const name = `${body.device_type} ${body.merchant_id}/${body.device_id}`;
  const entry = { actor: name, address, object: name, detail: null };
  const wasPaused = access.throttle.wasPaused(attempt);
  if (!(await isRight(access, attempt, body.password, usable?.secret_hash ?? null)) || usable === null) {
    access.audit.recordRefusal({ event: "sign_in_refused", ...entry });
    throw new OAuthRefusal("invalid_client", 401, "unknown merchant_id, device_id, device_type or password");
  }
  access.throttle.succeeded(attempt);
  if (wasPaused) access.audit.record({ event: "sign_in_granted_after_pause", ...entry });

  const granted = grantedScopes(body.scope, scopesFrom(usable.scopes));
  const token = await access.tokens.issue(usable, granted);
  if (token === null) throw new OAuthRefusal("invalid_client", 401, "the credential has just been changed");
  return { token_type: "bearer", access_token: token, expires_in: tokenLifetimeSeconds, scope: granted.join(" ") };
};

const paused = (retryAfterSeconds: number) =>
  new ServiceError("too_many_requests", "Too many failed sign-ins", { retryAfterSeconds });

/**
 * A generated secret that is right is let in whatever failed before it: nobody can guess one, so a pause would only let
 * strangers lock terminals out. Wrong ones and chosen secrets wait.
 * @throws ServiceError `too_many_requests`.
 */
const isRight = async ({ throttle, secrets }: Access, attempt: Attempt, password: string, stored: string | null) => {
  const quick = verifyGeneratedSecret(password, stored);
  if (quick === true) return true;
  const waitSeconds = throttle.reserve(attempt);
  if (waitSeconds > 0) throw paused(waitSeconds);
  if (quick === false) return false;
  try {
    return await secrets.verify(password, stored);
  } catch (error) {
    throttle.released(attempt);
    throw error;
  }
};

/** An empty request grants all that the credential has. */
const grantedScopes = (requested: string, owned: readonly Scope[]): readonly Scope[] => {
  const words = requested.split(" ").filter((word) => word !== "");
  if (words.length === 0) return owned;
  if (words.some((word) => !(owned as readonly string[]).includes(word)))
    throw new OAuthRefusal("invalid_scope", 400, "the credential does not have this scope");
  return scopes.filter((scope) => words.includes(scope));
};
