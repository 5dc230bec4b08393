import { IconArrowRight, IconBarcode, IconCamera, IconCashRegister, IconVolume } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Settings } from "../../preload/contract.ts";
import { useScannerState } from "../scan/activity.ts";
import { play } from "../ui/sounds.ts";
import { useDrawerTest } from "../ui/use-device-test.ts";
import { CameraTest } from "./camera-test.tsx";
import { DeviceRow } from "./device-row.tsx";
import { DrawerMoneyRow } from "./drawer-money-row.tsx";
import { PrinterRow } from "./printer-row.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

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
