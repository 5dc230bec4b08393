/** Merchants and partners as the command line adds and lists them. */
import { z } from "zod";
import type { Service } from "../context.ts";
import { formatAmount, isCurrencyCode, parseAmount } from "../contract/money.ts";
import { merchantColumns } from "../store/columns.ts";
import type { MerchantsTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";
import { all, one } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import { checked, idSchema, textSchema } from "./words.ts";

type Stored = Pick<Service, "store" | "clock" | "random">;

const merchantForm =
  "merchants add ID --name NAME [--currency EUR] [--smallest 10.00] [--largest 500.00] [--step 10.00]";
const merchantSchema = z.object({
  id: idSchema("the ID"),
  name: textSchema("--name", 100),
  currency: z.string().refine(isCurrencyCode, "--currency must be three capital letters as in EUR").default("EUR"),
  smallest: z.string().optional(),
  largest: z.string().optional(),
  step: z.string().optional(),
});

const insertMerchant = statement(
  "cli_merchant_add",
  (db, p: { [column in keyof MerchantsTable]: MerchantsTable[column] }) =>
    db
      .insertInto("merchants")
      .values({
        id: p.id,
        name: p.name,
        currency: p.currency,
        amount_min: p.amount_min,
        amount_max: p.amount_max,
        amount_step: p.amount_step,
        created_at: p.created_at,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id"),
);

const merchants = statement("cli_merchants", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("merchants").select(merchantColumns).orderBy("id"),
);

const insertPartner = statement(
  "cli_partner_add",
  (db, p: { id: string; url: string | null; secret: string | null; now: number }) =>
    db
      .insertInto("partners")
      .values({ id: p.id, url: p.url, secret: p.secret, created_at: p.now })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id"),
);

const partners = statement("cli_partners", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("partners").select(["id", "url", "created_at"]).orderBy("id"),
);

/** @throws UsageError when it is there already or the amounts do not hold. */
export const addMerchant = async ({ store, clock }: Stored, input: unknown) => {
  const { id, name, currency, ...amounts } = checked(merchantSchema, input, merchantForm);
  const minor = (text: string | undefined, major: number) => {
    if (text === undefined) return major * unitOf(currency);
    const amount = parseAmount(text, currency);
    if (amount === null) throw new UsageError(`${text} is no amount in ${currency}`);
    return amount;
  };
  const smallest = minor(amounts.smallest, 10);
  const largest = minor(amounts.largest, 500);
  const step = minor(amounts.step, 10);
  if (step <= 0 || smallest <= 0 || largest < smallest) throw new UsageError("0 < smallest <= largest and 0 < step");
  const row = { id, name, currency, amount_min: smallest, amount_max: largest, amount_step: step };
  const added = await store.write(() => one(insertMerchant({ ...row, created_at: clock.now() })));
  if (added === undefined) throw new UsageError(`merchant ${id} is there already`);
  return showMerchant({ ...row, created_at: clock.now() });
};

/** Minor units in one major unit: 100 for EUR, 1 for JPY. */
const unitOf = (currency: string): number => 10 ** (formatAmount(0, currency).split(".")[1]?.length ?? 0);

const showMerchant = (row: MerchantsTable) => ({
  id: row.id,
  name: row.name,
  currency: row.currency,
  smallest: formatAmount(row.amount_min, row.currency),
  largest: formatAmount(row.amount_max, row.currency),
  step: formatAmount(row.amount_step, row.currency),
});

export const listMerchants = async ({ store }: Stored) =>
  (await store.read(() => all(merchants({})))).map(showMerchant);

const partnerForm = "partners add ID [--url URL]";
const partnerSchema = z.object({
  id: idSchema("the ID"),
  url: z
    .url({ protocol: /^https?$/, error: "--url must be an address that begins with http:// or https://" })
    .optional(),
});

/** A partner with an address of its own gets a secret of its own, returned once. */
export const addPartner = async ({ store, clock, random }: Stored, input: unknown) => {
  const { id, url } = checked(partnerSchema, input, partnerForm);
  const secret = url === undefined ? null : `whsec_${Buffer.from(random.bytes(32)).toString("base64")}`;
  const address = url?.replace(/\/+$/, "") ?? null;
  const added = await store.write(() => one(insertPartner({ id, url: address, secret, now: clock.now() })));
  if (added === undefined) throw new UsageError(`partner ${id} is there already`);
  return { id, url: address, ...(secret === null ? {} : { secret }) };
};

export const listPartners = async ({ store }: Stored) =>
  (await store.read(() => all(partners({})))).map(({ id, url }) => ({ id, url }));

const merchantExists = statement("cli_merchant_exists", (db, p: { id: string }) =>
  db.selectFrom("merchants").select("id").where("id", "=", p.id),
);
const partnerExists = statement("cli_partner_exists", (db, p: { id: string }) =>
  db.selectFrom("partners").select("id").where("id", "=", p.id),
);

/** @throws UsageError when the owner of a credential is not there. */
export const requireOwner = async ({ store }: Stored, kind: "terminal" | "client", id: string): Promise<void> => {
  const find = kind === "terminal" ? merchantExists : partnerExists;
  const found = await store.read(() => one<{ id: string }>(find({ id })));
  const word = kind === "terminal" ? "merchant" : "partner";
  if (found === undefined) throw new UsageError(`there is no ${word} ${id}; add it with: ${word}s add ${id}`);
};
