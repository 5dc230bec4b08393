/** The terminal's ports on Node: real clock, ids, network, journal file and devices. The host provides secrets and settings. */
import type { Settings } from "../../preload/contract.ts";
import { createClock, createIds } from "./adapters.ts";
import { createConfiguredDevices } from "./devices/configured.ts";
import { findPrinters } from "./devices/find-printers.ts";
import type { JournalKeys } from "./journal/chain.ts";
import { openNodeDatabase } from "./journal/database.ts";
import { freeBytes, removeDatabase, roomLeftBytes, shopRoom } from "./journal/files.ts";
import { openJournal } from "./journal/journal.ts";
import type { Ports } from "./ports.ts";
import { createKyTransport, type TransportOptions } from "./service/transport.ts";
import { usableSettings } from "./withdrawal/settings.ts";

interface HostParts extends Pick<Ports, "secrets" | "settings" | "shop" | "training" | "log"> {
  /** Path of the journal; created with its folder if missing. */
  readonly journalPath: string;
  readonly journalKeys: JournalKeys;
  /** As in `Ports`. */
  readonly hasEarlierLife: boolean;
  /** How the service is reached. Default: https only; training also accepts a service without a bank. */
  readonly network?: TransportOptions;
}

/** Never throws: a journal that cannot be opened refuses writes, and the terminal reports that. */
export const createNodePorts = (host: HostParts): Ports => {
  const clock = createClock();
  let held: Settings | null = null;
  return {
    clock,
    ids: createIds(),
    journal: openJournal(host.journalPath, clock.now(), "write", openNodeDatabase, host.journalKeys, shopRoom),
    index: {
      open: () => openNodeDatabase(`${host.journalPath}.history`, "write"),
      remove: () => removeDatabase(`${host.journalPath}.history`),
      hasRoom: () => freeBytes(host.journalPath) >= roomLeftBytes,
      isKept: true,
    },
    transport: createKyTransport(clock, { ...host.network, ...(host.training && { takesSandbox: true }) }),
    ...createConfiguredDevices(() => held ?? usableSettings(host.settings.load(), host.training), clock),
    findPrinters: () => findPrinters(clock),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    secrets: host.secrets,
    settings: {
      ...host.settings,
      hold(settings) {
        held = settings;
      },
    },
    shop: host.shop,
    training: host.training,
    hasEarlierLife: host.hasEarlierLife,
    log: host.log,
  };
};
