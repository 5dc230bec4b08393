/** Partners (banks) as the command line adds, changes and lists them. */
import { z } from "zod";
import { isApprovalTemplate } from "../contract/approval-link.ts";
import { formatAmount, isCurrency } from "../contract/money.ts";
import { partnerAnswers } from "../contract/partner.ts";
import { oldKeyUntil, partnerProblems } from "../partner/bound-partners.ts";
import { makeKey, plainKeys } from "../partner/keys.ts";
import {
  addressProblem,
  allAllowances,
  allPartners,
  insertPartner,
  type Partner,
  partnerById,
  updatePartner,
} from "../partner/partner-store.ts";
import { isSandboxDatabase } from "../store/settings.ts";
import { all, one, type UnitOfWork } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import { brandChanges, changesBrand, showBrand, writeBrand } from "./brand.ts";
import type { Management } from "./context.ts";
import { checked, checkedAmount, idSchema, nameSchema, noneOr } from "./words.ts";

const unknownPartner = (id: string) => new UsageError(`there is no partner ${id}; add it with: partners add ${id}`);

/** @throws UsageError when the address may not be called. */
const checkAddress = async ({ store }: Management, word: string, url: string): Promise<void> => {
  const problem = addressProblem(url, await isSandboxDatabase(store));
  const field = word.startsWith("--") ? word.slice(2) : "url";
  if (problem !== null) throw new UsageError(`${word} ${problem}`, [field]);
};

/** The address below which the paths of orders go. */
const baseAddress = async (on: Management, word: string, url: string): Promise<string> => {
  await checkAddress(on, word, url);
  return url.replace(/\/+$/, "");
};

/** How a new key is stored. */
export const seal = <Key extends string | null>(
  { keyCipher = plainKeys }: Management,
  id: string,
  key: Key,
): Key | string => (key === null ? key : keyCipher.seal(id, key));

const addForm = "partners add ID [--url URL]";
const addSchema = z.object({ id: idSchema("the ID"), url: z.string().optional() });

/** A partner with an address of its own gets a key of its own, returned once. It may use no shop until it is allowed one. */
export const addPartner = async (on: Management, input: unknown) => {
  const { store, clock, random } = on;
  const { id, url } = checked(addSchema, input, addForm);
  const address = url === undefined ? null : await baseAddress(on, "--url", url);
  const secret = address === null ? null : makeKey(random);
  const added = await store.write(() =>
    one(insertPartner({ id, url: address, secret: seal(on, id, secret), now: clock.now() })),
  );
  if (added === undefined) throw new UsageError(`partner ${id} is there already`);
  return { id, url: address, ...(secret === null ? {} : { secret }) };
};

/** @throws UsageError when there is no such partner. */
export const requirePartner = async ({ store }: Pick<Management, "store">, id: string): Promise<Partner> => {
  const partner = await store.read(() => one(partnerById({ id })));
  if (partner === undefined) throw unknownPartner(id);
  return partner;
};

/** Changes a row; a partner that there is not is refused. */
export const changePartner = async (
  { store }: Management,
  id: string,
  changes: Partial<Omit<Partner, "id">>,
): Promise<Partner> => {
  const changed = await store.write(() => one(updatePartner(id, changes)));
  if (changed === undefined) throw unknownPartner(id);
  return changed;
};

/** Another address; the key stays, and a partner that has none gets one, returned once. */
export const setPartnerUrl = async (on: Management, id: string | undefined, url: string | undefined) => {
  const form = "partners set-url ID URL";
  const wanted = checked(z.object({ id: idSchema("the ID"), url: z.string({ error: "the URL" }) }), { id, url }, form);
  const address = await baseAddress(on, "the URL", wanted.url);
  const { secret: before } = await requirePartner(on, wanted.id);
  const made = before === null ? makeKey(on.random) : null;
  // A key that is there is not written: a rotation may be setting another one.
  await changePartner(on, wanted.id, {
    url: address,
    ...(made === null ? {} : { secret: seal(on, wanted.id, made) }),
  });
  return { id: wanted.id, url: address, ...(made === null ? {} : { secret: made }) };
};

const setForm =
  "partners set ID [--answers by-status-word|by-status-code] [--events-url URL|none] [--sca-url URL|none] [--user-day 500.00 --currency EUR|--user-day none] [--name NAME|none] [--logo FILE|none] [--color #0a5bd3|none]";
const scaLinkRule =
  "--sca-url must be an https address or a link of your app (mybank://…), with {transaction_id} where the withdrawal's id goes";
const setSchema = z.strictObject({
  id: idSchema("the ID"),
  answers: z.enum(partnerAnswers, `--answers must be ${partnerAnswers.join(" or ")}`).optional(),
  "events-url": noneOr(z.string()).optional(),
  "sca-url": noneOr(z.string().refine(isApprovalTemplate, scaLinkRule)).optional(),
  "user-day": noneOr(z.string()).optional(),
  currency: z.string().refine(isCurrency, "--currency must be one of ISO 4217, as EUR").optional(),
  name: noneOr(nameSchema("--name", 60)).optional(),
  logo: noneOr(z.string()).optional(),
  color: noneOr(z.string()).optional(),
});

/** Changes what is named and leaves the rest. @throws UsageError when there is no such partner or nothing to change. */
export const setPartner = async (on: Management, input: unknown) => {
  const { id, answers, currency, ...flags } = checked(setSchema, input, setForm);
  const changes: Partial<Omit<Partner, "id">> = {};
  if (answers !== undefined) changes.answers = answers;
  const { "events-url": eventsUrl, "sca-url": scaUrl } = flags;
  if (eventsUrl !== undefined) {
    if (eventsUrl !== null) await checkAddress(on, "--events-url", eventsUrl);
    changes.events_url = eventsUrl;
  }
  if (scaUrl !== undefined) changes.sca_url = scaUrl;
  const most = flags["user-day"];
  if (most === null) Object.assign(changes, { user_day_max: null, user_day_currency: null });
  else if (most !== undefined) {
    // A guess would be a limit that never applies to a bank of another currency.
    if (currency === undefined)
      throw new UsageError("--user-day needs --currency, as --user-day 500.00 --currency EUR");
    Object.assign(changes, { user_day_max: checkedAmount("user-day", most, currency), user_day_currency: currency });
  } else if (currency !== undefined) throw new UsageError("--currency goes with --user-day");
  const brand = brandChanges(flags);
  const isBrand = changesBrand(brand);
  if (!isBrand && Object.keys(changes).length === 0) throw new UsageError(`nothing to change; name it as: ${setForm}`);
  const changed = await on.store.write(function* () {
    const query = Object.keys(changes).length === 0 ? partnerById({ id }) : updatePartner(id, changes);
    const partner = yield* one<Partner>(query);
    if (partner !== undefined && isBrand) yield* writeBrand(id, brand, on.clock.now());
    return partner;
  });
  if (changed === undefined) throw unknownPartner(id);
  const rules = await rulesOf(on);
  return on.store.read(function* () {
    const [shown] = yield* showPartners([changed], rules, on.clock.now());
    return [isBrand ? { ...shown, ...(yield* showBrand(id)) } : { ...shown }];
  });
};

const shownTime = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

type Rules = Parameters<typeof partnerProblems>[2];

/** What a stored address and key must be here. */
const rulesOf = async ({ store, keyCipher = plainKeys }: Pick<Management, "store" | "keyCipher">): Promise<Rules> => ({
  keyCipher,
  isSandbox: await isSandboxDatabase(store),
});

const showPartner = (row: Partner, merchants: readonly string[], rules: Rules, nowMs: number) => ({
  id: row.id,
  url: row.url,
  shops: merchants.length === 0 ? null : merchants.join(" "),
  answers: row.answers ?? partnerAnswers[0],
  events_url: row.events_url,
  sca_url: row.sca_url,
  user_day:
    row.user_day_max === null || row.user_day_currency === null
      ? null
      : `${formatAmount(row.user_day_max, row.user_day_currency)} ${row.user_day_currency}`,
  old_key_until: shownTime(oldKeyUntil(row, nowMs)),
  problem: partnerProblems(row.id, row, rules).join("; ") || null,
});

/** Each with its `shops`: ids of those that it may use, or `*` for every one; `old_key_until` during a rotation; the `problem` for which it is not called. */
function* showPartners(
  rows: readonly Partner[],
  rules: Rules,
  nowMs: number,
): UnitOfWork<ReturnType<typeof showPartner>[]> {
  const allowed = Object.groupBy(yield* all(allAllowances({})), ({ partner_id }) => partner_id);
  return rows.map((row) =>
    showPartner(
      row,
      (allowed[row.id] ?? []).map(({ merchant_id }) => merchant_id),
      rules,
      nowMs,
    ),
  );
}

/** Keys are never shown again. */
export const listPartners = async (on: Management) => {
  const rules = await rulesOf(on);
  return on.store.read(function* () {
    return yield* showPartners(yield* all(allPartners({})), rules, on.clock.now());
  });
};
