import type { Settings } from "../../../preload/contract.ts";

/**
 * The settings as this terminal may use them. In training no real drawer is ever opened: one on a printer is taken as
 * simulated. A drawer that only pretends to open belongs to training alone: in a shop it is taken as opened by hand.
 */
export const usableSettings = (settings: Settings, training: boolean): Settings => {
  const { drawer, printer } = settings;
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  if (training && isReal) return { ...settings, drawer: { kind: "simulated" } };
  const hasNoDevice = drawer.kind === "simulated" || (drawer.kind === "printer" && printer.kind === "none");
  return !training && hasNoDevice ? { ...settings, drawer: { kind: "none" } } : settings;
};
