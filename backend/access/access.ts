/** What decides who may call: built once per process, given to the app beside the service. */
import type { Service } from "../context.ts";
import { ServiceError } from "../service-error.ts";
import { createAuditLog } from "./audit.ts";
import { createSecretHasher, type HashCost, type SecretHasher, type ServiceKeys, serviceKeysFrom } from "./secrets.ts";
import { createThrottle } from "./throttle.ts";
import { createTokens, type Tokens } from "./tokens.ts";

/** What the operations on credentials, tokens and audits share: one for each process. */
export interface Access {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly secrets: SecretHasher;
  /** For users alone: a flood of them must not stand in the way of signing in. */
  readonly userSecrets: SecretHasher;
  readonly throttle: ReturnType<typeof createThrottle>;
  readonly heldReads: ReturnType<typeof createHeldReads>;
  readonly keys: ServiceKeys;
  readonly audit: ReturnType<typeof createAuditLog>;
}

/** What an installation chooses; see `createAccess`. */
interface AccessOptions {
  /** Default: scrypt. The simulation brings a cheap one. */
  readonly secrets?: SecretHasher;
  /** Of what scrypt makes. Default: OWASP's; tests bring a cheap one. */
  readonly hashCost?: HashCost | undefined;
  /** HELD_READS_PER_TOKEN; `null`: 16 a terminal, 1,000 a bank's server. */
  readonly heldReadsMax?: number | null;
  /** Default: derived from the token secret, for a service whose audit nobody keeps. */
  readonly keys?: ServiceKeys;
}

/** @param tokenSecret TOKEN_SECRET: the same in every process on one database. */
export const createAccess = (service: Service, tokenSecret: string, options: AccessOptions = {}): Access => {
  const newHasher = () => createSecretHasher(service.random, options.hashCost);
  const { secrets = newHasher(), heldReadsMax = null } = options;
  const keys = options.keys ?? serviceKeysFrom(tokenSecret, false);
  return {
    service,
    tokens: createTokens(service, tokenSecret),
    secrets,
    userSecrets: newHasher(),
    heldReads: createHeldReads(heldReadsMax),
    throttle: createThrottle(service.clock),
    keys,
    audit: createAuditLog(service, keys),
  };
};

/** A terminal waits for the one withdrawal before it; a bank for all of its own; a customer's page in a few tabs. */
const heldReadsMax = { terminal: 16, client: 1_000, page: 8 } as const;

/** Whose answer is held: a credential's session fits, and a customer's page by its check-in. */
export interface ReadHolder {
  readonly kind: keyof typeof heldReadsMax;
  readonly ownerId: string;
  readonly deviceId: string;
}

/**
 * Counts the answers that each credential, and each customer's page, holds open.
 * @param most HELD_READS_PER_TOKEN, for every kind of credential; `null`: the defaults, 16 a terminal, 1,000 a bank's. A page has 8 always.
 */
export const createHeldReads = (most: number | null = null) => {
  const held = new Map<string, number>();
  return {
    /**
     * Takes a place until the returned function is called.
     * @throws ServiceError `too_many_requests`: the caller can ask again without `wait`.
     */
    acquire({ kind, ownerId, deviceId }: ReadHolder): () => void {
      const key = `${kind}\n${ownerId}\n${deviceId}`;
      const count = held.get(key) ?? 0;
      if (count >= (kind === "page" ? heldReadsMax.page : (most ?? heldReadsMax[kind])))
        throw new ServiceError("too_many_requests", "Too many answers are held open", { retryAfterSeconds: 1 });
      held.set(key, count + 1);
      return () => {
        const left = (held.get(key) ?? 1) - 1;
        if (left === 0) held.delete(key);
        else held.set(key, left);
      };
    },
  };
};
