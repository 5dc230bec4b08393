/** The shops a customer can choose from: all that the bank may use and that hand out the currency of the account. */

import { sql } from "kysely";
import type { Service } from "../context.ts";
import { partnerMayUse } from "../partner/partner-store.ts";
import { statement } from "../store/statement.ts";
import { all } from "../store/store.ts";
import type { Shop } from "./pages/amount-rules.ts";

const shopsMax = 500;

const shopsByCurrency = statement("websdk_shops", (db, p: { partner: string; currency: string }) =>
  db
    .selectFrom("merchants")
    .select(["id", "name", "currency", "amount_min", "amount_max", "amount_step"])
    .where("currency", "=", p.currency)
    .where(partnerMayUse(sql`${p.partner}`, sql.ref("merchants.id")))
    .orderBy("name")
    .orderBy("id")
    .limit(shopsMax),
);

export const shopsFor = (
  { store }: Pick<Service, "store">,
  partner: string,
  currency: string,
): Promise<readonly Shop[]> => store.read(() => all(shopsByCurrency({ partner, currency })));
