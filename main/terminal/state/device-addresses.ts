/** The devices that settings name: addresses in the network and serial ports. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Settings } from "../../../preload/contract.ts";

/** Where a drawer or a printer is. */
export interface DeviceAddress {
  readonly host: string;
  readonly port: number;
}

type Place = ({ readonly kind: "network" } & DeviceAddress) | { readonly kind: "serial" };

const placeOf = (device: Settings["drawer"] | Settings["printer"]): Place | null => {
  switch (device.kind) {
    case "network":
      return { kind: "network", host: device.host, port: device.port };
    case "serial":
      return { kind: "serial" };
    case "none":
    case "simulated":
    case "printer":
      return null;
    default:
      return assertNever(device);
  }
};

/** Whether a setting can name a host or a device file, and where it does: such a choice is a manager's. Asked of every setting. */
const deviceIn: { readonly [Key in keyof Settings]: ((value: Settings[Key]) => Place | null) | null } = {
  drawer: placeOf,
  printer: placeOf,
  language: null,
  colorScheme: null,
  sound: null,
  volume: null,
  scaTimeoutSeconds: null,
  camera: null,
  symbologies: null,
  fixedLength: null,
  foreignIds: null,
  keyboardScanner: null,
  drawerMoney: null,
  setUp: null,
  tourSeen: null,
  terminalName: null,
  confirmHandOver: null,
  people: null,
  customerDisplay: null,
  windowMode: null,
  startWithSystem: null,
  updates: null,
};

const keys = Object.keys(deviceIn) as readonly (keyof Settings)[];

const placeIn = <Key extends keyof Settings>(settings: Partial<Settings>, key: Key): Place | null => {
  const value: Settings[Key] | undefined = settings[key];
  return value === undefined ? null : (deviceIn[key]?.(value) ?? null);
};

const addressesOf = (settings: Partial<Settings>): readonly DeviceAddress[] =>
  keys.flatMap((key) => {
    const place = placeIn(settings, key);
    return place?.kind === "network" ? [{ host: place.host, port: place.port }] : [];
  });

/** Those that the settings did not name before. */
export const newAddresses = (before: Partial<Settings>, after: Settings): readonly DeviceAddress[] => {
  const known = new Set(addressesOf(before).map(({ host, port }) => `${host} ${port}`));
  return addressesOf(after).filter(({ host, port }) => !known.has(`${host} ${port}`));
};

/** Whether a device at a serial port is chosen, or changed in anything. */
export const choosesSerial = (before: Partial<Settings>, after: Settings): boolean =>
  keys.some(
    (key) => placeIn(after, key)?.kind === "serial" && JSON.stringify(after[key]) !== JSON.stringify(before[key]),
  );
