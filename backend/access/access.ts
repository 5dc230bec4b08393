/** What decides who may call: built once per process, given to the app beside the service. */
import type { Service } from "../context.ts";
import type { ShopCache } from "../merchants/merchants.ts";
import type { Tx } from "../store/store.ts";
import { auditHead, createAuditLog } from "./audit.ts";
import { createCache, createTokens } from "./credentials.ts";
import { createHeldReads, createThrottle } from "./rate-limits.ts";
import { createSecretHasher, type HashCost, type SecretHasher, type ServiceKeys, serviceKeysFrom } from "./secrets.ts";
import { createContacts } from "./terminals.ts";

const cachedShopsMax = 20_000;

/** What an installation chooses; see `createAccess`. */
interface AccessOptions {
  /** Default: scrypt. The simulation brings a cheap one. */
  readonly secrets?: SecretHasher;
  /** Cost of scrypt's hashes. Default: OWASP's; tests bring a cheap one. */
  readonly hashCost?: HashCost | undefined;
  /** HELD_READS_PER_TOKEN; `null`: 16 a terminal, 1,000 a bank's server. */
  readonly heldReadsMax?: number | null;
  /** Default: derived from the token secret, for a service whose audit nobody keeps. */
  readonly keys?: ServiceKeys;
}

/** @param tokenSecret TOKEN_SECRET: the same in every process on one database. */
export const createAccess = (service: Service, tokenSecret: string, options: AccessOptions = {}) => {
  const newHasher = () => createSecretHasher(service.random, options.hashCost);
  const { secrets = newHasher(), heldReadsMax = null } = options;
  // Whatever changes a shop, or puts the database back, writes an entry of the audit in its own commit, in every release.
  const auditNow = async (tx: Tx) => (await tx.first(auditHead({})))?.hash ?? null;
  const shops: ShopCache = createCache(service, auditNow, cachedShopsMax);
  const keys = options.keys ?? serviceKeysFrom(tokenSecret, false);
  return {
    service,
    tokens: createTokens(service, tokenSecret),
    shops,
    secrets,
    /** For users alone: a flood of them must not stand in the way of signing in. */
    userSecrets: newHasher(),
    heldReads: createHeldReads(heldReadsMax),
    throttle: createThrottle(service.clock),
    keys,
    audit: createAuditLog(service, keys),
    /** Called with each call that is let in. */
    heard: createContacts(service),
  };
};

/** Access control of one process. */
export type Access = ReturnType<typeof createAccess>;
