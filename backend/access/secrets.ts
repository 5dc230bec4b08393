/** Hashes of secrets that people chose: scrypt, in `scrypt$N$r$p$salt$hash`, worked off by a small queue so that a flood cannot eat the machine. */

import { createHmac, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import type { Random } from "../ports.ts";
import { ServiceError } from "../service-error.ts";

/** Runs work with a bound on how much runs and how much waits. */
interface BoundedQueue {
  /** @throws ServiceError `too_many_requests` when the queue is full. */
  run<T>(task: () => Promise<T>): Promise<T>;
}

/** @param limits how many run at once, and how many may wait; one more is refused. */
export const createBoundedQueue = (limits: { readonly atOnce: number; readonly waiting: number }): BoundedQueue => {
  const limit = pLimit(limits.atOnce);
  return {
    async run(task) {
      // p-limit starts a task a moment later: until then those that will run at once stand in its queue too.
      if (limit.activeCount + limit.pendingCount >= limits.atOnce + limits.waiting)
        throw new ServiceError("too_many_requests", "Too many secrets are being checked", { retryAfterSeconds: 1 });
      return limit(task);
    },
  };
};

/** The simulation brings a cheap one: real scrypt does not know its virtual time. */
export interface SecretHasher {
  hash(secret: string): Promise<string>;
  /** `null` stands for an unknown id and takes as long as a known one. */
  verify(secret: string, stored: string | null): Promise<boolean>;
}

/** What scrypt is asked to spend on a secret. */
export interface HashCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const usualCost: HashCost = { N: 16_384, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;
/** Two of libuv's four threads at most; the others are left to the disk. */
const queueLimits = { atOnce: 2, waiting: 16 } as const;
/** Secrets that were right a moment ago are recognised by a keyed digest in memory: the next sign-in is cheap. */
const rememberedMax = 1_000;

/** What unknown ids are compared with: nobody knows a secret of an all-zero hash. */
const dummyHashOf = (cost: HashCost): string =>
  `scrypt$${cost.N}$${cost.r}$${cost.p}$${"A".repeat(22)}$${"A".repeat(43)}`;

const derive = (secret: string, salt: Buffer, length: number, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(secret.normalize("NFC"), salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

const parse = (stored: string) => {
  const [kind, N, r, p, salt, hash] = stored.split("$");
  if (kind !== "scrypt" || salt === undefined || hash === undefined) throw new Error("not a hash made by this program");
  return {
    options: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, "base64url"),
    hash: Buffer.from(hash, "base64url"),
  };
};

/** One for each process: it bounds how many secrets are hashed at once. @param cost tests bring a cheap one. */
export const createSecretHasher = (random: Random, cost = usualCost): SecretHasher => {
  const dummyHash = dummyHashOf(cost);
  const queue = createBoundedQueue(queueLimits);
  const digestKey = random.bytes(32);
  const remembered = new LRUCache<string, Buffer>({ max: rememberedMax });
  const digestOf = (secret: string) => createHmac("sha256", digestKey).update(secret.normalize("NFC")).digest();
  return {
    hash: (secret) =>
      queue.run(async () => {
        const salt = Buffer.from(random.bytes(saltBytes));
        const hash = await derive(secret, salt, hashBytes, cost);
        return `scrypt$${cost.N}$${cost.r}$${cost.p}$${salt.toString("base64url")}$${hash.toString("base64url")}`;
      }),
    async verify(secret, stored) {
      const digest = digestOf(secret);
      const known = stored === null ? undefined : remembered.get(stored);
      if (known !== undefined && timingSafeEqual(known, digest)) return true;
      return queue.run(async () => {
        const { options, salt, hash } = parse(stored ?? dummyHash);
        const right = timingSafeEqual(await derive(secret, salt, hash.length, options), hash) && stored !== null;
        if (right) remembered.set(stored, digest);
        return right;
      });
    },
  };
};
