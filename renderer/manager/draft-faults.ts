/** Which fields of the settings' form hold something invalid. */
import { settingBounds } from "../../preload/choices.ts";
import { isDeviceHost, isPrinterPort } from "../../preload/device-address.ts";
import type { Draft, DraftField } from "./draft.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
}

const isWithin = (text: string, { min, max }: Bounds): boolean =>
  /^\d{1,5}$/.test(text.trim()) && Number(text) >= min && Number(text) <= max;

const isFilled = (text: string, { max }: Bounds): boolean => text.trim() !== "" && text.trim().length <= max;

/** What goes back to what it was when one of it is wrong: a drawer, a printer and an id pattern are taken whole or not at all. */
const drawer = ["drawerKind", "host", "port", "sensor", "pin", "pulseOn", "pulseOff"] as const;
const printer = ["printerKind", "printerHost", "printerPort", "devicePath"] as const;
const foreign = ["foreignOn", "lengthMin", "lengthMax", "alphabet", "check"] as const;

const hasPulse = ({ drawerKind }: Draft): boolean => drawerKind === "network" || drawerKind === "printer";

interface FieldRule {
  /** Whether the terminal would refuse what is typed. */
  readonly isWrong: (draft: Draft) => boolean;
  readonly together: readonly (keyof Draft)[];
}

/** A new typed field has to say both before it compiles. */
const rules: Readonly<Record<DraftField, FieldRule>> = {
  terminalName: { isWrong: () => false, together: [] },
  scaTimeout: {
    isWrong: ({ scaTimeout }) => !isWithin(scaTimeout, settingBounds.scaTimeoutSeconds),
    together: ["scaTimeout"],
  },
  differenceMinor: {
    isWrong: ({ differenceMinor }) => !isWithin(differenceMinor, settingBounds.differenceMinor),
    together: ["differenceMinor"],
  },
  fixedLength: {
    isWrong: ({ fixedLength }) => fixedLength.trim() !== "" && !isWithin(fixedLength, settingBounds.fixedLength),
    together: ["fixedLength"],
  },
  host: { isWrong: ({ drawerKind, host }) => drawerKind === "network" && !isDeviceHost(host.trim()), together: drawer },
  port: {
    isWrong: ({ drawerKind, port }) => drawerKind === "network" && !isPrinterPort(Number(port)),
    together: drawer,
  },
  pulseOn: {
    isWrong: (draft) => hasPulse(draft) && !isWithin(draft.pulseOn, settingBounds.pulseMs),
    together: drawer,
  },
  pulseOff: {
    isWrong: (draft) => hasPulse(draft) && !isWithin(draft.pulseOff, settingBounds.pulseMs),
    together: drawer,
  },
  printerHost: {
    isWrong: ({ printerKind, printerHost }) => printerKind === "network" && !isDeviceHost(printerHost.trim()),
    together: printer,
  },
  printerPort: {
    isWrong: ({ printerKind, printerPort }) => printerKind === "network" && !isPrinterPort(Number(printerPort)),
    together: printer,
  },
  devicePath: {
    isWrong: ({ printerKind, devicePath }) =>
      printerKind === "serial" && !isFilled(devicePath, settingBounds.devicePathLength),
    together: printer,
  },
  lengthMin: {
    isWrong: ({ foreignOn, lengthMin }) => foreignOn && !isWithin(lengthMin, settingBounds.foreignIdLength),
    together: foreign,
  },
  lengthMax: {
    isWrong: ({ foreignOn, lengthMin, lengthMax }) =>
      foreignOn && (!isWithin(lengthMax, settingBounds.foreignIdLength) || Number(lengthMax) < Number(lengthMin)),
    together: foreign,
  },
};
const fields = Object.keys(rules) as DraftField[];

/** The fields that the terminal would refuse. */
export const faultsOf = (draft: Draft): ReadonlySet<DraftField> =>
  new Set(fields.filter((field) => rules[field].isWrong(draft)));

/** The draft with invalid fields, and what belongs to them, as they were before. */
export const withoutFaults = (draft: Draft, before: Draft): Draft => {
  const back = [...faultsOf(draft)].flatMap((field) => rules[field].together);
  return { ...draft, ...(Object.fromEntries(back.map((name) => [name, before[name]])) as Partial<Draft>) };
};
