/** Where a scan goes: to the terminal, to the set-up, or nowhere while something lies over the screen. */
import { useEffect, useRef, useState } from "react";
import type { Settings, Snapshot } from "../preload/contract.ts";
import type { ScreenBridge } from "./bridge/bridge.ts";
import { startScanners } from "./scan/index.ts";
import { takeLink } from "./setup/scanned-link.ts";

/** What is on the page while a code is scanned. */
export interface ScanPlace {
  /** An area lies over the screen (`CashierAreas.covered`). */
  readonly covered: boolean;
  readonly settingUp: boolean;
  readonly settings: Settings;
  readonly kind: Snapshot["screen"]["kind"];
}

/** Starts all scanners for as long as the page is there; how many scans went nowhere. */
export const useScanners = (bridge: ScreenBridge, place: ScanPlace): number => {
  const [ignored, setIgnored] = useState(0);
  // The scanners read the latest by themselves: starting them again in the middle would lose a scan.
  const latest = useRef(place);
  latest.current = place;
  useEffect(
    () =>
      startScanners(
        (scan) => {
          const { covered, settingUp, kind } = latest.current;
          if (settingUp) takeLink(scan.text);
          else if (covered) setIgnored((count) => count + 1);
          else if (kind !== "setup" || !takeLink(scan.text)) void bridge.dispatch({ type: "scan", ...scan });
        },
        () => latest.current.settings,
      ),
    [bridge],
  );
  return ignored;
};
