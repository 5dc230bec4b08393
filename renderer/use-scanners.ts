/** Routes each scan: to the terminal, to the set-up, or nowhere while an area covers the screen. */
import { useEffect, useRef, useState } from "react";
import type { Settings, Snapshot } from "../preload/contract.ts";
import type { ScreenBridge } from "./bridge/bridge.ts";
import { startScanners } from "./scan/index.ts";
import { acceptScannedLink } from "./setup/scanned-link.ts";

/** What the page shows when a code is scanned. */
export interface ScanPlace {
  /** An area lies over the screen (`CashierAreas.covered`). */
  readonly covered: boolean;
  readonly settingUp: boolean;
  readonly settings: Settings;
  readonly kind: Snapshot["screen"]["kind"];
}

/** Runs all scanners while the page is mounted. @returns how many scans were ignored. */
export const useScanners = (bridge: ScreenBridge, place: ScanPlace): number => {
  const [ignored, setIgnored] = useState(0);
  // A ref, so that a change does not restart the scanners in the middle of a scan.
  const latest = useRef(place);
  latest.current = place;
  useEffect(
    () =>
      startScanners(
        (scan) => {
          const { covered, settingUp, kind } = latest.current;
          if (settingUp) acceptScannedLink(scan.text);
          else if (covered) setIgnored((count) => count + 1);
          else if (kind !== "setup" || !acceptScannedLink(scan.text)) void bridge.dispatch({ type: "scan", ...scan });
        },
        () => latest.current.settings,
      ),
    [bridge],
  );
  return ignored;
};
