import { Button } from "@mantine/core";
import { t } from "i18next";
import { useEffect, useState } from "react";
import type { Settings } from "../../../preload/contract.ts";
import { Section } from "../../ui/controls.tsx";
import { saveFile } from "../../ui/csv-file.ts";
import { DataTable } from "../../ui/data-table.tsx";
import page from "../../ui/page.module.css";
import { useSettingsChange, useSnapshot } from "../../ui/terminal.tsx";
import { type Activity, useScannerState } from "../activity.ts";
import { CameraPreview } from "../camera/camera-preview.tsx";
import type { PressedKey } from "../keyboard/detector.ts";
import { type Learnt, learnScanner } from "../keyboard/interpret.ts";
import { captureKeys } from "../keyboard/listen.ts";
import { chooseDevice } from "../usb/usb-scanner.ts";
import classes from "./test-screen.module.css";

/** How far the learning of a keyboard scanner is, or what was learnt. */
type Learning = "off" | "listening" | "too_short" | Learnt;

/** The slowest scanners pause for less than this between two keys. */
const scanEndsAfterMs = 800;

/** Gives what one scan teaches, or that it was too short, while `isListening`. */
const useOneScan = (isListening: boolean, done: (learnt: Learning) => void): void =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: a scan is not interrupted by what is drawn meanwhile
  useEffect(() => {
    if (!isListening) return;
    const keys: PressedKey[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const finish = (): void => done(learnScanner(keys) ?? "too_short");
    const release = captureKeys((key) => {
      clearTimeout(timer);
      if (key.key === "Enter" || key.key === "Tab") return finish();
      if ((key.key.length === 1 || key.key === "Dead") && !key.repeat && !key.modified) keys.push(key);
      if (keys.length > 0) timer = setTimeout(finish, scanEndsAfterMs);
    });
    return () => {
      clearTimeout(timer);
      release();
    };
  }, [isListening]);

/** Learns a keyboard scanner that is slow, sends a prefix or suffix, or is set to another layout than the terminal. */
export const LearnScanner = () => {
  const change = useSettingsChange();
  const [learning, setLearning] = useState<Learning>("off");
  useOneScan(learning === "listening", setLearning);
  const button = (label: string, next: Learning) => (
    <Button size="sm" onClick={() => setLearning(next)}>
      {label}
    </Button>
  );
  if (learning === "listening")
    return (
      <div className={page.stack} role="status">
        <p>{t("scan.test.learnNow")}</p>
        {button(t("scan.test.cancel"), "off")}
      </div>
    );
  if (typeof learning === "string")
    return (
      <div className={page.stack}>
        <p>{t(learning === "too_short" ? "scan.test.learnTooShort" : "scan.test.learnWhy")}</p>
        {button(t("scan.test.learn"), "listening")}
      </div>
    );
  const { scanner, meanMs, maxMs, sure } = learning;
  const { gapMs, layout, prefix, suffix } = scanner;
  return (
    <div className={page.stack} role="status">
      <p>{t("scan.test.learntSpeed", { mean: meanMs.toFixed(1), max: maxMs.toFixed(1), gap: gapMs })}</p>
      <p>
        {sure
          ? t("scan.test.learntWrap", { layout: layout.toUpperCase(), prefix: prefix || "–", suffix: suffix || "–" })
          : t("scan.test.learntNoId")}
      </p>
      <div className={page.row}>
        <Button
          variant="filled"
          size="sm"
          onClick={() => {
            void change({ keyboardScanner: scanner });
            setLearning("off");
          }}
        >
          {t("scan.test.save")}
        </Button>
        {button(t("scan.test.learnAgain"), "listening")}
        {button(t("scan.test.cancel"), "off")}
      </div>
    </div>
  );
};

const shownMax = 50;
const bytesShownMax = 96;

const hex = (bytes: readonly number[]): string => {
  const shown = bytes.slice(0, bytesShownMax).map((byte) => byte.toString(16).padStart(2, "0"));
  return shown.join(" ") + (bytes.length > bytesShownMax ? " …" : "");
};

/** What each device has sent, newest first. */
const ActivityTable = () => {
  const activities = useScannerState((state) => state.activities);
  if (activities.length === 0) return <p>{t("scan.test.empty")}</p>;
  const source = ({ source: from, at, detail }: Activity) => (
    <>
      {t(`scan.test.sources.${from}`)}
      <small>{at.slice(11, 19)} UTC</small>
      <small>{detail}</small>
    </>
  );
  const text = ({ text: said, bytes }: Activity) => (
    <>
      <code>{said}</code>
      <small>
        <code>{hex(bytes)}</code>
      </small>
    </>
  );
  const millis = (timing: Activity["timing"]) =>
    timing ? t("scan.test.millis", { mean: timing.meanMs.toFixed(1), max: timing.maxMs.toFixed(1) }) : "–";
  return (
    <div data-testid="scanner-activities">
      <DataTable
        rows={activities.slice(0, shownMax)}
        keyOf={({ id }) => id}
        columns={[
          [t("scan.test.source"), source],
          [t("scan.test.text"), text],
          [t("scan.test.symbology"), ({ symbology }) => symbology ?? "–"],
          [t("scan.test.timing"), ({ timing }) => millis(timing)],
          [t("scan.test.result"), ({ fault }) => t(fault === null ? "scan.test.isId" : `scan.test.faults.${fault}`)],
        ]}
      />
    </div>
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
  const name = `scanner-test-${report.exportedAt.slice(0, 19).replaceAll(":", "-")}.json`;
  saveFile(name, "application/json", JSON.stringify(report, null, 2));
};

const noScan = (): void => undefined;

/** The manager's test screen: shows what each scanner sends and what it was read as, learns slow ones, exports. Nothing here reaches the terminal. */
export const ScannerTest = () => {
  const { settings } = useSnapshot();
  const engines = useScannerState((state) => state.engines);
  const devices = useScannerState((state) => state.devices);
  const alone = engines.length === 1;
  return (
    <div className={page.stack}>
      <div className={classes.top}>
        <section className={page.stack} aria-label={t("scan.camera")}>
          <div className={classes.camera}>
            {settings.camera.enabled ? <CameraPreview active onScan={noScan} /> : <p>{t("scan.test.cameraOff")}</p>}
          </div>
          {alone && <p>{t("scan.test.engineAlone")}</p>}
        </section>
        <div className={page.stack}>
          <Section title={t("scan.test.keyboard")}>
            <LearnScanner />
          </Section>
          <Section title={t("scan.test.devices")}>
            {(["hid", "serial"] as const).map((kind) => (
              <div key={kind} className={page.row}>
                <Button size="sm" disabled={devices[kind] === "unsupported"} onClick={() => void chooseDevice(kind)}>
                  {t(`scan.test.choose.${kind}`)}
                </Button>
                <span>{t(`scan.test.deviceStates.${devices[kind]}`)}</span>
              </div>
            ))}
          </Section>
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
