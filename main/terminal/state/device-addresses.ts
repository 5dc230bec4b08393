/** The devices that settings name: addresses in the network and serial ports. */
import type { Settings } from "../../../preload/contract.ts";

/** Where a drawer or a printer is. */
export interface DeviceAddress {
  readonly host: string;
  readonly port: number;
}

/** Every setting that is a device of some kind: to choose one that is reached by an address or a port is a manager's. */
const devicesIn = (settings: Partial<Settings>) =>
  Object.values(settings).filter((value) => typeof value === "object" && value !== null && "kind" in value);

const addressesOf = (settings: Partial<Settings>): readonly DeviceAddress[] =>
  devicesIn(settings).flatMap((device) =>
    device.kind === "network" ? [{ host: device.host, port: device.port }] : [],
  );

/** Those that the settings did not name before. */
export const newAddresses = (before: Partial<Settings>, after: Settings): readonly DeviceAddress[] => {
  const known = new Set(addressesOf(before).map(({ host, port }) => `${host} ${port}`));
  return addressesOf(after).filter(({ host, port }) => !known.has(`${host} ${port}`));
};

/** Whether a device at a serial port is chosen, or changed in anything. */
export const choosesSerial = (before: Partial<Settings>, after: Settings): boolean => {
  const known = new Set(devicesIn(before).map((device) => JSON.stringify(device)));
  return devicesIn(after).some((device) => device.kind === "serial" && !known.has(JSON.stringify(device)));
};
