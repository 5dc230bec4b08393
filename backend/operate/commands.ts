/** The table of commands on an open database. */
import {
  addCredential,
  type CredentialKey,
  credentialByDevice,
  listCredentials,
  officeDevice,
  revokeCredential,
  rotateCredential,
  scopesOfKind,
} from "../access/credentials.ts";
import { createEnrolment, createManagerReset } from "../access/one-time-codes.ts";
import { createSecretHasher } from "../access/secrets.ts";
import { block, unblock } from "../checkin/check-in.ts";
import { plainText } from "../contract/client.ts";
import { makeEnrolmentLink } from "../contract/enrolment-link.ts";
import { groupId } from "../contract/ids.ts";
import type { Scope } from "../contract/scopes.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { toTime } from "../contract/times.ts";
import { type CommandLine, UsageError } from "./arguments.ts";
import { acceptHistory, checkAudit, readAudit, readDays } from "./audit.ts";
import { keepUnserved, makeBackup, recordRestored } from "./backups.ts";
import { addChain, changeChain } from "./chains.ts";
import type { Command, CommandContext } from "./context.ts";
import { eraseUser } from "./erase-user.ts";
import { importMerchants, importTerminals } from "./import.ts";
import {
  addMerchant,
  changeAllowance,
  disableMerchant,
  listMerchants,
  requireMerchant,
  setMerchant,
} from "./merchants.ts";
import {
  addPartner,
  encryptKeys,
  listPartners,
  requirePartner,
  rotatePartner,
  setPartner,
  setPartnerKey,
  setPartnerUrl,
  testPartner,
} from "./partners.ts";
import {
  closeReport,
  decideReport,
  listOpenReports,
  listOpenWithdrawals,
  resolveWithdrawal,
  showWithdrawal,
} from "./reports.ts";
import { rotateServiceKey, serviceKeyStatus } from "./service-key.ts";
import { listTerminals } from "./terminals.ts";
import { checked, codeLifetime, idSchema, textSchema } from "./words.ts";

const keyOf = (words: readonly string[]): CredentialKey => {
  const [kind, ownerId, deviceId] = words;
  const names = "terminal MERCHANT DEVICE, client PARTNER DEVICE, or chain NAME";
  const form = `name it as: ${names}`;
  if (kind === "chain") return { kind, ownerId: checked(idSchema("the NAME"), ownerId, names), deviceId: officeDevice };
  if (kind !== "terminal" && kind !== "client") throw new UsageError(form);
  if (ownerId === undefined)
    throw new UsageError(`the ${kind === "terminal" ? "MERCHANT" : "PARTNER"} and the DEVICE are missing; ${form}`);
  if (deviceId === undefined) throw new UsageError(`the DEVICE of ${ownerId} is missing; ${form}`);
  if (words.length > 3) throw new UsageError(`"${words[3]}" is one word too many; ${form}`);
  return { kind, ownerId, deviceId: checked(idSchema("the DEVICE"), deviceId, names) };
};

const scopesAsked = (key: CredentialKey, text: string | undefined): readonly Scope[] => {
  const all = scopesOfKind[key.kind];
  const words = text?.split(/[ ,]/).filter((word) => word !== "") ?? all;
  const unknown = words.filter((word) => !(all as readonly string[]).includes(word));
  if (unknown.length > 0) throw new UsageError(`a ${key.kind} has only the scopes ${all.join(" ")}`);
  return all.filter((scope) => (words as readonly string[]).includes(scope));
};

/** @throws UsageError for a flag that does not apply to a key of this kind. */
const refuseUnreadOf = (
  { kind }: CredentialKey,
  { enrol, ...flags }: CommandLine["flags"],
  known: Readonly<Record<CredentialKey["kind"], readonly string[]>>,
): void => {
  const given = Object.keys({ ...flags, ...(enrol === undefined ? {} : { enrol }) });
  // A code always gives all scopes of a terminal, and only codes have a lifetime.
  const idle = enrol === undefined ? "days" : "scope";
  const unread = given.filter((flag) => !known[kind].includes(flag) || flag === idle);
  if (unread.length > 0)
    throw new UsageError(
      unread.includes("enrol")
        ? "--enrol is for terminals; another key is printed once"
        : `${unread.map((flag) => `--${flag}`).join(", ")}: not for a ${kind}${kind === "terminal" ? ` ${enrol === undefined ? "without" : "with"} --enrol` : ""}`,
      unread,
    );
};

/** A user id as banks may send it; no other could ever match. */
const userSchema = textSchema("the USER", 64).refine(
  (text) => plainText(64).safeParse(text).success,
  "the USER must hold no control characters",
);

const customerOf = ([partnerId, userId]: readonly string[]) => {
  const form = "users block|unblock|erase PARTNER USER";
  if (partnerId === undefined || userId === undefined) throw new UsageError(`name it as: ${form}`);
  return { partnerId, userId: checked(userSchema, userId, form) };
};

const shown = (key: CredentialKey) => ({
  device_type: key.kind,
  merchant_id: key.ownerId,
  device_id: key.deviceId,
});

/** Every command that works on an open database, by its words. */
export const commands: Readonly<Record<string, Command>> = {
  "merchants add": async (on, [id], flags) => [await addMerchant(on, { id, ...flags })],
  "merchants list": (on) => listMerchants(on),
  "merchants import": (on, [file], flags) => importMerchants(on, file, flags),
  "merchants disable": async (on, [id]) => [await disableMerchant(on, id, true)],
  "merchants enable": async (on, [id]) => [await disableMerchant(on, id, false)],
  "merchants set": async (on, [id], flags) => [await setMerchant(on, { id, ...flags })],
  "partners add": async (on, [id], flags) => [await addPartner(on, { id, ...flags })],
  "partners set": (on, [id], flags) => setPartner(on, { id, ...flags }),
  "partners set-url": async (on, [id, url]) => [await setPartnerUrl(on, id, url)],
  "partners rotate": async (on, [id], flags) => [await rotatePartner(on, id, flags)],
  "partners allow": async (on, words, flags) => [await changeAllowance(on, "allow", words, flags.all === "1")],
  "partners disallow": async (on, words, flags) => [await changeAllowance(on, "disallow", words, flags.all === "1")],
  "partners set-key": async (on, [id]) => [await setPartnerKey(on, id)],
  "partners encrypt-keys": async (on) => [await encryptKeys(on)],
  "partners test": (on, [id]) => testPartner(on, id),
  "partners list": (on) => listPartners(on),
  async "credentials add"(on, words, flags) {
    const key = keyOf(words);
    refuseUnreadOf(key, flags, { terminal: ["enrol", "days", "scope"], client: ["scope"], chain: ["scope", "shops"] });
    if (key.kind === "chain")
      return [{ ...shown(key), ...(await addChain(on, key, scopesAsked(key, flags.scope), flags.shops)) }];
    await (key.kind === "terminal" ? requireMerchant : requirePartner)(on, key.ownerId);
    if (flags.enrol !== undefined) return [await makeEnrolment(on, key, false, flags.days)];
    const granted = scopesAsked(key, flags.scope);
    const password = await addCredential(on, createSecretHasher(on.random), key, granted);
    return [{ ...shown(key), scope: granted.join(" "), password }];
  },
  async "credentials rotate"(on, words, flags) {
    const key = keyOf(words);
    refuseUnreadOf(key, flags, { terminal: ["enrol", "days"], client: [], chain: [] });
    if (flags.enrol !== undefined) return [await makeEnrolment(on, key, true, flags.days)];
    return [{ ...shown(key), password: await rotateCredential(on, key) }];
  },
  async "credentials revoke"(on, words) {
    const key = keyOf(words);
    await revokeCredential(on, key);
    return [{ ...shown(key), status: "revoked" }];
  },
  "credentials shops": (on, [name], flags) => changeChain(on, name, flags),
  "credentials import": (on, [file], flags) => importTerminals(on, file, flags),
  "credentials reset-manager": async (on, words) => [await makeManagerReset(on, keyOf(words))],
  backup: async (on) => [await makeBackup(on)],
  restored: async (on, _, flags) => [await recordRestored(on, flags)],
  "credentials list": async (on) =>
    (await listCredentials(on)).map((row) => ({
      ...shown({ kind: row.kind, ownerId: row.owner_id, deviceId: row.device_id }),
      scope: row.scopes,
      status: row.revoked_at === null ? "in use" : "revoked",
    })),
  "terminals list": (on, _, flags) => listTerminals(on, flags),
  "withdrawals list": (on, _, flags) => listOpenWithdrawals(on, flags),
  "withdrawals show": (on, [id]) => showWithdrawal(on, id),
  "withdrawals resolve": async (on, [id], flags) => [await resolveWithdrawal(on, { id, ...flags })],
  "reports list": (on) => listOpenReports(on),
  "reports decide": async (on, [id], flags) => [await decideReport(on, { id, ...flags })],
  "reports close": async (on, [id], flags) => [await closeReport(on, { id, ...flags })],
  "service-key rotate": async (on, _, flags) => {
    // A process that still uses the key would lose access to the banks' keys.
    const unserved = flags.lost === undefined ? null : await keepUnserved(on);
    try {
      return await rotateServiceKey(on, flags);
    } finally {
      unserved?.release();
    }
  },
  "service-key status": (on) => serviceKeyStatus(on),
  audit: (on, _, flags) => readAudit(on, flags),
  "audit days": (on, _, flags) => readDays(on, flags),
  "audit verify": async (on, _, flags) => [await checkAudit(on, flags)],
  "audit accept": async (on, _, flags) => [await acceptHistory(on, flags.note)],
  async "users block"(on, words) {
    const key = customerOf(words);
    await requirePartner(on, key.partnerId);
    await block(on, key);
    return [{ partner: key.partnerId, user: key.userId, status: "blocked" }];
  },
  async "users erase"(on, words) {
    const key = customerOf(words);
    await requirePartner(on, key.partnerId);
    const erased = await eraseUser(on, key.partnerId, key.userId);
    return [{ partner: key.partnerId, status: "erased", in_the_books: erased.name, withdrawals: erased.withdrawals }];
  },
  async "users unblock"(on, words) {
    const key = customerOf(words);
    await unblock(on, key);
    return [{ partner: key.partnerId, user: key.userId, status: "not blocked" }];
  },
};

/** A code and its end as shown to a person. */
const spelled = ({ code, expiresAt }: { readonly code: string; readonly expiresAt: number }) => ({
  code: groupId(code).replaceAll(" ", "-"),
  valid_until: toTime(expiresAt),
});

/** `credentials reset-manager`. @throws UsageError for a bank's key, and for a terminal that has none in use. */
const makeManagerReset = async (on: CommandContext, key: CredentialKey) => {
  if (key.kind !== "terminal")
    throw new UsageError("only a terminal has managers; name it as: terminal MERCHANT DEVICE");
  const known = await on.store.read((tx) => tx.first(credentialByDevice(key)));
  if (known === undefined || known.revoked_at !== null)
    throw new UsageError(`terminal ${key.ownerId} / ${key.deviceId} has no credential in use`);
  const made = await createManagerReset(on, on.keys, { merchantId: key.ownerId, deviceId: key.deviceId });
  return { merchant_id: key.ownerId, device_id: key.deviceId, ...spelled(made) };
};

/** @param key a terminal's. @throws UsageError for a device that already has a key (or, when replacing, has none), or without an https PUBLIC_URL. */
const makeEnrolment = async (on: CommandContext, key: CredentialKey, replaces: boolean, days: string | undefined) => {
  if (!isServiceUrl(on.publicUrl))
    throw new UsageError("PUBLIC_URL must be the https address at which the terminal reaches the service");
  const known = await on.store.read((tx) => tx.first(credentialByDevice(key)));
  const isInUse = known !== undefined && known.revoked_at === null;
  const name = `terminal ${key.ownerId} / ${key.deviceId}`;
  if (isInUse && !replaces)
    throw new UsageError(`${name} already has a credential; name it as: credentials rotate … --enrol`);
  if (!isInUse && replaces)
    throw new UsageError(`${name} has no credential in use; name it as: credentials add … --enrol`);
  const lifetimeMs = checked(codeLifetime, days, "credentials add|rotate terminal MERCHANT DEVICE --enrol [--days 1]");
  const device = { merchantId: key.ownerId, deviceId: key.deviceId };
  const made = await createEnrolment(on, on.keys, device, replaces, lifetimeMs);
  return {
    merchant_id: key.ownerId,
    device_id: key.deviceId,
    ...spelled(made),
    enrolment: makeEnrolmentLink({ serviceUrl: on.publicUrl, code: made.code }),
  };
};
