/** The addresses in the network that settings name. */
import type { Settings } from "../../../preload/contract.ts";

/** Where a drawer or a printer is. */
export interface DeviceAddress {
  readonly host: string;
  readonly port: number;
}

type Devices = Pick<Settings, "drawer" | "printer">;

const addressesOf = ({ drawer, printer }: Devices): readonly DeviceAddress[] =>
  [drawer, printer].flatMap((one) => (one.kind === "network" ? [{ host: one.host, port: one.port }] : []));

/** Those that the settings did not name before. */
export const newAddresses = (before: Devices, after: Devices): readonly DeviceAddress[] => {
  const known = new Set(addressesOf(before).map(({ host, port }) => `${host} ${port}`));
  return addressesOf(after).filter(({ host, port }) => !known.has(`${host} ${port}`));
};
