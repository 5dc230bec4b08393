import type { Settings } from "../../../preload/contract.ts";

/**
 * The settings as this terminal may use them. In training no real drawer is ever opened: one on the network is taken as
 * simulated. A drawer that only pretends to open belongs to training alone: in a shop it is taken as opened by hand.
 */
export const usableSettings = (settings: Settings, training: boolean): Settings => {
  const { kind } = settings.drawer;
  if (training && kind === "network") return { ...settings, drawer: { kind: "simulated" } };
  return training || kind !== "simulated" ? settings : { ...settings, drawer: { kind: "none" } };
};
