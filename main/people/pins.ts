/** Stores PINs as scrypt hashes, and counts wrong ones in a row, also across restarts. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { z } from "zod";

/** 32 MiB and about a quarter of a second per guess: one of OWASP's recommended settings. */
const usualCost: PinCost = { N: 2 ** 15, r: 8, p: 3 };
const saltBytes = 16;
const keyBytes = 32;
const mebibyte = 1024 * 1024;

/** The cost is stored with each hash, so that it can be raised for new ones. Bounds keep a manipulated file from blocking the host. */
export const pinHashSchema = z.object({
  N: z
    .int()
    .min(2)
    .max(2 ** 18),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(8),
  salt: z.base64(),
  hash: z.base64(),
});
type PinHash = z.infer<typeof pinHashSchema>;
type PinCost = Readonly<Omit<PinHash, "salt" | "hash">>;

const derive = (pin: string, salt: Buffer, { N, r, p }: PinCost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options: ScryptOptions = { N, r, p, maxmem: 128 * N * r + 16 * mebibyte };
    scrypt(pin, salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)));
  });

/** How PINs are hashed; tests use a cheaper way. */
export interface PinHashing {
  readonly cost: PinCost;
  /** Scrypt, or a replacement in simulations with virtual time. */
  readonly derive: typeof derive;
}
/** Scrypt with `usualCost`. */
export const usualHashing: PinHashing = { cost: usualCost, derive };

/** Hashes with a fresh salt; the result contains the cost. */
export const hashPin = async (pin: string, { cost, derive } = usualHashing): Promise<PinHash> => {
  const salt = randomBytes(saltBytes);
  const hash = await derive(pin, salt, cost);
  return { N: cost.N, r: cost.r, p: cost.p, salt: salt.toString("base64"), hash: hash.toString("base64") };
};

/** Whether `pin` matches the hash; compared in constant time, with the stored cost. */
export const isPinOf = async (kept: PinHash, pin: string, { derive } = usualHashing): Promise<boolean> => {
  const wanted = Buffer.from(kept.hash, "base64");
  const given = await derive(pin, Buffer.from(kept.salt, "base64"), kept);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
};

/** Wrong PINs in a row, and until when no PIN is checked. */
export const triesSchema = z.object({
  failed: z.int().min(0).default(0),
  /** Wall clock, milliseconds since the epoch. */
  waitUntilMs: z.number().default(0),
});
/** See `triesSchema`. */
export type Tries = z.infer<typeof triesSchema>;

/** Before the first wrong PIN, and after a right one. */
export const noTries: Tries = { failed: 0, waitUntilMs: 0 };

const freeTries = 5;
const firstWaitMs = 30_000;
/** Short enough that nobody can lock a colleague out for a day; allows about 100 guesses a day. */
const longestWaitMs = 15 * 60_000;

const waitAfterMs = (failed: number): number =>
  failed < freeTries ? 0 : Math.min(firstWaitMs * 2 ** Math.min(failed - freeTries, 10), longestWaitMs);

/** Milliseconds until the next PIN is checked; after the clock was set back, still no longer than one full wait. */
export const remainingMs = ({ failed, waitUntilMs }: Tries, wallMs: number): number =>
  Math.max(0, Math.min(waitUntilMs - wallMs, waitAfterMs(failed)));

/** Counts an attempt before the PIN is checked, so that neither a crash nor parallel guesses are free. */
export const reserveTry = ({ failed }: Tries, wallMs: number): Tries => ({
  failed: failed + 1,
  waitUntilMs: wallMs + waitAfterMs(failed + 1),
});
