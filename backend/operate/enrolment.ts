/** One-time codes: `credentials add terminal … --enrol` as text and as a QR code, so that no key is typed; `credentials reset-manager`. */
import { type CredentialKey, credentialByDevice, valuesOf } from "../access/credentials.ts";
import { createEnrolment } from "../access/enrol.ts";
import { createManagerReset } from "../access/manager-reset.ts";
import { makeEnrolmentLink } from "../contract/enrolment-link.ts";
import { groupId } from "../contract/ids.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext } from "./context.ts";

/** The text of a code, for a person. */
const spelled = ({ code, expiresAt }: { readonly code: string; readonly expiresAt: number }) => ({
  code: groupId(code).replaceAll(" ", "-"),
  valid_until: new Date(expiresAt).toISOString(),
});

/** `credentials reset-manager`. @throws UsageError for a bank's key, and for a terminal that has none in use. */
export const makeManagerReset = async (on: CommandContext, key: CredentialKey) => {
  if (key.kind !== "terminal")
    throw new UsageError("only a terminal has managers; name it as: terminal MERCHANT DEVICE");
  const known = await on.store.read((tx) => tx.first(credentialByDevice(valuesOf(key))));
  if (known === undefined || known.revoked_at !== null)
    throw new UsageError(`terminal ${key.ownerId} / ${key.deviceId} has no credential in use`);
  const made = await createManagerReset(on, on.keys, { merchantId: key.ownerId, deviceId: key.deviceId });
  return { merchant_id: key.ownerId, device_id: key.deviceId, ...spelled(made) };
};

/** @throws UsageError for a bank's key, a device that has (or, to replace one, has not) a key, an address that is not https. */
export const makeEnrolment = async (on: CommandContext, key: CredentialKey, replaces: boolean) => {
  if (key.kind !== "terminal") throw new UsageError("--enrol is for terminals; a bank's key is printed once");
  if (!isServiceUrl(on.publicUrl))
    throw new UsageError("PUBLIC_URL must be the https address at which the terminal reaches the service");
  const known = await on.store.read((tx) => tx.first(credentialByDevice(valuesOf(key))));
  const isInUse = known !== undefined && known.revoked_at === null;
  const name = `terminal ${key.ownerId} / ${key.deviceId}`;
  if (isInUse && !replaces)
    throw new UsageError(`${name} already has a credential; name it as: credentials rotate … --enrol`);
  if (!isInUse && replaces)
    throw new UsageError(`${name} has no credential in use; name it as: credentials add … --enrol`);
  const made = await createEnrolment(on, on.keys, { merchantId: key.ownerId, deviceId: key.deviceId }, replaces);
  return {
    merchant_id: key.ownerId,
    device_id: key.deviceId,
    ...spelled(made),
    enrolment: makeEnrolmentLink({ serviceUrl: on.publicUrl, code: made.code }),
  };
};
