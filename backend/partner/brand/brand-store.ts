/** Statements on how a bank looks on the customer's pages. */
import { columnsOf } from "../../store/columns.ts";
import { statement } from "../../store/statement.ts";
import type { PartnerBrandsTable } from "../../store/tables/parties.ts";

const columns = columnsOf<PartnerBrandsTable>()({
  partner_id: true,
  name: true,
  color: true,
  logo: true,
  logo_type: true,
  digest: true,
  changed_at: true,
});

/** What a bank looks like; no row where nothing was set. */
export const brandOf = statement("partner_brand", (db, p: { partner: string }) =>
  db.selectFrom("partner_brands").select(columns).where("partner_id", "=", p.partner),
);

/** What the pages of a bank need at each request: not the logo itself. */
export const brandTheme = statement("partner_brand_theme", (db, p: { partner: string }) =>
  db.selectFrom("partner_brands").select(["name", "color", "logo_type", "digest"]).where("partner_id", "=", p.partner),
);

/** By the name that its files have. */
export const brandByDigest = statement("partner_brand_by_digest", (db, p: { digest: string }) =>
  db.selectFrom("partner_brands").select(["color", "logo", "logo_type"]).where("digest", "=", p.digest),
);

/** Puts all of it in place of what there was. */
export const replaceBrand = statement(
  "partner_brand_replace",
  (db, p: Pick<PartnerBrandsTable, keyof PartnerBrandsTable>) => {
    const { partner_id, name, color, logo, logo_type, digest, changed_at } = p;
    const values = { name, color, logo, logo_type, digest, changed_at };
    return db
      .insertInto("partner_brands")
      .values({ partner_id, ...values })
      .onConflict((conflict) => conflict.column("partner_id").doUpdateSet(values));
  },
);
