/** Which partner may use which shop (conventions, "Extensions"): another shop is unknown to it. */
import { allAllowances, allowMerchant, disallowMerchant, everyMerchant } from "../partner/partner-store.ts";
import { all, run } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { Management } from "./context.ts";
import { requireMerchant } from "./merchants.ts";
import { requirePartner } from "./partners.ts";

interface Allowance {
  readonly partner: string;
  /** A shop's id, or `everyMerchant`. */
  readonly merchant: string;
}

const allowanceOf = async (
  on: Management,
  verb: string,
  words: readonly string[],
  every: boolean,
): Promise<Allowance> => {
  const [partner, merchant] = words;
  if (partner === undefined || (merchant === undefined) === !every || words.length > 2)
    throw new UsageError(`name it as: partners ${verb} PARTNER SHOP, or partners ${verb} PARTNER --all`);
  await requirePartner(on, partner);
  if (merchant !== undefined) await requireMerchant(on, merchant);
  return { partner, merchant: merchant ?? everyMerchant };
};

const shopsOf = (on: Management, partner: string) =>
  on.store.read(function* () {
    const rows = (yield* all(allAllowances({}))).filter(({ partner_id }) => partner_id === partner);
    return { id: partner, shops: rows.length === 0 ? null : rows.map(({ merchant_id }) => merchant_id).join(" ") };
  });

/** `partners allow`. @throws UsageError for an unknown partner or shop. @returns what the partner may use then. */
export const allowShop = async (on: Management, words: readonly string[], every: boolean) => {
  const allowance = await allowanceOf(on, "allow", words, every);
  await on.store.write(() => run(allowMerchant({ ...allowance, now: on.clock.now() })));
  return shopsOf(on, allowance.partner);
};

/** @throws UsageError when the partner was not allowed it by this name. */
export const disallowShop = async (on: Management, words: readonly string[], every: boolean) => {
  const allowance = await allowanceOf(on, "disallow", words, every);
  if ((await on.store.write(() => run(disallowMerchant({ ...allowance })))) === 0)
    throw new UsageError(`partner ${allowance.partner} was not allowed ${every ? "--all" : allowance.merchant}`);
  return shopsOf(on, allowance.partner);
};
