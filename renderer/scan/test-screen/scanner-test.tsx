import { Button } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../../preload/contract.ts";
import page from "../../ui/page.module.css";
import { type Activity, useScannerState } from "../activity.ts";
import { CameraPreview } from "../camera/camera-preview.tsx";
import { chooseDevice } from "../usb/usb-scanner.ts";
import { LearnScanner } from "./learn-scanner.tsx";
import classes from "./test-screen.module.css";

const shownMax = 50;
const bytesShownMax = 96;

const hex = (bytes: readonly number[]): string => {
  const shown = bytes.slice(0, bytesShownMax).map((byte) => byte.toString(16).padStart(2, "0"));
  return shown.join(" ") + (bytes.length > bytesShownMax ? " …" : "");
};

/** What came from which device, newest first. */
const ActivityTable = () => {
  const { t } = useTranslation();
  const activities = useScannerState((state) => state.activities);
  if (activities.length === 0) return <p>{t("scan.test.empty")}</p>;
  return (
    <table className={page.table} data-testid="scanner-activities">
      <thead>
        <tr>
          <th>{t("scan.test.source")}</th>
          <th>{t("scan.test.text")}</th>
          <th>{t("scan.test.symbology")}</th>
          <th>{t("scan.test.timing")}</th>
          <th>{t("scan.test.result")}</th>
        </tr>
      </thead>
      <tbody>
        {activities.slice(0, shownMax).map((activity) => (
          <Row key={activity.id} activity={activity} />
        ))}
      </tbody>
    </table>
  );
};

const Row = ({ activity }: { readonly activity: Activity }) => {
  const { t } = useTranslation();
  const { source, text, bytes, symbology, timing, fault, detail, at } = activity;
  return (
    <tr>
      <td>
        {t(`scan.test.sources.${source}`)}
        <small>{at.slice(11, 19)} UTC</small>
        <small>{detail}</small>
      </td>
      <td>
        <code>{text}</code>
        <small>
          <code>{hex(bytes)}</code>
        </small>
      </td>
      <td>{symbology ?? "–"}</td>
      <td>{timing ? t("scan.test.millis", { mean: timing.meanMs.toFixed(1), max: timing.maxMs.toFixed(1) }) : "–"}</td>
      <td>{fault === null ? t("scan.test.isId") : t(`scan.test.faults.${fault}`)}</td>
    </tr>
  );
};

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
    <div className={page.stack}>
      <div className={classes.top}>
        <section className={page.stack} aria-label={t("scan.camera")}>
          <div className={classes.camera}>
            {settings.camera.enabled ? (
              <CameraPreview active settings={settings} onScan={noScan} onSettings={onSettings} />
            ) : (
              <p>{t("scan.test.cameraOff")}</p>
            )}
          </div>
          {alone && <p>{t("scan.test.engineAlone")}</p>}
        </section>
        <div className={page.stack}>
          <section className={page.card}>
            <h2>{t("scan.test.keyboard")}</h2>
            <LearnScanner settings={settings} onSettings={onSettings} />
          </section>
          <section className={page.card}>
            <h2>{t("scan.test.devices")}</h2>
            {(["hid", "serial"] as const).map((kind) => (
              <div key={kind} className={page.row}>
                <Button size="sm" disabled={devices[kind] === "unsupported"} onClick={() => void chooseDevice(kind)}>
                  {t(`scan.test.choose.${kind}`)}
                </Button>
                <span>{t(`scan.test.deviceStates.${devices[kind]}`)}</span>
              </div>
            ))}
          </section>
        </div>
      </div>
      <section className={page.stack}>
        <div className={page.row}>
          <h2>{t("scan.test.activities")}</h2>
          <Button size="sm" onClick={() => useScannerState.setState({ activities: [] })}>
            {t("scan.test.clear")}
          </Button>
          <Button size="sm" onClick={() => exportActivities(settings)}>
            {t("scan.test.export")}
          </Button>
        </div>
        <ActivityTable />
      </section>
    </div>
  );
};
