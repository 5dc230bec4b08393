/** What of the settings is more than a value: devices that they name, what training changes, what the journal keeps of them. */
import { isDeepStrictEqual } from "node:util";
import { drawerMoneyRights } from "../../../preload/choices.ts";
import { type ProtectedSettings, protectedSettingsSchema, type Settings } from "../../../preload/contract.ts";
import type { State } from "./state.ts";

/** Where a drawer or a printer is. */
export interface DeviceAddress {
  readonly host: string;
  readonly port: number;
}

/** Its address, no longer than the journal takes it; null: none. */
export const placeOf = (device: Settings["printer"] | Settings["drawer"]): string | null => {
  if (device.kind === "serial") return device.path.slice(0, 180);
  return device.kind === "network" ? `${device.host.slice(0, 180)}:${device.port}` : null;
};
/** Where a drawer is: of one on the receipt printer, where that is. */
export const drawerPlace = (drawer: Settings["drawer"], { printer }: Pick<Settings, "printer">): string | null =>
  placeOf(drawer.kind === "printer" ? printer : drawer);

/** Every setting that is a device of some kind: to choose one that is reached by an address or a port is a manager's. */
const devicesIn = (settings: Partial<Settings>) =>
  Object.values(settings).filter((value) => typeof value === "object" && value !== null && "kind" in value);

const addressesOf = (settings: Partial<Settings>): readonly DeviceAddress[] =>
  devicesIn(settings).flatMap((device) =>
    device.kind === "network" ? [{ host: device.host, port: device.port }] : [],
  );

/** Those that the settings did not name before. */
export const newAddresses = (before: Partial<Settings>, after: Settings): readonly DeviceAddress[] =>
  addressesOf(after).filter(({ host, port }) =>
    addressesOf(before).every((known) => known.host !== host || known.port !== port),
  );

/** Whether a device at a serial port is chosen, or changed in anything. */
export const choosesSerial = (before: Partial<Settings>, after: Settings): boolean => {
  const known = new Set(devicesIn(before).map((device) => JSON.stringify(device)));
  return devicesIn(after).some((device) => device.kind === "serial" && !known.has(JSON.stringify(device)));
};

/** In training a real drawer is taken as simulated, and in a shop a simulated one as opened by hand. */
export const usableSettings = (settings: Settings, training: boolean): Settings => {
  const { drawer, printer } = settings;
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  if (training && isReal) return { ...settings, drawer: { kind: "simulated" } };
  const hasNoDevice = drawer.kind === "simulated" || (drawer.kind === "printer" && printer.kind === "none");
  return !training && hasNoDevice ? { ...settings, drawer: { kind: "none" } } : settings;
};

/** Those of all settings that are the journal's. */
export const protectedOf = (settings: Settings): ProtectedSettings => protectedSettingsSchema.parse(settings);

/** Where nobody knows what a manager wanted: more is asked. The devices, and whether the drawer is counted here, are the file's. */
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

/** The names of those that differ. */
export const differing = (one: ProtectedSettings, other: ProtectedSettings): readonly string[] =>
  Object.entries(one)
    .filter(([name, value]) => !isDeepStrictEqual(value, other[name as keyof ProtectedSettings]))
    .map(([name]) => name);

/** The state in which they hold, whatever the file says. */
export const withProtected = (state: State, settings: ProtectedSettings): State => ({
  ...state,
  protectedSettings: settings,
  settings: usableSettings({ ...state.settings, ...settings }, state.training),
});
