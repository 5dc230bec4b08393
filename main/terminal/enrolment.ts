/** Enrolment and settings: the commands that change what the terminal is. */
import type { Command, Reply, Settings } from "../../preload/contract.ts";
import type { Core } from "./core.ts";
import type { Credential, Ports } from "./ports.ts";
import type { ServiceClient } from "./service/client.ts";
import type { Device } from "./state/state.ts";
import { usableSettings } from "./state/usable-settings.ts";

/** A credential without its secret. */
export const deviceOf = ({ serviceUrl, merchantId, deviceId }: Credential): Device => ({
  serviceUrl,
  merchantId,
  deviceId,
});

/** The credential may change while nothing is open that was begun under another one. */
const mayEnroll = ({ open, device }: Core["state"], next: Device): boolean =>
  open.size === 0 ||
  (device?.serviceUrl === next.serviceUrl &&
    device.merchantId === next.merchantId &&
    device.deviceId === next.deviceId);

/** Tries the credential at the service and keeps it. Replies `busy`, `denied`, `unreachable` or `failed` otherwise. */
export const enroll = async (
  core: Core,
  client: ServiceClient,
  log: Ports["log"],
  { type: _, ...candidate }: Extract<Command, { type: "enroll" }>,
): Promise<Reply> => {
  const isFree = (): boolean => mayEnroll(core.state, deviceOf(candidate));
  if (!isFree()) return { ok: false, code: "busy" };
  try {
    const result = await client.enroll(candidate, isFree);
    if (result !== "accepted") return { ok: false, code: result };
  } catch (error) {
    log("error", "the credential could not be kept", { error: String(error) });
    return { ok: false, code: "failed" };
  }
  core.apply([{ type: "enrolled", device: deviceOf(candidate) }]);
  return { ok: true };
};

/** Keeps the settings and goes by them from now on. */
export const changeSettings = (core: Core, ports: Ports, wanted: Settings): Reply => {
  const settings = usableSettings(wanted, ports.training);
  try {
    ports.settings.save(settings);
  } catch (error) {
    ports.log("error", "the settings could not be kept", { error: String(error) });
    return { ok: false, code: "failed" };
  }
  core.apply([{ type: "settings_changed", settings }]);
  return { ok: true };
};
