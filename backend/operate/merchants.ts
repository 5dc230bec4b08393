/** Merchants (shops) as the command line adds, changes and lists them. */
import { z } from "zod";
import { type Change, writeSettings } from "../access/setting-entries.ts";
import { formatAmount, isCurrency } from "../contract/money.ts";
import {
  allMerchants,
  defaultLimits,
  holdMerchant,
  insertMerchant,
  type Merchant,
  merchantById,
  updateMerchant,
} from "../merchants/merchants.ts";
import { isTimeZone, parseOpening } from "../merchants/opening.ts";
import { allAllowances, allowMerchant, disallowMerchant, everyMerchant } from "../partner/partners.ts";
import type { Tx } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { Management } from "./context.ts";
import { requirePartner, shopsIn } from "./partners.ts";
import { checked, checkedAmount, idSchema, nameSchema, noneOr } from "./words.ts";

const unknownMerchant = (id: string) => new UsageError(`there is no merchant ${id}; add it with: merchants add ${id}`);
const amount = z.string().optional();
const limits = { smallest: amount, largest: amount, step: amount };

const addForm = "merchants add ID --name NAME [--currency EUR] [--smallest 10.00] [--largest 500.00] [--step 10.00]";
const addSchema = z.object({
  id: idSchema("the ID"),
  name: nameSchema("--name", 100),
  currency: z.string().refine(isCurrency, "--currency must be one of ISO 4217, as EUR").default("EUR"),
  ...limits,
});

type Amounts = Pick<Merchant, "amount_min" | "amount_max" | "amount_step">;

const checkAmounts = ({ amount_min, amount_max, amount_step }: Amounts): void => {
  const fail = (why: string) => new UsageError(why, Object.keys(limits));
  if (amount_step <= 0 || amount_min <= 0 || amount_max < amount_min)
    throw fail("0 < smallest <= largest and 0 < step");
  if (amount_max - (amount_max % amount_step) < amount_min)
    throw fail("no amount from smallest to largest is a multiple of the step");
};

/** Adds a shop. @throws UsageError when it exists or the amounts are inconsistent. */
export const addMerchant = (on: Management, input: unknown) =>
  writeSettings(on, (tx, changed) => addShop(tx, on.clock.now(), input, changed));

/** `addMerchant` as part of a commit. @param changed what it adds to these goes into the audit. */
export const addShop = async (tx: Tx, now: number, input: unknown, changed: Change[]) => {
  const { id, name, currency, ...amounts } = checked(addSchema, input, addForm);
  const usual = defaultLimits(currency);
  const amountOf = (field: keyof typeof amounts, otherwise: number) => {
    const text = amounts[field];
    return text === undefined ? otherwise : checkedAmount(field, text, currency);
  };
  const row = {
    id,
    name,
    currency,
    amount_min: amountOf("smallest", usual.amount_min),
    amount_max: amountOf("largest", usual.amount_max),
    amount_step: amountOf("step", usual.amount_step),
  };
  checkAmounts(row);
  const added = await tx.first(insertMerchant({ ...row, now }));
  if (added === undefined) throw new UsageError(`merchant ${id} is there already`);
  changed.push([["merchants", id], row]);
  return showMerchant(added);
};

const setForm =
  "merchants set ID [--name NAME] [--smallest 10.00] [--largest 500.00] [--step 10.00] [--shop-day 5000.00|none] [--terminal-hour 1000.00|none] [--support-text TEXT|none] [--support-phone NUMBER|none] [--opening HOURS|none] [--time-zone ZONE|none]";
const setSchema = z.strictObject({
  id: idSchema("the ID"),
  name: nameSchema("--name", 100).optional(),
  ...limits,
  "shop-day": amount,
  "terminal-hour": amount,
  "support-text": noneOr(nameSchema("--support-text", 200)).optional(),
  "support-phone": noneOr(
    z.string().regex(/^\+?[0-9][0-9 ()/-]{2,30}$/, "--support-phone must be a telephone number"),
  ).optional(),
  opening: noneOr(
    z
      .string()
      .max(200)
      .refine((text) => parseOpening(text) !== null, '--opening must be as "mon-sat 08:00-20:00, sun 10:00-14:00"'),
  ).optional(),
  "time-zone": noneOr(z.string().refine(isTimeZone, "--time-zone must be as Europe/Vienna")).optional(),
});

/** Changes the given settings. @throws UsageError when there is no such shop or nothing to change. */
export const setMerchant = (on: Management, input: unknown) =>
  writeSettings(on, (tx, changed) => setShop(tx, input, changed));

/** `setMerchant` as part of a commit. @param changed as `addShop`. */
export const setShop = async (tx: Tx, input: unknown, changed: Change[]) => {
  const { id, ...wanted } = checked(setSchema, input, setForm);
  if (Object.keys(wanted).length === 0) throw new UsageError(`nothing to change; name it as: ${setForm}`);
  const before = await tx.first(holdMerchant({ id }));
  if (before === undefined) throw unknownMerchant(id);
  const amountOf = (field: "smallest" | "largest" | "step" | "shop-day" | "terminal-hour") =>
    wanted[field] === undefined ? undefined : checkedAmount(field, wanted[field], before.currency);
  const cap = (field: "shop-day" | "terminal-hour") => (wanted[field] === "none" ? null : amountOf(field));
  const given = {
    name: wanted.name,
    amount_min: amountOf("smallest"),
    amount_max: amountOf("largest"),
    amount_step: amountOf("step"),
    shop_day_max: cap("shop-day"),
    terminal_hour_max: cap("terminal-hour"),
    support_text: wanted["support-text"],
    support_phone: wanted["support-phone"],
    opening: wanted.opening,
    time_zone: wanted["time-zone"],
  };
  const values = Object.fromEntries(
    Object.entries(given).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]])),
  );
  const after: Merchant = { ...before, ...values };
  if (after.opening !== null && after.time_zone === null)
    throw new UsageError("by which clocks? add --time-zone, as Europe/Vienna", ["time-zone"]);
  checkAmounts(after);
  await tx.first(updateMerchant(id, values));
  changed.push([["merchants", id], values]);
  return { ...showMerchant(after), ...showMore(after) };
};

/** A disabled shop takes no new withdrawals; existing ones go on. @throws UsageError when there is no such shop. */
export const disableMerchant = async (on: Management, id: string | undefined, disabled: boolean) => {
  const form = `merchants ${disabled ? "disable" : "enable"} ID`;
  const known = checked(idSchema("the ID"), id, form);
  return writeSettings(on, async (tx, changed) => {
    const values = { disabled_at: disabled ? on.clock.now() : null };
    const row = await tx.first(updateMerchant(known, values));
    if (row === undefined) throw unknownMerchant(known);
    changed.push([["merchants", known], values]);
    return { ...showMerchant(row), ...showMore(row) };
  });
};

const showMerchant = (row: Merchant) => ({
  id: row.id,
  name: row.name,
  currency: row.currency,
  smallest: formatAmount(row.amount_min, row.currency),
  largest: formatAmount(row.amount_max, row.currency),
  step: formatAmount(row.amount_step, row.currency),
});

const showMore = (row: Merchant) => {
  const cap = (amount: number | null) => (amount === null ? null : formatAmount(amount, row.currency));
  return {
    shop_day: cap(row.shop_day_max),
    terminal_hour: cap(row.terminal_hour_max),
    support_text: row.support_text,
    support_phone: row.support_phone,
    opening: row.opening,
    time_zone: row.time_zone,
    status: row.disabled_at === null ? "in use" : "disabled",
  };
};

/** `merchants list`: every shop with its limits as decimal amounts. */
export const listMerchants = async ({ store }: Management) =>
  (await store.read((tx) => tx.all(allMerchants({})))).map((row) => ({ ...showMerchant(row), ...showMore(row) }));

/** @throws UsageError when there is no such shop. */
export const requireMerchant = async ({ store }: Pick<Management, "store">, id: string): Promise<void> => {
  if ((await store.read((tx) => tx.first(merchantById({ id })))) === undefined) throw unknownMerchant(id);
};

/**
 * `partners allow` and `partners disallow`. @param every `--all`. @returns what the partner may use now.
 * @throws UsageError for an unknown partner or shop, or to disallow what was not allowed.
 */
export const changeAllowance = async (
  on: Management,
  verb: "allow" | "disallow",
  words: readonly string[],
  every: boolean,
) => {
  const [partner, shop] = words;
  if (partner === undefined || (shop === undefined) === !every || words.length > 2)
    throw new UsageError(`name it as: partners ${verb} PARTNER SHOP, or partners ${verb} PARTNER --all`);
  await requirePartner(on, partner);
  if (shop !== undefined) await requireMerchant(on, shop);
  const merchant = shop ?? everyMerchant;
  const isAllowed = verb === "allow";
  await writeSettings(on, async (tx, changed) => {
    if (isAllowed) await tx.run(allowMerchant({ partner, merchant, now: on.clock.now() }));
    else if ((await tx.run(disallowMerchant({ partner, merchant }))) === 0)
      throw new UsageError(`partner ${partner} was not allowed ${every ? "--all" : merchant}`);
    changed.push([["partner_merchants", partner, merchant], isAllowed ? {} : null]);
  });
  return on.store.read(async (tx) => ({ id: partner, shops: shopsIn(await tx.all(allAllowances({})), partner) }));
};
