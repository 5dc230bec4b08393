import type { Snapshot } from "../../preload/contract.ts";

/** Whether a part of the set-up lies over the first screen now. */
export const isSettingUp = ({ screen, settings }: Snapshot): boolean =>
  screen.kind === "ready" && settings.setUp !== "done";
