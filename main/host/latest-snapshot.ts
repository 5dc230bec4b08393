/** What the screens show at this moment. */
import type { Snapshot } from "../../preload/contract.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Null for a terminal that has shown nothing yet: a subscriber is given the latest at once. */
export const latestSnapshot = (terminal: Pick<Terminal, "subscribe">): Snapshot | null => {
  let latest: Snapshot | null = null;
  terminal.subscribe((snapshot) => {
    latest = snapshot;
  })();
  return latest;
};
