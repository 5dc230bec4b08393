/** Settings while the manager types: numbers are text until they are right. */
import { defaultPrinterPort, settingBounds } from "../../preload/choices.ts";
import type { Settings, Symbology } from "../../preload/contract.ts";

/** The settings as the form holds them. */
export interface Draft {
  readonly language: Settings["language"];
  readonly colorScheme: Settings["colorScheme"];
  readonly sound: boolean;
  readonly volume: number;
  readonly terminalName: string;
  readonly scaTimeout: string;
  readonly cameraEnabled: boolean;
  readonly drawerKind: Settings["drawer"]["kind"];
  readonly host: string;
  readonly port: string;
  readonly sensor: boolean;
  readonly confirmHandOver: boolean;
  readonly symbologies: readonly Symbology[];
  readonly fixedLength: string;
  readonly foreignOn: boolean;
  readonly lengthMin: string;
  readonly lengthMax: string;
  readonly alphabet: Foreign["alphabet"];
  readonly check: Foreign["check"];
}

type Foreign = NonNullable<Settings["foreignIds"]>;
/** The fields that can hold something wrong. */
export type DraftField = "scaTimeout" | "host" | "port" | "fixedLength" | "lengthMin" | "lengthMax";

const typed: readonly string[] = [
  "terminalName",
  "scaTimeout",
  "host",
  "port",
  "fixedLength",
  "lengthMin",
  "lengthMax",
];

/** Whether a part of the draft is written letter by letter: it is kept when the field is left. */
export const isTyped = (name: string): boolean => typed.includes(name);

const foreignDefault: Foreign = { lengthMin: 12, lengthMax: 20, alphabet: "digits", check: "luhn" };

/** The form's content for settings. */
export const toDraft = (settings: Settings): Draft => {
  const { drawer } = settings;
  const foreign = settings.foreignIds ?? foreignDefault;
  return {
    language: settings.language,
    colorScheme: settings.colorScheme,
    sound: settings.sound,
    volume: settings.volume,
    terminalName: settings.terminalName,
    scaTimeout: String(settings.scaTimeoutSeconds),
    cameraEnabled: settings.camera.enabled,
    drawerKind: drawer.kind,
    host: drawer.kind === "network" ? drawer.host : "",
    port: String(drawer.kind === "network" ? drawer.port : defaultPrinterPort),
    sensor: drawer.kind === "network" ? drawer.sensor : true,
    confirmHandOver: settings.confirmHandOver,
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
  if (draft.drawerKind === "network") {
    if (draft.host.trim() === "" || draft.host.trim().length > settingBounds.hostLength.max) faults.add("host");
    if (!isWithin(draft.port, settingBounds.port)) faults.add("port");
  }
  if (draft.foreignOn) {
    if (!isWithin(draft.lengthMin, settingBounds.foreignIdLength)) faults.add("lengthMin");
    if (!isWithin(draft.lengthMax, settingBounds.foreignIdLength) || Number(draft.lengthMax) < Number(draft.lengthMin))
      faults.add("lengthMax");
  }
  return faults;
};

/** The draft with what the terminal would refuse as it was before; a drawer or a pattern is right as a whole or not at all. */
export const withoutFaults = (draft: Draft, before: Draft): Draft => {
  const faults = faultsOf(draft);
  const { drawerKind, host, port, sensor, foreignOn, lengthMin, lengthMax, alphabet, check } = before;
  return {
    ...draft,
    ...(faults.has("scaTimeout") ? { scaTimeout: before.scaTimeout } : {}),
    ...(faults.has("fixedLength") ? { fixedLength: before.fixedLength } : {}),
    ...(faults.has("host") || faults.has("port") ? { drawerKind, host, port, sensor } : {}),
    ...(faults.has("lengthMin") || faults.has("lengthMax") ? { foreignOn, lengthMin, lengthMax, alphabet, check } : {}),
  };
};

/** The draft over the settings it began with: what the manager does not see here stays as it is. */
export const fromDraft = (draft: Draft, settings: Settings): Settings => ({
  ...settings,
  language: draft.language,
  colorScheme: draft.colorScheme,
  sound: draft.sound,
  volume: draft.volume,
  terminalName: draft.terminalName.trim(),
  scaTimeoutSeconds: Number(draft.scaTimeout),
  camera: { ...settings.camera, enabled: draft.cameraEnabled },
  drawer:
    draft.drawerKind === "network"
      ? { kind: "network", host: draft.host.trim(), port: Number(draft.port), sensor: draft.sensor }
      : { kind: draft.drawerKind },
  confirmHandOver: draft.confirmHandOver,
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
