import { Button } from "@mantine/core";
import {
  IconArrowRight,
  IconBarcode,
  IconCamera,
  IconCash,
  IconCashRegister,
  IconCircleCheck,
  IconPrinter,
  IconVolume,
} from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useScannerState } from "../scan/activity.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { play } from "../ui/sounds.ts";
import { type DeviceTest, useDrawerTest, usePrinterTest } from "../ui/use-device-test.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

interface CameraTestProps {
  readonly settings: Settings;
  /** Called with whether a code was read. */
  readonly close: (hasRead: boolean) => void;
}

/** The camera's picture and the last code that it read; the scans stay on this page. */
const CameraTest = ({ settings, close }: CameraTestProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [read, setRead] = useState<string | null>(null);
  return (
    <StepPage
      step="devices"
      title={t("devices.camera")}
      next={read === null ? t("devices.cameraNext") : t("devices.scanned", { text: read })}
      actions={{ main: { label: t("setup.good"), shortcut: "mainDeliberate", run: () => close(read !== null) } }}
    >
      <div className={classes.camera}>
        <CameraPreview
          active
          settings={{ ...settings, camera: { ...settings.camera, enabled: true } }}
          onScan={({ text }) => setRead(text)}
          onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
        />
      </div>
    </StepPage>
  );
};

interface DeviceRowProps {
  readonly icon: ReactNode;
  readonly name: string;
  /** Result of the last test, or what to do. */
  readonly result: string;
  readonly isGood: boolean;
  readonly test?: DeviceTest["test"];
}

/** One device with its state and a button that tests it. */
const DeviceRow = ({ icon, name, result, isGood, test }: DeviceRowProps) => (
  <li className={classes.device} data-good={isGood || undefined}>
    {isGood ? <IconCircleCheck size={34} aria-hidden /> : icon}
    <div>
      <strong>{name}</strong>
      <span role="status">{result}</span>
    </div>
    {test && (
      <Button size="md" variant="default" onClick={test.run}>
        {test.label}
      </Button>
    )}
  </li>
);

/** Whether the drawer's money is counted here: asked in the set-up, so that no shop begins with a day to open. */
const DrawerMoneyRow = ({ settings }: { readonly settings: Settings }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const { enabled } = settings.drawerMoney;
  const change = (): void =>
    void commands.dispatch({
      type: "change_settings",
      settings: { ...settings, drawerMoney: { ...settings.drawerMoney, enabled: !enabled } },
    });
  return (
    <DeviceRow
      icon={<IconCash size={34} stroke={1.8} aria-hidden />}
      name={t("devices.drawerMoney")}
      result={t(enabled ? "devices.drawerMoneyOn" : "devices.drawerMoneyOff")}
      isGood={enabled}
      test={{ label: t(enabled ? "devices.countElsewhere" : "devices.countHere"), run: change }}
    />
  );
};

/** The receipt printer with its test. */
const PrinterRow = ({ printer }: Pick<Settings, "printer">) => {
  const { t } = useTranslation();
  return (
    <DeviceRow
      icon={<IconPrinter size={34} stroke={1.8} aria-hidden />}
      name={t("settings.printer")}
      {...usePrinterTest(printer)}
    />
  );
};

interface DevicesPartProps {
  readonly settings: Settings;
  readonly next: () => void;
  readonly later: () => void;
}

/** Camera, scanner, drawer, printer and sound, each with a test; and whether the drawer's money is counted here. */
export const DevicesPart = ({ settings, next, later }: DevicesPartProps) => {
  const { t } = useTranslation();
  const [isCameraOpen, setCameraOpen] = useState(false);
  const [camera, setCamera] = useState<"untried" | "read" | "seen">("untried");
  const drawer = useDrawerTest(settings.drawer);
  const [hasPlayed, setHasPlayed] = useState(false);
  const scanned = useLatestScan();

  if (isCameraOpen)
    return (
      <CameraTest
        settings={settings}
        close={(hasRead) => {
          setCamera(hasRead ? "read" : "seen");
          setCameraOpen(false);
        }}
      />
    );
  const iconProps = { size: 34, stroke: 1.8, "aria-hidden": true } as const;
  return (
    <StepPage
      step="devices"
      title={t("devices.title")}
      next={t("devices.next")}
      actions={{
        second: { label: t("setup.later"), shortcut: "secondDeliberate", run: later },
        main: {
          label: t("setup.go"),
          icon: <IconArrowRight size={34} aria-hidden />,
          shortcut: "mainDeliberate",
          run: next,
        },
      }}
    >
      <ul className={classes.devices}>
        <DeviceRow
          icon={<IconCamera {...iconProps} />}
          name={t("devices.camera")}
          result={settings.camera.enabled ? t(`devices.cameraSays.${camera}`) : t("ready.cameraOff")}
          isGood={camera === "read"}
          test={{ label: t("devices.tryCamera"), run: () => setCameraOpen(true) }}
        />
        <DeviceRow
          icon={<IconBarcode {...iconProps} />}
          name={t("devices.scanner")}
          result={scanned === null ? t("devices.scanNow") : t("devices.scanned", { text: scanned })}
          isGood={scanned !== null}
        />
        <DeviceRow icon={<IconCashRegister {...iconProps} />} name={t("settings.drawer")} {...drawer} />
        <PrinterRow printer={settings.printer} />
        <DrawerMoneyRow settings={settings} />
        <DeviceRow
          icon={<IconVolume {...iconProps} />}
          name={t("settings.sound")}
          result={hasPlayed ? t("devices.soundPlayed") : t("devices.soundNext")}
          isGood={hasPlayed}
          test={{
            label: t("settings.soundTest"),
            run: () => {
              play("give", settings.volume);
              setHasPlayed(true);
            },
          }}
        />
      </ul>
    </StepPage>
  );
};

/** The last scan of a hand scanner since this part was opened; it stays on this page. */
const useLatestScan = (): string | null => {
  const activities = useScannerState((state) => state.activities);
  const [before] = useState(() => new Set(activities));
  const [text, setText] = useState<string | null>(null);
  useEffect(() => {
    const fresh = activities.find(
      (one) => !before.has(one) && (one.source === "keyboard" || one.source === "hid" || one.source === "serial"),
    );
    if (fresh) setText(fresh.text);
  }, [activities, before]);
  return text;
};
