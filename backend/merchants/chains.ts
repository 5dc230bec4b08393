/** The shops of a chain: what its head office may look at. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { statement } from "../store/store.ts";

type Membership = { readonly chain: string; readonly shop: string };

/** A condition on withdrawals. Asked of each row that an order by time or by status has found: no index serves it. */
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

/** One of them. */
export const shopOfChain = statement("chain_shop", (db, p: Membership) =>
  db
    .selectFrom("chain_merchants")
    .select("merchant_id as id")
    .where("chain_id", "=", p.chain)
    .where("merchant_id", "=", p.shop),
);

/** Adds a shop; nothing is changed where it is one of them. */
export const addShopToChain = statement("chain_shop_add", (db, p: Membership & { readonly now: number }) =>
  db
    .insertInto("chain_merchants")
    .values({ chain_id: p.chain, merchant_id: p.shop, created_at: p.now })
    .onConflict((same) => same.columns(["chain_id", "merchant_id"]).doNothing()),
);

/** Takes a shop away. */
export const removeShopFromChain = statement("chain_shop_remove", (db, p: Membership) =>
  db.deleteFrom("chain_merchants").where("chain_id", "=", p.chain).where("merchant_id", "=", p.shop),
);
