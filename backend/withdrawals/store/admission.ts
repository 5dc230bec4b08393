/** What is read of shop, partner and user before a request. */
import { sql } from "kysely";
import { customerIsBlocked } from "../../checkin/checkin-store.ts";
import { merchantColumns } from "../../merchants/merchant-store.ts";
import { partnerMayUse } from "../../partner/partner-store.ts";
import { statement } from "../../store/statement.ts";

/** The shop, if the partner may use it, with what is to be known of the partner and the user before a request. */
export const admissionFor = statement(
  "withdrawal_admission",
  (db, p: { partner: string; merchant: string; user: string }) =>
    db
      .selectFrom("merchants")
      .innerJoin("partners", (join) => join.on("partners.id", "=", p.partner))
      .select(merchantColumns.map((column) => `merchants.${column}` as const))
      .select(["partners.url", "partners.secret", "partners.user_day_max", "partners.user_day_currency"])
      .select(
        sql<number>`case when ${customerIsBlocked(sql`${p.partner}`, sql`${p.user}`)} then 1 else 0 end`.as("blocked"),
      )
      .where("merchants.id", "=", p.merchant)
      .where(partnerMayUse(sql`${p.partner}`, sql`${p.merchant}`)),
);
