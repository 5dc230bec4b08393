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

/** The fields that the terminal would refuse. */
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

/** The draft with invalid fields as they were before; a drawer, a printer and an id pattern are taken whole or not at all. */
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
