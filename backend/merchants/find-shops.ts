/** The shops a customer can choose from: all that the bank may use and that hand out the currency of the account. */

import type { z } from "zod";
import type { Client, Service } from "../context.ts";
import { isOwnerId } from "../contract/ids.ts";
import type { storesReplySchema } from "../contract/stores.ts";
import {
  limitsOf,
  merchantsForPartner,
  type Shop,
  type ShopPatterns,
  shopForPartner,
  shopsForPartner,
} from "./merchant-store.ts";

/** More than a thumb scrolls through; the others are found by name. */
const shopsShownMax = 20;
const searchCharactersMax = 100;

/** A shop as the customer's page offers it. */
interface ShopChoice {
  /** In the order of their names. */
  readonly shops: readonly Shop[];
  /** Whether there are others that a search by name would find. */
  readonly areMore: boolean;
}

interface Customer {
  readonly partnerId: string;
  readonly currency: string;
}

/** Part of a name, as a pattern of LIKE. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const startingUpper = (text: string): string => text.replace(/\p{L}/u, (letter) => letter.toUpperCase());

/** As names are written. SQLite's lower() leaves letters beyond ASCII as they are, so that each spelling has its own pattern. */
const patternsOf = (text: string): ShopPatterns => {
  const pattern = (spelling: string) => containing(lowerAscii(spelling));
  const lower = text.toLowerCase();
  return {
    typed: pattern(text),
    lower: pattern(lower),
    upper: pattern(text.toUpperCase()),
    sentence: pattern(startingUpper(lower)),
    title: pattern(lower.replace(/[\p{L}\p{M}]+/gu, startingUpper)),
  };
};

/** @param search part of a name, in any case; the empty text finds all. */
export const findShops = async (
  { store }: Pick<Service, "store">,
  { partnerId, currency }: Customer,
  search: string,
): Promise<ShopChoice> => {
  // Control characters and halves of characters are in no name, and PostgreSQL refuses them.
  const text = search.replace(/\p{C}/gu, "").trim().slice(0, searchCharactersMax);
  const values = {
    partner: partnerId,
    currency,
    ...patternsOf(text),
    limit: shopsShownMax + 1,
  };
  const rows = await store.read((tx) => tx.all(shopsForPartner(values)));
  return { shops: rows.slice(0, shopsShownMax), areMore: rows.length > shopsShownMax };
};

/** The shop that was chosen; null when this customer cannot use it. */
export const findShop = async (
  { store }: Pick<Service, "store">,
  { partnerId, currency }: Customer,
  id: string,
): Promise<Shop | null> => {
  if (!isOwnerId(id)) return null;
  return (await store.read((tx) => tx.first(shopForPartner({ partner: partnerId, currency, id })))) ?? null;
};

/**
 * One page of shops in the order of their ids.
 * @param after the `next` of the page before; the empty text begins.
 * @param limit shops on the page, 1 to 200.
 */
export const listStores = async (
  { store }: Pick<Service, "store">,
  client: Client,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<z.infer<typeof storesReplySchema>> => {
  const rows = await store.read((tx) =>
    tx.all(merchantsForPartner({ partner: client.partnerId, after, limit: limit + 1 })),
  );
  const page = rows.slice(0, limit);
  return {
    stores: page.map((row) => ({ store: row.id, name: row.name, ...limitsOf(row) })),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
};
