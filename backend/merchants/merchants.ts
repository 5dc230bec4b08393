/** Merchants (shops): their rows, the lists for customers and banks, and what a terminal reads about its own. */
import { type RawBuilder, sql } from "kysely";
import type { z } from "zod";
import type { Chain, Client, Service, Terminal } from "../context.ts";
import type { storesReplySchema } from "../contract/client.ts";
import type { Limits } from "../contract/errors.ts";
import { isOwnerId } from "../contract/ids.ts";
import { formatAmount, minorDigits } from "../contract/money.ts";
import type { tillSchema } from "../contract/terminal.ts";
import { toNullableTime, toTime } from "../contract/times.ts";
import { partnerMayUse } from "../partner/partners.ts";
import { ServiceError } from "../service-error.ts";
import { headInCopy, repeatedSince, restoreTimes } from "../store/restores.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, type Query, statement, type UnitOfWork } from "../store/store.ts";

/** Every column of a shop except when it was added. */
export const merchantColumns = columnsOf("merchants", "created_at");

/** A shop as withdrawals, terminals and the operator's commands see it. */
export type Merchant = Omit<RowOf<"merchants">, "created_at">;

type NewMerchant = Pick<RowOf<"merchants">, "id" | "name" | "currency" | "amount_min" | "amount_max" | "amount_step">;

/** Adds a shop; no row comes back when it exists. */
export const insertMerchant = statement(
  "merchant_insert",
  (db, { now, id, name, currency, amount_min, amount_max, amount_step }: NewMerchant & { readonly now: number }) =>
    db
      .insertInto("merchants")
      .values({ id, name, currency, amount_min, amount_max, amount_step, created_at: now })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning(merchantColumns),
);

/** One shop, disabled or not. */
export const merchantById = statement("merchant_by_id", (db, p: { id: string }) =>
  db.selectFrom("merchants").select(merchantColumns).where("id", "=", p.id),
);

/** The same, locked until the commit for whoever writes it back. SQLite has one writer at a time. */
export const holdMerchant = statement("merchant_hold", (db, p: { id: string }) =>
  db.selectFrom("merchants").select(merchantColumns).where("id", "=", p.id).forUpdate(),
);

/** All shops, by id. */
export const allMerchants = statement("merchants_all", (db) =>
  db.selectFrom("merchants").select(merchantColumns).orderBy("id"),
);

/** The partner's next shops after `after`, by id, so that pages stay right while shops are added. */
const merchantsForPartner = statement(
  "merchants_for_partner",
  (db, p: { partner: string; after: string; limit: number }) =>
    db
      .selectFrom("merchants")
      .select(merchantColumns)
      .where("id", ">", p.after)
      .where(partnerMayUse(sql`${p.partner}`, sql.ref("merchants.id")))
      .orderBy("id")
      .limit(p.limit),
);

/** The same for a chain. */
const merchantsOfChain = statement("merchants_of_chain", (db, p: { chain: string; after: string; limit: number }) =>
  db
    .selectFrom("merchants")
    .innerJoin("chain_merchants as member", "member.merchant_id", "merchants.id")
    .select(merchantColumns.map((column) => `merchants.${column}` as const))
    .where("member.chain_id", "=", p.chain)
    .where("member.merchant_id", ">", p.after)
    .orderBy("member.merchant_id")
    .limit(p.limit),
);

/** Changes the given columns; no row comes back when there is no such shop. */
export const updateMerchant = (id: string, changes: Partial<Omit<Merchant, "id">>): Query<Merchant> =>
  adhoc((db) => db.updateTable("merchants").set(changes).where("id", "=", id).returning(merchantColumns));

const shopColumns = ["id", "name", "currency", "amount_min", "amount_max", "amount_step"] as const;

/** A shop as a customer sees it. */
export type Shop = Pick<RowOf<"merchants">, (typeof shopColumns)[number]>;

const isLike = (pattern: string): RawBuilder<boolean> => sql`lower(merchants.name) like ${pattern} escape '\\'`;

/** LIKE patterns for the spellings of one text, ASCII letters in lower case; any may match. */
type ShopPatterns = Readonly<Record<"typed" | "lower" | "upper" | "sentence" | "title", string>>;

/** Shops of one currency that a partner may use, by part of their names. */
const shopsForPartner = statement(
  "websdk_shops",
  (db, p: ShopPatterns & { partner: string; currency: string; limit: number }) =>
    db
      .selectFrom("merchants")
      .select(shopColumns)
      .where("currency", "=", p.currency)
      .where(partnerMayUse(sql`${p.partner}`, sql.ref("merchants.id")))
      .where((where) => where.or([p.typed, p.lower, p.upper, p.sentence, p.title].map(isLike)))
      .orderBy("name")
      .orderBy("id")
      .limit(p.limit),
);

/** One such shop by its id. */
const shopForPartner = statement("websdk_shop", (db, p: { partner: string; currency: string; id: string }) =>
  db
    .selectFrom("merchants")
    .select(shopColumns)
    .where((row) => row.and({ id: p.id, currency: p.currency }))
    .where(partnerMayUse(sql`${p.partner}`, sql.ref("merchants.id"))),
);

/** A shop's smallest and largest amount and its step, as decimal strings of its currency. */
export const limitsOf = (
  merchant: Pick<RowOf<"merchants">, "currency" | "amount_min" | "amount_max" | "amount_step">,
): Limits => {
  const text = (minor: number) => formatAmount(minor, merchant.currency);
  return {
    currency: merchant.currency,
    amount_min: text(merchant.amount_min),
    amount_max: text(merchant.amount_max),
    amount_step: text(merchant.amount_step),
  };
};

/** Rounded so that notes are easy to count: amounts of these currencies are multiplied by the factor; all others by 1. */
const unitsByCurrency: Readonly<Record<number, string>> = {
  10: "CZK DKK EGP HKD MDL MXN NOK SEK THB TRY UAH UYU ZAR",
  100: "DZD HUF INR ISK JPY KES NPR PHP PKR RSD RUB XPF",
  1000: "ARS CLP COP IQD KHR KRW KZT LBP MMK MNT NGN TZS UGX XAF XOF",
  10000: "IDR IRR LAK UZS VND",
};

const unitOf = (currency: string): number =>
  Number(Object.entries(unitsByCurrency).find(([, codes]) => codes.split(" ").includes(currency))?.[0] ?? 1);

/** Default limits in minor units: 10 to 500 times the currency's unit in steps of 10, such as JPY 1,000 to 50,000. */
export const defaultLimits = (currency: string) => {
  const unit = unitOf(currency) * 10 ** minorDigits(currency);
  return { amount_min: 10 * unit, amount_max: 500 * unit, amount_step: 10 * unit };
};

/** More than people scroll through on a phone; others are found by search. */
const shopsShownMax = 20;
const searchCharactersMax = 100;

type Customer = Pick<RowOf<"checkins">, "partner_id" | "currency">;

/** A LIKE pattern for part of a name. */
const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;
const lowerAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const startingUpper = (text: string): string => text.replace(/\p{L}/u, (letter) => letter.toUpperCase());

/** Spellings of a name. SQLite's lower() handles ASCII only, so each spelling needs its own pattern. */
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

/** Shops ordered by name; `areMore`: there are others, which a search would find. @param search part of a name, in any case; empty finds all. */
export const findShops = async (
  { store }: Pick<Service, "store">,
  { partner_id: partner, currency }: Customer,
  search: string,
) => {
  // Names contain no control characters or lone surrogates, and PostgreSQL refuses them.
  const text = search.replace(/\p{C}/gu, "").trim().slice(0, searchCharactersMax);
  const values = { partner, currency, ...patternsOf(text), limit: shopsShownMax + 1 };
  const rows = await store.read((tx) => tx.all(shopsForPartner(values)));
  return { shops: rows.slice(0, shopsShownMax), areMore: rows.length > shopsShownMax };
};

/** The chosen shop; null when this customer may not use it. */
export const findShop = async (
  { store }: Pick<Service, "store">,
  { partner_id: partner, currency }: Customer,
  id: string,
): Promise<Shop | null> => {
  if (!isOwnerId(id)) return null;
  return (await store.read((tx) => tx.first(shopForPartner({ partner, currency, id })))) ?? null;
};

/**
 * One page of shops in the order of their ids.
 * @param after the `next` of the page before; empty for the first page.
 * @param limit shops on the page, 1 to 200.
 */
export const listStores = async (
  { store }: Pick<Service, "store">,
  reader: Client | Chain,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<z.infer<typeof storesReplySchema>> => {
  const rows = await store.read((tx) =>
    tx.all(
      "chainId" in reader
        ? merchantsOfChain({ chain: reader.chainId, after, limit: limit + 1 })
        : merchantsForPartner({ partner: reader.partnerId, after, limit: limit + 1 }),
    ),
  );
  const page = rows.slice(0, limit);
  return {
    stores: page.map((row) => ({ store: row.id, name: row.name, ...limitsOf(row) })),
    next: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
  };
};

/** A shop with its restores in one statement, which idle terminals request most. */
const shopOfTill = statement("shop_of_till", (db, p: { id: string; since: number }) =>
  db
    .selectFrom("merchants")
    .innerJoin(restoreTimes(db, p.since).as("restored"), (on) => on.onTrue())
    .select(merchantColumns.map((column) => `merchants.${column}` as const))
    .select(["restored.restored_at", "restored.first_restored_at", "restored.forgot_since"])
    .where("merchants.id", "=", p.id),
);

type ShopOfTill = NonNullable<ReturnType<typeof shopOfTill>["row"]>;
/** Reads a shop for its terminals, from the cache if possible. */
export type ShopCache = (name: string, read: UnitOfWork<ShopOfTill | undefined>) => Promise<ShopOfTill | undefined>;

/**
 * What a terminal needs to know about its shop (extension).
 * @param kept cache. Default: none.
 * @throws ServiceError `store_unknown` if the shop is gone.
 */
export const readTill = async (
  { store, clock, options }: Pick<Service, "store" | "clock" | "options">,
  terminal: Terminal,
  kept: ShopCache = (_, read) => store.read(read, true),
): Promise<z.infer<typeof tillSchema>> => {
  const now = clock.now();
  const { merchantId, deviceId } = terminal;
  const shop = await kept(merchantId, (tx) => tx.first(shopOfTill({ id: merchantId, since: repeatedSince(now) })));
  if (shop === undefined) throw new ServiceError("store_unknown");
  const { first_restored_at: restoredAt, support_text: text, support_phone: phone } = shop;
  const since = { restoredAt: restoredAt ?? 0, forgotSince: shop.forgot_since ?? 0 };
  const inCopy = { merchant: merchantId, device: deviceId, ...since };
  const keptHead = restoredAt === null ? null : await store.read((tx) => tx.first(headInCopy(inCopy)), true);
  return {
    ...limitsOf(shop),
    store_name: shop.name,
    sca_timeout_seconds: Math.ceil(options.scaTimeoutMs / 1000),
    support: text === null && phone === null ? null : { text, phone },
    server_time: toTime(now),
    forgot_since: toNullableTime(shop.forgot_since),
    restored_at: toNullableTime(shop.restored_at),
    kept_head: keptHead ?? null,
  };
};
