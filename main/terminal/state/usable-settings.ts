import type { Settings } from "../../../preload/contract.ts";

/** The settings as this terminal may use them: a drawer that only pretends to open belongs to training alone. */
export const usableSettings = (settings: Settings, training: boolean): Settings =>
  training || settings.drawer.kind !== "simulated" ? settings : { ...settings, drawer: { kind: "none" } };
