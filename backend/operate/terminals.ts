/** The command `terminals list`. */
import { z } from "zod";
import { readTerminals } from "../access/terminals.ts";
import { minuteMs, toNullableTime, toTime } from "../contract/times.ts";
import { merchantById } from "../merchants/merchants.ts";
import { UsageError } from "./arguments.ts";
import type { Management } from "./context.ts";
import { checked } from "./words.ts";

const flagsSchema = z.object({
  shop: z.string().optional(),
  silent: z.string().optional(),
  older: z
    .string()
    .regex(/^\d{1,6}$/, "--older must be a whole number of minutes")
    .transform(Number)
    .default(0),
});

/** @throws UsageError for an unknown shop, for which an empty list would say that all is well. */
export const refuseUnknownShop = async ({ store }: Pick<Management, "store">, shop: string): Promise<void> => {
  if ((await store.read((tx) => tx.first(merchantById({ id: shop })))) === undefined)
    throw new UsageError(`there is no shop ${shop}`);
};

/**
 * `terminals list`: when each terminal last called, its version and its journal's state. `silent`: only those silent
 * while their shop is open; `older`: only those without a call for so many minutes, or ever.
 */
export const listTerminals = async ({ store, clock }: Management, flags: unknown) => {
  const { shop, silent, older } = checked(
    flagsSchema,
    flags,
    "terminals list [--shop ID] [--silent] [--older MINUTES]",
  );
  if (shop !== undefined) await refuseUnknownShop({ store }, shop);
  const now = clock.now();
  const rows = [];
  for await (const { heardAt, entry, forkedAt, ...one } of readTerminals({ store, clock }, { shop })) {
    // One that calls while the list is read was heard after it began.
    const minutes = heardAt === null ? null : Math.max(0, Math.floor((now - heardAt) / minuteMs));
    if ((silent !== undefined && !one.isSilent) || (minutes ?? older) < older) continue;
    const known = entry === null ? null : `entry ${entry.seq}`;
    rows.push({
      shop: one.shop,
      terminal: one.terminal,
      heard: toNullableTime(heardAt),
      minutes_ago: minutes,
      silent: one.isSilent ? "while open" : null,
      version: one.version,
      journal: forkedAt === null ? known : `forked ${toTime(forkedAt)}`,
    });
  }
  return rows;
};
