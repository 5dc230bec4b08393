/** Extension: the shops at which a bank's customers can withdraw cash (`GET /ext/v1/stores`). */
import type { z } from "zod";
import type { Client, Service } from "../context.ts";
import type { storesReplySchema } from "../contract/stores.ts";
import { all } from "../store/store.ts";
import { limitsOf } from "./limits.ts";
import { merchantsForPartner } from "./merchant-store.ts";

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
  const rows = await store.read(() => all(merchantsForPartner({ partner: client.partnerId, after, limit: limit + 1 })));
  const page = rows.slice(0, limit);
  return {
    stores: page.map((row) => ({ store: row.id, name: row.name, ...limitsOf(row) })),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
};
