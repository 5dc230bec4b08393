/** Settings while the manager types: numbers are text until they are right. */

import { defaultPrinterPort, settingBounds } from "../../preload/choices.ts";
import type { Settings, Symbology } from "../../preload/contract.ts";
import { isDeviceHost, isPrinterPort } from "../../preload/device-address.ts";

/** The settings as the form holds them. */
export interface Draft {
  readonly language: Settings["language"];
  readonly colorScheme: Settings["colorScheme"];
  readonly sound: boolean;
  readonly volume: number;
  readonly setUp: Settings["setUp"];
  readonly terminalName: string;
  readonly scaTimeout: string;
  readonly cameraEnabled: boolean;
  readonly drawerKind: Settings["drawer"]["kind"];
  readonly host: string;
  readonly port: string;
  readonly sensor: boolean;
  readonly pin: Pulse["pin"];
  readonly pulseOn: string;
  readonly pulseOff: string;
  readonly confirmHandOver: boolean;
  readonly customerDisplay: Settings["customerDisplay"];
  readonly windowMode: Settings["windowMode"];
  readonly startWithSystem: boolean;
  readonly updates: Settings["updates"];
  readonly printerKind: Settings["printer"]["kind"];
  readonly printerHost: string;
  readonly printerPort: string;
  readonly devicePath: string;
  readonly baudRate: Serial["baudRate"];
  readonly model: Paper["model"];
  readonly columns: Paper["columns"];
  readonly codePage: Paper["codePage"];
  readonly receipts: Paper["receipts"];
  readonly drawerMoney: boolean;
  readonly managerFor: Settings["drawerMoney"]["managerFor"];
  readonly symbologies: readonly Symbology[];
  readonly fixedLength: string;
  readonly foreignOn: boolean;
  readonly lengthMin: string;
  readonly lengthMax: string;
  readonly alphabet: Foreign["alphabet"];
  readonly check: Foreign["check"];
}

type Foreign = NonNullable<Settings["foreignIds"]>;
type Drawer = Settings["drawer"];
type Pulse = Extract<Drawer, { kind: "printer" }>["pulse"];
type Serial = Extract<Settings["printer"], { kind: "serial" }>;
type Paper = Pick<Serial, "model" | "columns" | "codePage" | "receipts">;

const typed = [
  "terminalName",
  "scaTimeout",
  "host",
  "port",
  "pulseOn",
  "pulseOff",
  "printerHost",
  "printerPort",
  "devicePath",
  "fixedLength",
  "lengthMin",
  "lengthMax",
] as const;
/** The fields that are written letter by letter; most can hold something wrong. */
export type DraftField = (typeof typed)[number];

/** Whether a part of the draft is written letter by letter: it is kept when the field is left. */
export const isTyped = (name: string): boolean => (typed as readonly string[]).includes(name);

const foreignDefault: Foreign = { lengthMin: 12, lengthMax: 20, alphabet: "digits", check: "luhn" };

const usualPulse: Pulse = { pin: 2, onMs: 50, offMs: 250 };
const usualPaper: Paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" };

/** The form's content for settings. */
export const toDraft = (settings: Settings): Draft => {
  const { drawer, printer } = settings;
  const pulse = "pulse" in drawer ? drawer.pulse : usualPulse;
  const { model, columns, codePage, receipts } = printer.kind === "none" ? usualPaper : printer;
  const foreign = settings.foreignIds ?? foreignDefault;
  return {
    language: settings.language,
    colorScheme: settings.colorScheme,
    sound: settings.sound,
    volume: settings.volume,
    setUp: settings.setUp,
    terminalName: settings.terminalName,
    scaTimeout: String(settings.scaTimeoutSeconds),
    cameraEnabled: settings.camera.enabled,
    drawerKind: drawer.kind,
    host: drawer.kind === "network" ? drawer.host : "",
    port: String(drawer.kind === "network" ? drawer.port : defaultPrinterPort),
    sensor: "sensor" in drawer ? drawer.sensor : true,
    pin: pulse.pin,
    pulseOn: String(pulse.onMs),
    pulseOff: String(pulse.offMs),
    confirmHandOver: settings.confirmHandOver,
    customerDisplay: settings.customerDisplay,
    windowMode: settings.windowMode,
    startWithSystem: settings.startWithSystem,
    updates: settings.updates,
    printerKind: printer.kind,
    printerHost: printer.kind === "network" ? printer.host : "",
    printerPort: String(printer.kind === "network" ? printer.port : defaultPrinterPort),
    devicePath: printer.kind === "serial" ? printer.path : "",
    baudRate: printer.kind === "serial" ? printer.baudRate : 9_600,
    model,
    columns,
    codePage,
    receipts,
    drawerMoney: settings.drawerMoney.enabled,
    managerFor: settings.drawerMoney.managerFor,
    symbologies: settings.symbologies,
    fixedLength: settings.fixedLength === null ? "" : String(settings.fixedLength),
    foreignOn: settings.foreignIds !== null,
    lengthMin: String(foreign.lengthMin),
    lengthMax: String(foreign.lengthMax),
    alphabet: foreign.alphabet,
    check: foreign.check,
  };
};

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const isWithin = (text: string, { min, max }: Bounds): boolean =>
  /^\d{1,5}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;

/** The fields that hold something the terminal would refuse. */
export const faultsOf = (draft: Draft): ReadonlySet<DraftField> => {
  const faults = new Set<DraftField>();
  if (!isWithin(draft.scaTimeout, settingBounds.scaTimeoutSeconds)) faults.add("scaTimeout");
  if (draft.fixedLength.trim() !== "" && !isWithin(draft.fixedLength, settingBounds.fixedLength))
    faults.add("fixedLength");
  for (const fault of deviceFaults(draft)) faults.add(fault);
  if (draft.foreignOn) {
    if (!isWithin(draft.lengthMin, settingBounds.foreignIdLength)) faults.add("lengthMin");
    if (!isWithin(draft.lengthMax, settingBounds.foreignIdLength) || Number(draft.lengthMax) < Number(draft.lengthMin))
      faults.add("lengthMax");
  }
  return faults;
};

const isFilled = (text: string, { max }: Bounds): boolean => text.trim() !== "" && text.trim().length <= max;

const deviceFaults = (draft: Draft): readonly DraftField[] => {
  const faults: DraftField[] = [];
  const { drawerKind, printerKind } = draft;
  if (drawerKind === "network") {
    if (!isDeviceHost(draft.host.trim())) faults.push("host");
    if (!isPrinterPort(Number(draft.port))) faults.push("port");
  }
  if (drawerKind === "network" || drawerKind === "printer") {
    if (!isWithin(draft.pulseOn, settingBounds.pulseMs)) faults.push("pulseOn");
    if (!isWithin(draft.pulseOff, settingBounds.pulseMs)) faults.push("pulseOff");
  }
  if (printerKind === "network") {
    if (!isDeviceHost(draft.printerHost.trim())) faults.push("printerHost");
    if (!isPrinterPort(Number(draft.printerPort))) faults.push("printerPort");
  }
  if (printerKind === "serial" && !isFilled(draft.devicePath, settingBounds.devicePathLength))
    faults.push("devicePath");
  return faults;
};

const drawerFields: readonly DraftField[] = ["host", "port", "pulseOn", "pulseOff"];
const printerFields: readonly DraftField[] = ["printerHost", "printerPort", "devicePath"];

/** The draft with what the terminal would refuse as it was before; a drawer or a pattern is right as a whole or not at all. */
export const withoutFaults = (draft: Draft, before: Draft): Draft => {
  const faults = faultsOf(draft);
  const { drawerKind, host, port, sensor, pin, pulseOn, pulseOff } = before;
  const { foreignOn, lengthMin, lengthMax, alphabet, check } = before;
  const { printerKind, printerHost, printerPort, devicePath } = before;
  return {
    ...draft,
    ...(faults.has("scaTimeout") ? { scaTimeout: before.scaTimeout } : {}),
    ...(faults.has("fixedLength") ? { fixedLength: before.fixedLength } : {}),
    ...(drawerFields.some((field) => faults.has(field))
      ? { drawerKind, host, port, sensor, pin, pulseOn, pulseOff }
      : {}),
    ...(printerFields.some((field) => faults.has(field)) ? { printerKind, printerHost, printerPort, devicePath } : {}),
    ...(faults.has("lengthMin") || faults.has("lengthMax") ? { foreignOn, lengthMin, lengthMax, alphabet, check } : {}),
  };
};

const drawerOf = (draft: Draft): Drawer => {
  const { sensor, pin, drawerKind } = draft;
  const pulse = { pin, onMs: Number(draft.pulseOn), offMs: Number(draft.pulseOff) };
  if (drawerKind === "network")
    return { kind: drawerKind, host: draft.host.trim(), port: Number(draft.port), sensor, pulse };
  return drawerKind === "printer" ? { kind: drawerKind, sensor, pulse } : { kind: drawerKind };
};

const printerOf = (draft: Draft): Settings["printer"] => {
  const { model, columns, codePage, receipts, baudRate, printerKind } = draft;
  const paper = { model, columns, codePage, receipts };
  if (printerKind === "network")
    return { kind: printerKind, host: draft.printerHost.trim(), port: Number(draft.printerPort), ...paper };
  return printerKind === "serial"
    ? { kind: printerKind, path: draft.devicePath.trim(), baudRate, ...paper }
    : { kind: "none" };
};

/** The draft over the settings it began with: what the manager does not see here stays as it is. */
export const fromDraft = (draft: Draft, settings: Settings): Settings => ({
  ...settings,
  language: draft.language,
  colorScheme: draft.colorScheme,
  sound: draft.sound,
  volume: draft.volume,
  setUp: draft.setUp,
  terminalName: draft.terminalName.trim(),
  scaTimeoutSeconds: Number(draft.scaTimeout),
  camera: { ...settings.camera, enabled: draft.cameraEnabled },
  drawer: drawerOf(draft),
  printer: printerOf(draft),
  drawerMoney: { enabled: draft.drawerMoney, managerFor: [...draft.managerFor] },
  confirmHandOver: draft.confirmHandOver,
  customerDisplay: draft.customerDisplay,
  windowMode: draft.windowMode,
  startWithSystem: draft.startWithSystem,
  updates: draft.updates,
  symbologies: [...draft.symbologies],
  fixedLength: draft.fixedLength.trim() === "" ? null : Number(draft.fixedLength),
  foreignIds: draft.foreignOn
    ? {
        lengthMin: Number(draft.lengthMin),
        lengthMax: Number(draft.lengthMax),
        alphabet: draft.alphabet,
        check: draft.check,
      }
    : null,
});
