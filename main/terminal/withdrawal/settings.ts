/** Settings in the core: addresses of devices, changes in training, and the settings kept in the journal. */
import { isDeepStrictEqual } from "node:util";
import { drawerMoneyRights } from "../../../preload/choices.ts";
import { type ProtectedSettings, protectedSettingsSchema, type Settings } from "../../../preload/contract.ts";
import type { State } from "./state.ts";

/** Network address of a drawer or printer. */
export interface DeviceAddress {
  readonly host: string;
  readonly port: number;
}

/** A device's address, cut to the journal's limit; null: none. */
export const placeOf = (device: Settings["printer"] | Settings["drawer"]): string | null => {
  if (device.kind === "serial") return device.path.slice(0, 180);
  return device.kind === "network" ? `${device.host.slice(0, 180)}:${device.port}` : null;
};
/** A drawer's address; if it is connected to the receipt printer, the printer's. */
export const drawerPlace = (drawer: Settings["drawer"], { printer }: Pick<Settings, "printer">): string | null =>
  placeOf(drawer.kind === "printer" ? printer : drawer);

/** All settings that are devices; only managers may choose an address or port. */
const devicesIn = (settings: Partial<Settings>) =>
  Object.values(settings).filter((value) => typeof value === "object" && value !== null && "kind" in value);

const addressesOf = (settings: Partial<Settings>): readonly DeviceAddress[] =>
  devicesIn(settings).flatMap((device) =>
    device.kind === "network" ? [{ host: device.host, port: device.port }] : [],
  );

/** Addresses that the settings did not have before. */
export const newAddresses = (before: Partial<Settings>, after: Settings): readonly DeviceAddress[] =>
  addressesOf(after).filter(({ host, port }) =>
    addressesOf(before).every((known) => known.host !== host || known.port !== port),
  );

/** Whether a device at a serial port was chosen or changed. */
export const choosesSerial = (before: Partial<Settings>, after: Settings): boolean => {
  const known = new Set(devicesIn(before).map((device) => JSON.stringify(device)));
  return devicesIn(after).some((device) => device.kind === "serial" && !known.has(JSON.stringify(device)));
};

/** In training a real drawer becomes a simulated one; with real money a simulated one becomes one opened by hand. */
export const usableSettings = (settings: Settings, training: boolean): Settings => {
  const { drawer, printer } = settings;
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  if (training && isReal) return { ...settings, drawer: { kind: "simulated" } };
  const hasNoDevice = drawer.kind === "simulated" || (drawer.kind === "printer" && printer.kind === "none");
  return !training && hasNoDevice ? { ...settings, drawer: { kind: "none" } } : settings;
};

/** The settings that are kept in the journal. */
export const protectedOf = (settings: Settings): ProtectedSettings => protectedSettingsSchema.parse(settings);

/** The strictest settings, if the manager's choice is unknown. Devices and whether the drawer is counted come from the file. */
export const strictest = (file: ProtectedSettings): ProtectedSettings => ({
  ...file,
  confirmHandOver: true,
  openOnSettled: false,
  people: {
    cashiersSignIn: true,
    lockAfterMinutes: Math.min(file.people.lockAfterMinutes, 5),
    notHandedOutBy: "manager",
  },
  drawerMoney: { ...file.drawerMoney, managerFor: [...drawerMoneyRights], differenceMinor: 0 },
});

/** Names of differing settings. */
export const differing = (one: ProtectedSettings, other: ProtectedSettings): readonly string[] =>
  Object.entries(one)
    .filter(([name, value]) => !isDeepStrictEqual(value, other[name as keyof ProtectedSettings]))
    .map(([name]) => name);

/** The state with these settings in force instead of the file's. */
export const withProtected = (state: State, settings: ProtectedSettings): State => ({
  ...state,
  protectedSettings: settings,
  settings: usableSettings({ ...state.settings, ...settings }, state.training),
});
