/** Enrolment and settings: the commands that change what the terminal is. */
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import type { Command, ProtectedSettings, Reply, Settings } from "../../preload/contract.ts";
import { isDeviceHost, isPrinterPort } from "../../preload/device-address.ts";
import type { Core } from "./core.ts";
import type { Credential, Device, Ports } from "./ports.ts";
import type { ServiceClient } from "./service/client.ts";
import { deviceChange } from "./withdrawal/adoption.ts";
import { bookOf, isSameBook, isSameDevice } from "./withdrawal/book.ts";
import type { Actor } from "./withdrawal/inputs.ts";
import { isUndecided } from "./withdrawal/problems.ts";
import { type DeviceAddress, differing, newAddresses, protectedOf, usableSettings } from "./withdrawal/settings.ts";

/** A credential without its secret. */
export const deviceOf = ({ serviceUrl, merchantId, deviceId }: Credential): Device => ({
  serviceUrl,
  merchantId,
  deviceId,
});

/** A new key of the same device may come at any time; any other one once a manager has decided what is open. */
const mayEnroll = ({ open, book, training }: Core["state"], next: Device): boolean =>
  book === null || isSameDevice(book, bookOf(next, training)) || ![...open.values()].some(isUndecided);

/** Tries the credential at the service and keeps it. */
const enroll = async (
  core: Core,
  client: ServiceClient,
  ports: Ports,
  candidate: Credential,
  reopen: () => void,
): Promise<Reply> => {
  const device = deviceOf(candidate);
  const isFree = (): boolean => mayEnroll(core.state, device);
  if (!isFree()) return { ok: false, code: "undecided" };
  try {
    const result = await client.enroll(candidate, isFree);
    if (result !== "accepted") return { ok: false, code: result === "busy" ? "undecided" : result };
  } catch (error) {
    ports.log("error", "the credential could not be kept", { error: String(error) });
    return { ok: false, code: "failed" };
  }
  const { book } = core.state;
  const next = bookOf(device, ports.training);
  core.apply([{ type: "enrolled", device }]);
  if (book === null || !isSameBook(book, next)) {
    reopen();
    return { ok: true };
  }
  core.applyAndQueueWrite(deviceChange(core.state, next), core.momentNow());
  return { ok: true };
};

/** The two ways to connect this terminal; both keep nothing when they are refused. */
export interface Enrolment {
  /** Tries the credential at the service and keeps it. Replies `undecided`, `denied`, `wait`, `unreachable` or `failed` otherwise. */
  byKey(command: Extract<Command, { type: "enroll" }>): Promise<Reply>;
  /** Turns a one-time code into a credential, then as above. */
  byCode(command: Extract<Command, { type: "enroll_by_code" }>): Promise<Reply>;
}

/** @param reopen switches to another book's journal and restarts the core. */
export const createEnrolment = (core: Core, client: ServiceClient, ports: Ports, reopen: () => void): Enrolment => {
  const byKey = (candidate: Credential): Promise<Reply> => enroll(core, client, ports, candidate, reopen);
  /** A code works once: what it gave is kept for another try, when something else was in the way. */
  let redeemed: { readonly by: string; readonly credential: Credential } | null = null;
  return {
    byKey: ({ type: _, ...candidate }) => byKey(candidate),
    async byCode({ serviceUrl, code }) {
      const { book, open } = core.state;
      // Another service is another device for certain: the code is not spent in vain.
      if (book !== null && book.serviceUrl !== serviceUrl && [...open.values()].some(isUndecided))
        return { ok: false, code: "undecided" };
      const by = JSON.stringify([serviceUrl, code]);
      if (redeemed?.by !== by) {
        const answer = await client.redeemEnrolmentCode(serviceUrl, code);
        if (answer.kind === "refused") return { ok: false, code: answer.code };
        redeemed = { by, credential: answer.credential };
      }
      const reply = await byKey(redeemed.credential);
      if (reply.ok) redeemed = null;
      return reply;
    },
  };
};

/** In training a printer may be played by a program at any port of this machine. */
const mayConnect = ({ host, port }: DeviceAddress, training: boolean): boolean =>
  isDeviceHost(host) && (isPrinterPort(port) || (training && isLoopbackHost(host)));

/**
 * Keeps the settings and goes by them from now on: what is about authority and cash in the journal first. @param mayRecord false
 * while no journal of this terminal is open.
 */
export const changeSettings = (core: Core, ports: Ports, wanted: Settings, actor: Actor, mayRecord: boolean): Reply => {
  const settings = usableSettings(wanted, ports.training);
  if (newAddresses(core.state.settings, settings).some((address) => !mayConnect(address, ports.training)))
    return { ok: false, code: "invalid" };
  const [before, next] = [core.state.protectedSettings ?? protectedOf(core.state.settings), protectedOf(settings)];
  const record = (recorded: ProtectedSettings): boolean =>
    differing(before, next).length === 0 ||
    (mayRecord &&
      core.apply([{ type: "settings_recorded", settings: recorded, why: "changed" }], core.momentNow(), actor));
  if (!record(next)) return { ok: false, code: "failed" };
  try {
    ports.settings.save(settings);
  } catch (error) {
    ports.log("error", "the settings could not be kept", { error: String(error) });
    record(before);
    return { ok: false, code: "failed" };
  }
  core.apply([{ type: "settings_changed", settings }]);
  return { ok: true };
};
