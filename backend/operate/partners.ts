/** Partners (banks) as the command line adds, changes and lists them. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { z } from "zod";
import { trustMachine } from "../../outbound/authorities.ts";
import { settingsAudit, writeSettings } from "../access/setting-entries.ts";
import { isApprovalTemplate } from "../contract/approval-link.ts";
import { formatAmount, isCurrency } from "../contract/money.ts";
import { orderPaths, partnerAnswers } from "../contract/partner.ts";
import { hourMs, toNullableTime, toTime } from "../contract/times.ts";
import { brandColors, brandOf, checkLogo, logoBytesMax, parseColor, replaceBrand } from "../partner/brand.ts";
import { waitingEvents } from "../partner/events.ts";
import { makeKey, newKeyProblem, plainKeys } from "../partner/keys.ts";
import {
  addressProblem,
  allAllowances,
  allPartners,
  insertPartner,
  oldKeyUntil,
  type Partner,
  partnerAddress,
  partnerById,
  partnerProblems,
  rotateKey,
  sealKeys,
  signingKeys,
  updatePartner,
} from "../partner/partners.ts";
import { createHttpTransport, signedHeaders } from "../partner/send.ts";
import { messageOf } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { isSandboxDatabase } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, Management } from "./context.ts";
import { checked, checkedAmount, idSchema, nameSchema, noneOr } from "./words.ts";

const unknownPartner = (id: string) => new UsageError(`there is no partner ${id}; add it with: partners add ${id}`);

/** @throws UsageError when the address may not be called. */
const checkAddress = async ({ store }: Management, word: string, url: string): Promise<void> => {
  const problem = addressProblem(url, await isSandboxDatabase(store));
  const field = word.startsWith("--") ? word.slice(2) : "url";
  if (problem !== null) throw new UsageError(`${word} ${problem}`, [field]);
};

/** The base address of a bank's orders. */
const baseAddress = async (on: Management, word: string, url: string): Promise<string> => {
  await checkAddress(on, word, url);
  return url.replace(/\/+$/, "");
};

const seal = <Key extends string | null>({ keyCipher = plainKeys }: Management, id: string, key: Key): Key | string =>
  key === null ? key : keyCipher.seal(id, key);

const addForm = "partners add ID [--url URL]";
const addSchema = z.object({ id: idSchema("the ID"), url: z.string().optional() });

/** Adds a bank. With an address it gets a key, returned once. It may use no shop until one is allowed. */
export const addPartner = async (on: Management, input: unknown) => {
  const { clock, random } = on;
  const { id, url } = checked(addSchema, input, addForm);
  const address = url === undefined ? null : await baseAddress(on, "--url", url);
  const secret = address === null ? null : makeKey(random);
  await writeSettings(on, async (tx, changed) => {
    const values = { url: address, secret: seal(on, id, secret) };
    const added = await tx.first(insertPartner({ id, ...values, now: clock.now() }));
    if (added === undefined) throw new UsageError(`partner ${id} is there already`);
    changed.push([["partners", id], values]);
  });
  return { id, url: address, ...(secret === null ? {} : { secret }) };
};

/** @throws UsageError when there is no such partner. */
export const requirePartner = async ({ store }: Pick<Management, "store">, id: string): Promise<Partner> => {
  const partner = await store.read((tx) => tx.first(partnerById({ id })));
  if (partner === undefined) throw unknownPartner(id);
  return partner;
};

/** @throws UsageError when there is no such partner. */
const changePartner = (on: Management, id: string, values: Partial<Omit<Partner, "id">>) =>
  writeSettings(on, async (tx, changed) => {
    if ((await tx.first(updatePartner(id, values))) === undefined) throw unknownPartner(id);
    changed.push([["partners", id], values]);
  });

/** Changes the address and keeps the key; a partner without a key gets one, returned once. */
export const setPartnerUrl = async (on: Management, id: string | undefined, url: string | undefined) => {
  const form = "partners set-url ID URL";
  const wanted = checked(z.object({ id: idSchema("the ID"), url: z.string({ error: "the URL" }) }), { id, url }, form);
  const address = await baseAddress(on, "the URL", wanted.url);
  const { secret: before } = await requirePartner(on, wanted.id);
  const made = before === null ? makeKey(on.random) : null;
  // An existing key is not written back: a rotation may be changing it.
  await changePartner(on, wanted.id, {
    url: address,
    ...(made === null ? {} : { secret: seal(on, wanted.id, made) }),
  });
  return { id: wanted.id, url: address, ...(made === null ? {} : { secret: made }) };
};

const setForm =
  "partners set ID [--answers by-status-word|by-status-code] [--events-url URL|none] [--sca-url URL|none] [--user-day 500.00 --currency EUR|--user-day none] [--slots 64|none] [--name NAME|none] [--logo FILE|none] [--color #0a5bd3|none]";
const scaLinkRule =
  "--sca-url must be an https address or a link of your app (mybank://…), with {transaction_id} where the withdrawal's id goes";
const setSchema = z.strictObject({
  id: idSchema("the ID"),
  answers: z.enum(partnerAnswers, `--answers must be ${partnerAnswers.join(" or ")}`).optional(),
  "events-url": noneOr(z.string()).optional(),
  "sca-url": noneOr(z.string().refine(isApprovalTemplate, scaLinkRule)).optional(),
  "user-day": noneOr(z.string()).optional(),
  currency: z.string().refine(isCurrency, "--currency must be one of ISO 4217, as EUR").optional(),
  slots: noneOr(
    z.string().regex(/^[1-9]\d{0,2}$/, "--slots must be a number from 1 to 999, or none for the usual 64"),
  ).optional(),
  name: noneOr(nameSchema("--name", 60)).optional(),
  logo: noneOr(z.string()).optional(),
  color: noneOr(z.string()).optional(),
});

/** Changes the given settings. @throws UsageError when there is no such partner or nothing to change. */
export const setPartner = async (on: Management, input: unknown) => {
  const { id, answers, currency, slots, ...flags } = checked(setSchema, input, setForm);
  const changes: Partial<Omit<Partner, "id">> = {};
  if (answers !== undefined) changes.answers = answers;
  if (slots !== undefined) changes.slots = slots === null ? null : Number(slots);
  const { "events-url": eventsUrl, "sca-url": scaUrl } = flags;
  if (eventsUrl !== undefined) {
    if (eventsUrl !== null) await checkAddress(on, "--events-url", eventsUrl);
    changes.events_url = eventsUrl;
  }
  if (scaUrl !== undefined) changes.sca_url = scaUrl;
  const most = flags["user-day"];
  if (most === null) Object.assign(changes, { user_day_max: null, user_day_currency: null });
  else if (most !== undefined) {
    // A guessed currency would be a limit that never applies to a bank with another one.
    if (currency === undefined)
      throw new UsageError("--user-day needs --currency, as --user-day 500.00 --currency EUR");
    Object.assign(changes, { user_day_max: checkedAmount("user-day", most, currency), user_day_currency: currency });
  } else if (currency !== undefined) throw new UsageError("--currency goes with --user-day");
  const brand = brandChanges(flags);
  const isBrand = Object.keys(brand).length > 0;
  if (!isBrand && Object.keys(changes).length === 0) throw new UsageError(`nothing to change; name it as: ${setForm}`);
  const after = await writeSettings(on, async (tx, changed) => {
    const query = Object.keys(changes).length === 0 ? partnerById({ id }) : updatePartner(id, changes);
    const partner = await tx.first<Partner>(query);
    if (partner === undefined) throw unknownPartner(id);
    if (isBrand) await writeBrand(tx, id, brand, on.clock.now());
    changed.push([["partners", id], changes]);
    return partner;
  });
  const rules = await rulesOf(on);
  return on.store.read(async (tx) => {
    const [shown] = await showPartners(tx, [after], rules, on.clock.now());
    return [isBrand ? { ...shown, ...(await showBrand(tx, id)) } : { ...shown }];
  });
};

type Rules = Parameters<typeof partnerProblems>[2];

const rulesOf = async ({ store, keyCipher = plainKeys }: Pick<Management, "store" | "keyCipher">): Promise<Rules> => ({
  keyCipher,
  isSandbox: await isSandboxDatabase(store),
});

/**
 * Partners with their `shops` (ids, or `*` for all), `slots` where set, `old_key_until` during a rotation, and the
 * `problem` because of which they are not called.
 */
async function showPartners(tx: Tx, rows: readonly Partner[], rules: Rules, nowMs: number) {
  const allowed = await tx.all(allAllowances({}));
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    shops: shopsIn(allowed, row.id),
    answers: row.answers ?? partnerAnswers[0],
    events_url: row.events_url,
    sca_url: row.sca_url,
    user_day:
      row.user_day_max === null || row.user_day_currency === null
        ? null
        : `${formatAmount(row.user_day_max, row.user_day_currency)} ${row.user_day_currency}`,
    slots: row.slots,
    old_key_until: toNullableTime(oldKeyUntil(row, nowMs)),
    problem: partnerProblems(row.id, row, rules).join("; ") || null,
  }));
}

type Allowance = Pick<RowOf<"partner_merchants">, "partner_id" | "merchant_id">;

/** The shops that a bank may use, as they are shown; null: none. */
export const shopsIn = (allowed: readonly Allowance[], partner: string): string | null => {
  const own = allowed.filter(({ partner_id }) => partner_id === partner);
  return own.map(({ merchant_id }) => merchant_id).join(" ") || null;
};

/** `partners list`, without keys. */
export const listPartners = async (on: Management) => {
  const rules = await rulesOf(on);
  return on.store.read(async (tx) => {
    const shown = await showPartners(tx, await tx.all(allPartners({})), rules, on.clock.now());
    const waiting = new Map((await tx.all(waitingEvents({}))).map((row) => [row.partner_id, row]));
    return shown.map((row) => {
      const { count, last_error: last } = waiting.get(row.id) ?? { count: 0, last_error: null };
      return { ...row, events_waiting: Number(count) === 0 ? null : `${count}, an answer: ${last ?? "none yet"}` };
    });
  });
};

/** How long both keys sign after a rotation, which gives the bank time to switch. */
export const rotationHours = { usual: 24, max: 24 * 30 } as const;

/** Message for a bank without a key of its own: PARTNER_ID may name it, or nothing was set yet. */
const noOwnKey = (id: string): string =>
  `partner ${id} has no key of its own: where PARTNER_ID names it, its key is the setting PARTNER_SECRET of the service; else give it an address and a key: partners set-url ${id} URL`;

/**
 * Makes a new key, returned once; calls are signed with both keys until the old one ends.
 * @throws UsageError during a rotation, unless forced: the bank may know only the key from before it.
 */
export const rotatePartner = async (
  on: Management & Pick<CommandContext, "partner">,
  id: string | undefined,
  flags: { readonly hours?: string | undefined; readonly force?: string | undefined },
) => {
  const { hours } = flags;
  const form = "partners rotate ID [--hours 24] [--force]";
  const wanted = checked(z.object({ id: idSchema("the ID") }), { id }, form);
  const overlapHours = hours === undefined ? rotationHours.usual : Number(hours);
  if (!Number.isInteger(overlapHours) || overlapHours < 0 || overlapHours > rotationHours.max)
    throw new UsageError(`--hours must be a whole number from 0 to ${rotationHours.max}`);
  const row = await requirePartner(on, wanted.id);
  const previous = row.secret;
  if (previous === null && on.partner?.id === wanted.id)
    throw new UsageError(
      `to rotate ${wanted.id} here has no effect: its key is the setting PARTNER_SECRET; change that at the service and at the bank, and restart`,
    );
  if (previous === null) throw new UsageError(noOwnKey(wanted.id));
  const running = oldKeyUntil(row, on.clock.now());
  if (running !== null && flags.force === undefined)
    throw new UsageError(
      `${wanted.id} is in a rotation until ${toTime(running)}: the key from before it still signs too, and the bank may have no other; to rotate again, which ends that one at once, say --force`,
    );
  const until = on.clock.now() + overlapHours * hourMs;
  const secret = makeKey(on.random);
  const sealed = seal(on, wanted.id, secret);
  await writeSettings(on, async (tx, changed) => {
    const rotated = await tx.first(rotateKey(wanted.id, { secret: sealed, previous, until }));
    if (rotated === undefined)
      throw new UsageError(`the key of ${wanted.id} was changed at this very moment; see: partners list`);
    // A key that somebody else has put there goes on being named as the key before.
    const isOwn = (await settingsAudit(on).audited(tx, ["partners", wanted.id])).has("secret", previous);
    const before = isOwn ? { previous_secret: previous } : {};
    changed.push([["partners", wanted.id], { secret: sealed, ...before, previous_secret_until: until }]);
  });
  return { id: wanted.id, secret, old_key_until: toTime(until) };
};

/** Encrypts keys that were stored before SERVICE_KEY was set. All processes of a fleet must have it by then. */
export const encryptKeys = async ({ keyCipher = plainKeys, ...on }: Management) => {
  if (keyCipher === plainKeys)
    throw new UsageError("keys are encrypted under SERVICE_KEY: set it, here and for the service");
  const { sealed, left } = await sealKeys(on.store, keyCipher, settingsAudit(on));
  return { keys_encrypted: sealed, ...(left === 0 ? {} : { keys_left: left, next: "audit verify" }) };
};

/**
 * `partners set-key ID`: sets a key made by the bank, from PARTNER_SECRET (or PARTNER_SECRET_FILE) of this command. It
 * replaces the old key at once.
 * @throws UsageError when it is missing or weak, or there is no such partner.
 */
export const setPartnerKey = async (on: Management & Pick<CommandContext, "partnerSecret">, id: string | undefined) => {
  const form = "partners set-key ID, with the key in PARTNER_SECRET or in the file that PARTNER_SECRET_FILE names";
  const wanted = checked(z.object({ id: idSchema("the ID") }), { id }, form);
  if (on.partnerSecret === null) throw new UsageError(`the key is missing; name it as: ${form}`, ["key"]);
  const problem = newKeyProblem(on.partnerSecret, await isSandboxDatabase(on.store));
  if (problem !== null) throw new UsageError(`the key ${problem}`, ["key"]);
  const { url } = await requirePartner(on, wanted.id);
  if (url === null) throw new UsageError(noOwnKey(wanted.id));
  const secret = seal(on, wanted.id, on.partnerSecret);
  await changePartner(on, wanted.id, { secret, previous_secret: null, previous_secret_until: null });
  return { id: wanted.id, key: "set" };
};

/** A bank's look, as it is stored; null: not set. */
type Look = Pick<RowOf<"partner_brands">, "name" | "color" | "logo" | "logo_type">;
const noLook: Look = { name: null, color: null, logo: null, logo_type: null };

/** @param file the path; null for `none`. @throws UsageError for an unusable file. */
const readLogo = (file: string | null): Pick<Look, "logo" | "logo_type"> => {
  if (file === null) return { logo: null, logo_type: null };
  const fail = (why: string) => new UsageError(`--logo ${file} ${why}`, ["logo"]);
  let bytes: Uint8Array;
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > logoBytesMax)
      throw fail(`must be a file of at most ${logoBytesMax / 1024} KiB`);
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw fail("cannot be read");
  }
  const logo = checkLogo(bytes);
  if (!logo.ok) throw fail(logo.problem);
  return { logo: Buffer.from(logo.bytes).toString("base64"), logo_type: logo.type };
};

const colorOf = (text: string | null): string | null => {
  if (text === null) return null;
  const color = parseColor(text);
  if (color === null) throw new UsageError(`--color must be written as #0a5bd3, not "${text}"`, ["color"]);
  return color;
};

/** Changes of a bank's look; null removes, what is absent stays. @throws UsageError for an unusable colour or logo. */
const brandChanges = (flags: Pick<z.output<typeof setSchema>, "name" | "color" | "logo">): Partial<Look> => ({
  ...(flags.name === undefined ? {} : { name: flags.name }),
  ...(flags.color === undefined ? {} : { color: colorOf(flags.color) }),
  ...(flags.logo === undefined ? {} : readLogo(flags.logo)),
});

/** Writes a bank's look, in the commit that changes the partner. */
export async function writeBrand(tx: Tx, partner: string, changes: Partial<Look>, now: number): Promise<void> {
  const { name, color, logo, logo_type } = { ...noLook, ...(await tx.first(brandOf({ partner }))), ...changes };
  const digest = createHash("sha256")
    .update(JSON.stringify([partner, name, color, logo, logo_type]))
    .digest("base64url");
  await tx.run(replaceBrand({ partner_id: partner, name, color, logo, logo_type, digest, changed_at: now }));
}

/** A bank's look for command output, with the colours as drawn. */
async function showBrand(tx: Tx, partner: string): Promise<Readonly<Record<string, string | null>>> {
  const brand = await tx.first(brandOf({ partner }));
  const color = brand?.color ?? null;
  const drawn = color === null ? null : brandColors(color);
  return {
    name: brand?.name ?? null,
    color: drawn && `${color} (drawn ${drawn.light.accent} on light, ${drawn.dark.accent} on dark)`,
    logo: brand?.logo_type ?? null,
  };
}

const timeoutMs = 5_000;
/** Clock difference that Standard Webhooks verifiers accept. */
const clockToleranceMs = 5 * 60_000;

/** A hint when the bank's clock is off, since it then refuses signatures like a wrong key. @param date the bank's `Date` header. */
const clockWord = (date: string | undefined, now: number): string => {
  const aheadMs = Date.parse(String(date)) - now;
  if (!(Math.abs(aheadMs) > clockToleranceMs)) return "";
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  return ` (its clock is ${minutes} minutes ${aheadMs > 0 ? "ahead of" : "behind"} ours: set the wrong one)`;
};

/** Without an events address the key is not tested: a signed ping to the orders' address could be taken for an order. */
const noEvents = { call: "signed ping", url: null, answer: "no events address", took_ms: null, verdict: "not tried" };

/** Statuses with which a bank refuses a signature. */
const isRefusal = (status: number): boolean => status === 401 || status === 403;
const isTaken = (status: number): boolean => status >= 200 && status < 300;

/**
 * Posts `{"type":"ping"}`: wrongly signed to the addresses of both orders, and to the events address both signed (in a
 * rotation with both keys and with the new one alone) and wrongly signed.
 * @throws UsageError without such a partner, or without a usable address and key.
 */
export const testPartner = async (on: CommandContext, id: string | undefined) => {
  if (id === undefined) throw new UsageError("the ID is missing; name it as: partners test ID");
  const row = await requirePartner(on, id);
  const boundPartners = new Map(on.partner === null ? [] : [[on.partner.id, on.partner]]);
  const isSandbox = await isSandboxDatabase(on.store);
  const options = { boundPartners, keyCipher: on.keyCipher ?? plainKeys, isSandbox };
  const problems = partnerProblems(id, row, options);
  if (problems.length > 0) throw new UsageError(problems.join("\n"));
  const address = partnerAddress(options, id, row);
  if (address === null) throw new UsageError(noOwnKey(id));
  if (address.url.startsWith("https:")) trustMachine(process.env);
  const transport = createHttpTransport(on.clock, on.proxy);
  const ping = async (call: string, url: string, keys: readonly string[], wanted: (status: number) => boolean) => {
    const now = on.clock.now();
    const body = JSON.stringify({ type: "ping", sent_at: toTime(now) });
    const headers = signedHeaders(keys, `ping_${now}_${call.replaceAll(" ", "_")}`, now, body);
    const sent = transport.post({ url, headers, body, timeoutMs });
    const { answer, right } = await sent.then(
      ({ status, date }) => ({ answer: `${status}${clockWord(date, now)}`, right: wanted(status) }),
      (error: unknown) => ({ answer: messageOf(error), right: false }),
    );
    return { call, url, answer, took_ms: Math.max(0, on.clock.now() - now), verdict: right ? "right" : "wrong" };
  };
  const wrongPing = (url: string) => ping("wrongly signed ping", url, [makeKey(on.random)], isRefusal);
  const base = address.url.replace(/\/+$/, "");
  const eventsUrl = row.events_url;
  try {
    const orders = [];
    for (const path of Object.values(orderPaths)) orders.push(await wrongPing(base + path));
    if (eventsUrl === null) return [...orders, noEvents];
    const keys = signingKeys(options, address, row, on.clock.now());
    const taken = [await ping("signed ping", eventsUrl, keys, isTaken)];
    if (keys.length > 1) taken.push(await ping("ping with the new key alone", eventsUrl, keys.slice(0, 1), isTaken));
    return [...orders, ...taken, await wrongPing(eventsUrl)];
  } finally {
    transport.close();
  }
};
