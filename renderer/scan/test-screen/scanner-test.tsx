import "./test-screen.css";
import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../../preload/contract.ts";
import { useScannerState } from "../activity.ts";
import { CameraPreview } from "../camera/camera-preview.tsx";
import { chooseDevice } from "../devices/device-scanner.ts";
import { ActivityTable } from "./activity-table.tsx";
import { LearnScanner } from "./learn-scanner.tsx";

/** Saves all that the test screen shows, with the settings it was understood by, as a JSON file for support. */
const exportActivities = (settings: Settings): void => {
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

interface ScannerTestProps {
  readonly settings: Settings;
  /** Takes the settings with what was learnt, for the `change_settings` command. */
  readonly onSettings: (settings: Settings) => void;
}

const noScan = (): void => undefined;

/** The manager's test screen: shows what each scanner sends and what it was read as, learns slow ones, exports. Nothing here reaches the terminal. */
export const ScannerTest = ({ settings, onSettings }: ScannerTestProps) => {
  const { t } = useTranslation();
  const engines = useScannerState((state) => state.engines);
  const devices = useScannerState((state) => state.devices);
  const alone = engines.length === 1;
  return (
    <div className="scan-test">
      <div className="scan-test-top">
        <section aria-label={t("scan.camera")}>
          <div className="scan-test-camera">
            {settings.camera.enabled ? (
              <CameraPreview active settings={settings} onScan={noScan} onSettings={onSettings} />
            ) : (
              <p>{t("scan.test.cameraOff")}</p>
            )}
          </div>
          {alone && <p>{t("scan.test.engineAlone")}</p>}
        </section>
        <div>
          <section>
            <h2>{t("scan.test.keyboard")}</h2>
            <LearnScanner settings={settings} onSettings={onSettings} />
          </section>
          <section>
            <h2>{t("scan.test.devices")}</h2>
            {(["hid", "serial"] as const).map((kind) => (
              <div key={kind} className="scan-test-row">
                <Button
                  variant="default"
                  disabled={devices[kind] === "unsupported"}
                  onClick={() => void chooseDevice(kind)}
                >
                  {t(`scan.test.choose.${kind}`)}
                </Button>
                <span>{t(`scan.test.deviceStates.${devices[kind]}`)}</span>
              </div>
            ))}
          </section>
        </div>
      </div>
      <section>
        <div className="scan-test-row">
          <h2>{t("scan.test.activities")}</h2>
          <div className="scan-test-row">
            <Button variant="default" onClick={() => useScannerState.setState({ activities: [] })}>
              {t("scan.test.clear")}
            </Button>
            <Button variant="default" onClick={() => exportActivities(settings)}>
              {t("scan.test.export")}
            </Button>
          </div>
        </div>
        <ActivityTable />
      </section>
    </div>
  );
};
