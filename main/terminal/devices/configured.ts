/** The drawer that the settings name at the moment it is needed. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Settings } from "../../../preload/contract.ts";
import type { Clock, Drawer } from "../ports.ts";
import { createNetworkDrawer } from "./network.ts";
import { createAbsentDrawer, createSimulatedDrawer } from "./simulated.ts";

const make = (chosen: Settings["drawer"], clock: Clock): Drawer => {
  switch (chosen.kind) {
    case "simulated":
      return createSimulatedDrawer();
    case "none":
      return createAbsentDrawer();
    case "network":
      return createNetworkDrawer(chosen, clock);
    default:
      return assertNever(chosen);
  }
};

/** Follows the settings; a drawer lives as long as its own settings, and keeps what it has learned. */
export const createConfiguredDrawer = (settings: () => Settings["drawer"], clock: Clock): Drawer => {
  let made: { readonly for: string; readonly drawer: Drawer } | null = null;
  const current = (): Drawer => {
    const chosen = settings();
    const name = JSON.stringify(chosen);
    if (made?.for !== name) made = { for: name, drawer: make(chosen, clock) };
    return made.drawer;
  };
  return { open: () => current().open(), state: () => current().state() };
};
