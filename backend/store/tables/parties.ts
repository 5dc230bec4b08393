/** Tables of shops, banks and the customers whom banks send. */
import type { PartnerAnswers } from "../../contract/partner.ts";

/** The shops. */
export interface MerchantsTable {
  /** The `merchant_id` of its terminals and the `store` of its transactions. */
  id: string;
  /** What the bank sees as `store` in Start order and what the customer reads. */
  name: string;
  currency: string;
  amount_min: number;
  amount_max: number;
  amount_step: number;
  created_at: number;
  /** The most that may be asked for here in a day (UTC), in minor units; null: no such limit. */
  shop_day_max: number | null;
  /** The most that one terminal may confirm in 60 minutes, in minor units; null: no such limit. */
  terminal_hour_max: number | null;
  /** Whom a cashier asks: a sentence and a telephone number. */
  support_text: string | null;
  support_phone: string | null;
  /** From when on nobody may ask for cash here; what was asked for before goes on. Null: open. */
  disabled_at: number | null;
}

/** The banks. */
export interface PartnersTable {
  /** The `merchant_id` of its client credentials. */
  id: string;
  /** Null: only PARTNER_URL and PARTNER_SECRET, where PARTNER_ID names this partner; else it can ask for nothing. */
  url: string | null;
  secret: string | null;
  created_at: number;
  /** Where status events go; null: this bank gets none. */
  events_url: string | null;
  /** The link into the bank's app at `awaiting_sca`, with `{transaction_id}` in it; null: no button. */
  sca_url: string | null;
  /** How a definite answer is recognized; null: by a status word (`backend/contract/partner.ts`). */
  answers: PartnerAnswers | null;
  /** The key before the last rotation: calls are signed with both until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** The most that one user may ask for in a day (UTC), in minor units of `user_day_currency`; null: no such limit. */
  user_day_max: number | null;
  user_day_currency: string | null;
}

/** How banks look on their customers' pages; a bank without a row looks as the pages do by themselves. */
export interface PartnerBrandsTable {
  partner_id: string;
  /** In place of the brand that a check-in names; null: that one. */
  name: string | null;
  /** `#rrggbb` as the bank has it; null: the pages' own. */
  color: string | null;
  /** Base64 of the checked file; null: the first letter of the name. */
  logo: string | null;
  logo_type: "image/png" | "image/svg+xml" | null;
  /** Names the files of this look; another look has another. */
  digest: string;
  changed_at: number;
}

/** The shops that a partner may use; `merchant_id` is `*` for all of them, also later ones. */
export interface PartnerMerchantsTable {
  partner_id: string;
  merchant_id: string;
  created_at: number;
}

/** The people a partner checks in: `new` without a row, `blocked` with `blocked_at`. */
export interface CustomersTable {
  partner_id: string;
  user_id: string;
  created_at: number;
  blocked_at: number | null;
}

/** Customers whom a bank has sent to the pages. */
export interface CheckinsTable {
  id: string;
  partner_id: string;
  /** HMAC of the secret in the destination url. */
  token_hash: string;
  reference_id: string;
  brand: string;
  user_id: string;
  balance: number;
  currency: string;
  url_back: string;
  created_at: number;
  expires_at: number;
  /** The url works once; the page then goes on with a session. */
  opened_at: number | null;
  session_hash: string | null;
  transaction_id: string | null;
}
