/** Reads what a service says about a terminal's shop, as leniently as a transaction: what is not understood is null. */
import { z } from "zod";
import { isCurrencyCode } from "../../../backend/contract/money.ts";
import { type ShopProfile, shopProfileSchema } from "../../../preload/contract.ts";
import type { ServiceRestore } from "../state/state.ts";

const { scaTimeoutSeconds, support } = shopProfileSchema.shape;
const decimal = z.string().regex(/^(0|[1-9]\d{0,12})(\.\d{1,4})?$/);
const limits = z.object({
  currency: z.string().refine(isCurrencyCode),
  amount_min: decimal,
  amount_max: decimal,
  amount_step: decimal,
});
const body = z.object({
  store_name: shopProfileSchema.shape.name,
  sca_timeout_seconds: scaTimeoutSeconds.catch(null),
  support: support.catch(null),
  server_time: z.iso.datetime().nullable().catch(null),
});

const restore = z.object({
  restored_at: z.iso.datetime().nullable(),
  forgot_since: z.iso.datetime().nullable().catch(null),
  kept_head: z
    .object({ seq: z.int().min(1), head: z.string() })
    .nullable()
    .catch(null),
});

/** What a service says of a copy that it was put back to; null where it does not know of such. */
export const readRestore = (answer: unknown): ServiceRestore | null => {
  const read = restore.safeParse(answer);
  if (!read.success) return null;
  const { restored_at: restoredAt, forgot_since: since, kept_head: kept } = read.data;
  return {
    restoredAt,
    forgotSinceMs: since === null ? null : Date.parse(since),
    keptHead: kept === null ? null : { sequence: kept.seq, hash: kept.head },
  };
};

/** What a service says about the shop, and its clock for the comparison with ours. */
export interface ShopReading {
  readonly profile: ShopProfile;
  /** The service's clock, milliseconds since the epoch. */
  readonly serverTimeMs: number | null;
}

/** Null when the body names no shop. */
export const readShop = (answer: unknown, merchantId: string): ShopReading | null => {
  const read = body.safeParse(answer);
  if (!read.success) return null;
  const { store_name: name, server_time: serverTime } = read.data;
  const parsed = limits.safeParse(answer);
  return {
    profile: {
      merchantId,
      name,
      limits: parsed.success
        ? {
            currency: parsed.data.currency,
            min: parsed.data.amount_min,
            max: parsed.data.amount_max,
            step: parsed.data.amount_step,
          }
        : null,
      scaTimeoutSeconds: read.data.sca_timeout_seconds,
      support: read.data.support,
    },
    serverTimeMs: serverTime === null ? null : Date.parse(serverTime),
  };
};
