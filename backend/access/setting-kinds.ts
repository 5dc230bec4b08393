/** Which tables are settings, and what the audit calls their rows and columns. */
import type { Database } from "../store/schema.ts";
import type { Value } from "../store/store.ts";

/** A row, or some of its columns. */
export type Row = Readonly<Record<string, Value>>;
/** How a value is shown. */
export type Show = "text" | "amount" | "time" | "secret";

/** A table whose rows are audited. */
export interface Kind<Column extends string = string> {
  readonly key: readonly string[];
  /** As the audit names a row, and a sentence about it. */
  readonly object: (key: readonly string[]) => string;
  /** The audited columns, each with its label and format. */
  readonly columns: Readonly<Record<Column, readonly [string, Show]>>;
}

/** All columns of a table except its key and those that decide nothing. */
type Audited<Table extends keyof Database, Key extends string> = Kind<
  Exclude<keyof Database[Table] & string, Key | "created_at" | "blocked_at">
>;

/** What is audited of which table. */
export const kinds = {
  merchants: {
    key: ["id"],
    object: ([id]: readonly string[]) => `shop ${id}`,
    columns: {
      name: ["name", "text"],
      currency: ["currency", "text"],
      amount_min: ["smallest amount", "amount"],
      amount_max: ["largest amount", "amount"],
      amount_step: ["step", "amount"],
      shop_day_max: ["most in a day", "amount"],
      terminal_hour_max: ["most of a terminal in an hour", "amount"],
      support_text: ["text for support", "text"],
      support_phone: ["number for support", "text"],
      disabled_at: ["end of use", "time"],
      opening: ["opening hours", "text"],
      time_zone: ["time zone", "text"],
    },
  },
  partners: {
    key: ["id"],
    object: ([id]: readonly string[]) => `bank ${id}`,
    columns: {
      url: ["address", "text"],
      secret: ["key", "secret"],
      events_url: ["address for events", "text"],
      sca_url: ["link into its app", "text"],
      answers: ["way of answering", "text"],
      previous_secret: ["key before the last rotation", "secret"],
      previous_secret_until: ["end of the key before the last rotation", "time"],
      user_day_max: ["most of a user in a day", "amount"],
      user_day_currency: ["currency of the most of a user in a day", "text"],
      slots: ["number of orders at once", "text"],
    },
  },
  credentials: {
    key: ["kind", "owner_id", "device_id"],
    object: ([kind, owner, device]) => `access of ${kind} ${owner}/${device}`,
    columns: {
      id: ["number", "text"],
      secret_hash: ["secret", "secret"],
      scopes: ["scope", "text"],
      revoked_at: ["revocation", "time"],
    },
  },
  partner_merchants: {
    key: ["partner_id", "merchant_id"],
    object: ([bank, shop]: readonly string[]) =>
      `permission of bank ${bank} for ${shop === "*" ? "every shop" : `shop ${shop}`}`,
    columns: {},
  },
  chain_merchants: {
    key: ["chain_id", "merchant_id"],
    object: ([chain, shop]) => `place of shop ${shop} in chain ${chain}`,
    columns: {},
  },
  /** Only blocked users have an entry. */
  customers: {
    key: ["partner_id", "user_id"],
    object: ([bank, digest]) => `block of user ${digest} of bank ${bank}`,
    columns: {},
  },
} as const satisfies {
  readonly merchants: Audited<"merchants", "id">;
  readonly partners: Audited<"partners", "id">;
  readonly credentials: Audited<"credentials", "kind" | "owner_id" | "device_id">;
  readonly partner_merchants: Audited<"partner_merchants", "partner_id" | "merchant_id">;
  readonly chain_merchants: Audited<"chain_merchants", "chain_id" | "merchant_id">;
  readonly customers: Audited<"customers", "partner_id" | "user_id">;
};

/** Its name. */
export type SettingTable = keyof typeof kinds;
/** Which row: its table, then its key. */
export type Setting = readonly [table: SettingTable, ...key: string[]];
/** All of them. */
export const tables = Object.keys(kinds) as SettingTable[];
/** What is audited of one. */
export const kindOf = (table: SettingTable): Kind => kinds[table];
