/** A device in the network, or at a serial port, is a manager's to choose, also before the first enrolment. */
import type { Command, Settings } from "../../preload/contract.ts";
import { newAddresses } from "../terminal/state/device-addresses.ts";

/** The part of the settings that names devices. */
export type ChosenDevices = Pick<Settings, "drawer" | "printer">;

const none: ChosenDevices = { drawer: { kind: "none" }, printer: { kind: "none" } };

/** Whether a command names such a device that `before` did not; null before there are settings. */
export const namesDevice = (command: Command, before: ChosenDevices | null): boolean => {
  if (command.type !== "change_settings") return false;
  const { drawer, printer } = command.settings;
  const known = before ?? none;
  const isSerial = printer.kind === "serial" && JSON.stringify(printer) !== JSON.stringify(known.printer);
  return isSerial || newAddresses(known, { drawer, printer }).length > 0;
};
