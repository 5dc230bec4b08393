/** What decides who may call: built once per process, given to the app beside the service. */
import type { Service } from "../context.ts";
import { createSecretHasher, type SecretHasher } from "./secrets.ts";
import { createThrottle, type Throttle } from "./throttle.ts";
import { createTokens, type Tokens } from "./tokens.ts";

export interface Access {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly secrets: SecretHasher;
  readonly throttle: Throttle;
}

/** @param tokenSecret TOKEN_SECRET: the same in every process on one database. */
export const createAccess = (
  service: Service,
  tokenSecret: string,
  secrets: SecretHasher = createSecretHasher(service.random),
): Access => ({
  service,
  tokens: createTokens(service, tokenSecret),
  secrets,
  throttle: createThrottle(service.clock),
});
