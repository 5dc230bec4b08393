/** `credentials add terminal … --enrol`: a one-time code as text and as a QR code, so that no key is typed or written down. */
import { type CredentialKey, credentialByDevice, valuesOf } from "../access/credential-store.ts";
import { createEnrolment } from "../access/enrol.ts";
import { makeEnrolmentLink } from "../contract/enrolment-link.ts";
import { groupId } from "../contract/ids.ts";
import { isServiceUrl } from "../contract/service-url.ts";
import { one } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext } from "./context.ts";

/** @throws UsageError for a bank's key, a device that has (or, to replace one, has not) a key, an address that is not https. */
export const makeEnrolment = async (on: CommandContext, key: CredentialKey, replaces: boolean) => {
  if (key.kind !== "terminal") throw new UsageError("--enrol is for terminals; a bank's key is printed once");
  if (!isServiceUrl(on.publicUrl))
    throw new UsageError("PUBLIC_URL must be the https address at which the terminal reaches the service");
  const known = await on.store.read(() => one(credentialByDevice(valuesOf(key))));
  const isInUse = known !== undefined && known.revoked_at === null;
  const name = `terminal ${key.ownerId} / ${key.deviceId}`;
  if (isInUse && !replaces)
    throw new UsageError(`${name} already has a credential; name it as: credentials rotate … --enrol`);
  if (!isInUse && replaces)
    throw new UsageError(`${name} has no credential in use; name it as: credentials add … --enrol`);
  const { code, expiresAt } = await createEnrolment(
    on,
    on.keys,
    { merchantId: key.ownerId, deviceId: key.deviceId },
    replaces,
  );
  return {
    merchant_id: key.ownerId,
    device_id: key.deviceId,
    code: groupId(code).replaceAll(" ", "-"),
    valid_until: new Date(expiresAt).toISOString(),
    enrolment: makeEnrolmentLink({ serviceUrl: on.publicUrl, code: code }),
  };
};
