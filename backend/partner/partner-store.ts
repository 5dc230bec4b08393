/** Statements on partners and on the shops that each may use. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { isServiceUrl } from "../contract/service-url.ts";
import { isUnsafeHost } from "../network.ts";
import { adhoc, type Query, statement } from "../store/statement.ts";
import type { PartnersTable } from "../store/tables/parties.ts";

/** Stands for every shop in `partner_merchants`. */
export const everyMerchant = "*";

/** Adds a partner; no row comes back where the id is taken. */
export const insertPartner = statement(
  "partner_insert",
  (db, p: { id: string; url: string | null; secret: string | null; now: number }) =>
    db
      .insertInto("partners")
      .values({ id: p.id, url: p.url, secret: p.secret, created_at: p.now })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id"),
);

const columns = [
  "id",
  "url",
  "secret",
  "answers",
  "events_url",
  "sca_url",
  "previous_secret",
  "previous_secret_until",
  "user_day_max",
  "user_day_currency",
] as const;

/** A partner as calls to it and the operator's commands see it. */
export type Partner = Omit<PartnersTable, "created_at">;

/** One partner. */
export const partnerById = statement("partner_by_id", (db, p: { id: string }) =>
  db.selectFrom("partners").select(columns).where("id", "=", p.id),
);

/** All partners, by id. */
export const allPartners = statement("partners_all", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("partners").select(columns).orderBy("id"),
);

/** Changes what is named and leaves the rest; no row comes back when there is no such partner. */
export const updatePartner = (id: string, changes: Partial<Omit<Partner, "id">>): Query<Partner> =>
  adhoc((db) => db.updateTable("partners").set(changes).where("id", "=", id).returning(columns));

/** A new key in the place of the one that was read, which goes on beside it; no row comes back when that one is no more in use. */
export const rotateKey = (id: string, p: { secret: string; previous: string; until: number }): Query<{ id: string }> =>
  adhoc((db) =>
    db
      .updateTable("partners")
      .set({ secret: p.secret, previous_secret: p.previous, previous_secret_until: p.until })
      .where("id", "=", id)
      .where("secret", "=", p.previous)
      .returning("id"),
  );

/** Encrypts a stored key where it is still the one that was read: a rotation in between stays. */
export const replaceKey = (column: "secret" | "previous_secret", id: string, plain: string, sealed: string) =>
  adhoc((db) => db.updateTable("partners").set(column, sealed).where("id", "=", id).where(column, "=", plain));

type Allowance = { readonly partner: string; readonly merchant: string };

/** @param merchant a shop's id, or `everyMerchant`. */
export const allowMerchant = statement("partner_merchant_allow", (db, p: Allowance & { readonly now: number }) =>
  db
    .insertInto("partner_merchants")
    .values({ partner_id: p.partner, merchant_id: p.merchant, created_at: p.now })
    .onConflict((conflict) => conflict.columns(["partner_id", "merchant_id"]).doNothing()),
);

/** Takes a shop, or `everyMerchant`, off a partner's list. */
export const disallowMerchant = statement("partner_merchant_disallow", (db, p: Allowance) =>
  db.deleteFrom("partner_merchants").where("partner_id", "=", p.partner).where("merchant_id", "=", p.merchant),
);

/** A condition: whether the partner may use the shop, and the shop is open. */
export const partnerMayUse = (partner: RawBuilder<unknown>, merchant: RawBuilder<unknown>): RawBuilder<SqlBool> =>
  sql`(exists (select 1 from partner_merchants as allowed where allowed.partner_id = ${partner}
    and (allowed.merchant_id = ${merchant} or allowed.merchant_id = ${sql.lit(everyMerchant)}))
    and not exists (select 1 from merchants as closed where closed.id = ${merchant} and closed.disabled_at is not null))`;

/** Which partner may use which shops. */
export const allAllowances = statement("partner_merchants_all", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("partner_merchants").select(["partner_id", "merchant_id"]).orderBy("partner_id").orderBy("merchant_id"),
);

/**
 * What is wrong with an address of a bank, as the end of a sentence; `null` when it may be called.
 * @param sandbox plain http is allowed to every host: no real money moves there.
 */
export const addressProblem = (text: string, sandbox: boolean): string | null => {
  if (!URL.canParse(text)) return "must be an address that begins with https://";
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (protocol !== "https:" && protocol !== "http:") return "must be an address that begins with https://";
  if (username !== "" || password !== "") return "must not hold a user or a password";
  if (search !== "" || hash !== "") return "must not hold ? or #";
  if (isUnsafeHost(hostname)) return `must not point to ${hostname}, where no bank can be`;
  if (!sandbox && !isServiceUrl(text)) return "must be https (plain http is for this very machine alone)";
  return null;
};
