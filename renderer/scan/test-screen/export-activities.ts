import type { Settings } from "../../../preload/contract.ts";
import { useScannerState } from "../activity.ts";

/** Saves all that the test screen shows, with the settings it was understood by, as a JSON file for support. */
export const exportActivities = (settings: Settings): void => {
  const { activities, engines, devices } = useScannerState.getState();
  const { symbologies, fixedLength, foreignIds, keyboardScanner } = settings;
  const report = {
    exportedAt: new Date().toISOString(),
    browser: navigator.userAgent,
    engines,
    devices,
    settings: { symbologies, fixedLength, foreignIds, keyboardScanner },
    activities,
  };
  const url = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: "application/json" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `scanner-test-${report.exportedAt.slice(0, 19).replaceAll(":", "-")}.json`;
  link.click();
  URL.revokeObjectURL(url);
};
