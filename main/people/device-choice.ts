/** A device in the network, or at a serial port, is a manager's to choose, also before the first enrolment. */
import type { Command, Settings } from "../../preload/contract.ts";
import { choosesSerial, newAddresses } from "../terminal/state/device-addresses.ts";

/** Whether a command names such a device that `before` did not; null before there are settings. */
export const namesDevice = (command: Command, before: Settings | null): boolean => {
  if (command.type !== "change_settings") return false;
  const known = before ?? {};
  return choosesSerial(known, command.settings) || newAddresses(known, command.settings).length > 0;
};
