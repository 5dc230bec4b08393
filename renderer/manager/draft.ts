/** Settings while the manager types: numbers are text until they are valid. */
import { defaultPrinterPort } from "../../preload/choices.ts";
import type { Settings, Symbology } from "../../preload/contract.ts";

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
  readonly differenceMinor: string;
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

/** The fields that are typed; most can hold something invalid (`draft-faults.ts`). */
export type DraftField = { [K in keyof Draft]: string extends Draft[K] ? K : never }[keyof Draft];

const typed: Readonly<Record<DraftField, true>> = {
  terminalName: true,
  scaTimeout: true,
  host: true,
  port: true,
  pulseOn: true,
  pulseOff: true,
  printerHost: true,
  printerPort: true,
  devicePath: true,
  differenceMinor: true,
  fixedLength: true,
  lengthMin: true,
  lengthMax: true,
};

/** Whether a part of the draft is typed: it is saved when the field loses the focus, every other at once. */
export const isTyped = (name: string): boolean => Object.hasOwn(typed, name);

const foreignDefault: Foreign = { lengthMin: 12, lengthMax: 20, alphabet: "digits", check: "luhn" };

const usualPulse: Pulse = { pin: 2, onMs: 50, offMs: 250 };
const usualPaper: Paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" };

/** The form filled with settings. */
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
    differenceMinor: String(settings.drawerMoney.differenceMinor),
    symbologies: settings.symbologies,
    fixedLength: settings.fixedLength === null ? "" : String(settings.fixedLength),
    foreignOn: settings.foreignIds !== null,
    lengthMin: String(foreign.lengthMin),
    lengthMax: String(foreign.lengthMax),
    alphabet: foreign.alphabet,
    check: foreign.check,
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

/** What other pages change; a setting that is neither here nor in the form does not compile. */
type Elsewhere = "keyboardScanner" | "tourSeen" | "people";

const shownOf = (draft: Draft, settings: Settings): Omit<Settings, Elsewhere> => ({
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
  drawerMoney: {
    enabled: draft.drawerMoney,
    managerFor: [...draft.managerFor],
    differenceMinor: Number(draft.differenceMinor),
  },
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

/** The draft as settings; call it without faults. @param settings those that the form began with: what it does not show stays. */
export const fromDraft = (draft: Draft, settings: Settings): Settings => ({ ...settings, ...shownOf(draft, settings) });
