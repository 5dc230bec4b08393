/** The shops of a chain, which its head office may read. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { statement } from "../store/store.ts";

type Membership = { readonly chain: string; readonly shop: string };

/** SQL condition on withdrawals, checked for each row that an index by time or status has found: it uses no index itself. */
export const isOfChain = (chain: string, shop: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`(exists (select 1 from chain_merchants as member where member.chain_id = ${chain}
    and member.merchant_id = ${shop})) is true`;

/** The shops of a chain, by id. */
export const shopsOfChain = statement("chain_shops", (db, p: { chain: string }) =>
  db
    .selectFrom("chain_merchants as member")
    .innerJoin("merchants", "merchants.id", "member.merchant_id")
    .select(["merchants.id", "merchants.name"])
    .where("member.chain_id", "=", p.chain)
    .orderBy("merchants.id"),
);

/** One shop of a chain; no row where it is not. */
export const shopOfChain = statement("chain_shop", (db, p: Membership) =>
  db
    .selectFrom("chain_merchants")
    .select("merchant_id as id")
    .where((row) => row.and({ chain_id: p.chain, merchant_id: p.shop })),
);

/** Adds a shop to a chain; no change if it is there. */
export const addShopToChain = statement("chain_shop_add", (db, p: Membership & { readonly now: number }) =>
  db
    .insertInto("chain_merchants")
    .values({ chain_id: p.chain, merchant_id: p.shop, created_at: p.now })
    .onConflict((same) => same.columns(["chain_id", "merchant_id"]).doNothing()),
);

/** Removes a shop from a chain. */
export const removeShopFromChain = statement("chain_shop_remove", (db, p: Membership) =>
  db.deleteFrom("chain_merchants").where("chain_id", "=", p.chain).where("merchant_id", "=", p.shop),
);
