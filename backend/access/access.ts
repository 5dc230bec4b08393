/** What decides who may call: built once per process, given to the app beside the service. */
import type { Service } from "../context.ts";
import { createHeldReads, type HeldReads } from "./held-reads.ts";
import { createSecretHasher, type SecretHasher } from "./secrets.ts";
import { createThrottle, type Throttle } from "./throttle.ts";
import { createTokens, type Tokens } from "./tokens.ts";

export interface Access {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly secrets: SecretHasher;
  /** For users alone: a flood of them must not stand in the way of signing in. */
  readonly userSecrets: SecretHasher;
  readonly throttle: Throttle;
  readonly heldReads: HeldReads;
}

/** @param tokenSecret TOKEN_SECRET: the same in every process on one database. */
export const createAccess = (
  service: Service,
  tokenSecret: string,
  secrets: SecretHasher = createSecretHasher(service.random),
  userSecrets: SecretHasher = createSecretHasher(service.random),
  heldReadsMax: number | null = null,
): Access => ({
  service,
  tokens: createTokens(service, tokenSecret),
  secrets,
  userSecrets,
  heldReads: createHeldReads(heldReadsMax),
  throttle: createThrottle(service.clock),
});
