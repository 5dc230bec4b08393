/** The keys that sign calls to banks, as the command line sets, rotates and encrypts them. */
import { z } from "zod";
import { oldKeyUntil } from "../partner/bound-partners.ts";
import { makeKey, newKeyProblem, plainKeys } from "../partner/keys.ts";
import { rotateKey } from "../partner/partner-store.ts";
import { sealKeys } from "../partner/prepare.ts";
import { isSandboxDatabase } from "../store/settings.ts";
import { one } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, Management } from "./context.ts";
import { changePartner, requirePartner, seal } from "./partners.ts";
import { checked, idSchema } from "./words.ts";

/** How long both keys sign after a rotation, unless it says otherwise: time for the bank to take the new one over. */
export const rotationHours = { usual: 24, max: 24 * 30 } as const;
const hourMs = 3_600_000;

/** What is said of a bank without a key of its own: PARTNER_ID may name it, or nothing was set yet. */
export const noOwnKey = (id: string): string =>
  `partner ${id} has no key of its own: where PARTNER_ID names it, its key is the setting PARTNER_SECRET of the service; else give it an address and a key: partners set-url ${id} URL`;

/**
 * A new key, returned once; calls are signed with both until the old one ends, so that the bank can change over.
 * @throws UsageError while the key before the one in use still signs, unless forced: the bank may verify with that one alone.
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
      `${wanted.id} is in a rotation until ${new Date(running).toISOString()}: the key from before it still signs too, and the bank may have no other; to rotate again, which ends that one at once, say --force`,
    );
  const until = on.clock.now() + overlapHours * hourMs;
  const secret = makeKey(on.random);
  const sealed = seal(on, wanted.id, secret);
  await on.store.write(function* () {
    const rotated = yield* one(rotateKey(wanted.id, { secret: sealed, previous, until }));
    if (rotated === undefined)
      throw new UsageError(`the key of ${wanted.id} was changed at this very moment; see: partners list`);
  });
  return { id: wanted.id, secret, old_key_until: new Date(until).toISOString() };
};

/** Encrypts the keys from before SERVICE_KEY. Every process of a fleet must have it by then. */
export const encryptKeys = async ({ store, keyCipher = plainKeys }: Management) => {
  if (keyCipher === plainKeys)
    throw new UsageError("keys are encrypted under SERVICE_KEY: set it, here and for the service");
  return { keys_encrypted: await sealKeys(store, keyCipher) };
};

/**
 * `partners set-key ID`: a key that the bank has made, from PARTNER_SECRET (or PARTNER_SECRET_FILE) of this one command; it
 * counts at once, and the one before no more.
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
