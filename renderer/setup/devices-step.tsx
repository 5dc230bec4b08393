/** The devices: each has a row that says how it is, and a page on which it is found, tried and chosen. */

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
import { t } from "i18next";
import { type ReactNode, useEffect, useState } from "react";
import type { Settings } from "../../preload/contract.ts";
import { useScannerState } from "../scan/activity.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { chooseDevice } from "../scan/usb/usb-scanner.ts";
import { useCommands } from "../ui/command-context.tsx";
import { play } from "../ui/sounds.ts";
import { DrawerPage, isPrinterSet, PrinterPage, placeOf, usePrinterSearch } from "./printer-pages.tsx";
import classes from "./setup.module.css";
import { StepPage, useSettingsChange } from "./step-page.tsx";

const iconProps = { size: 34, stroke: 1.8, "aria-hidden": true } as const;

interface CameraPageProps {
  readonly settings: Settings;
  /** Called with whether a code was read. */
  readonly close: (hasRead: boolean) => void;
}

/** The camera's picture and the last code that it read; the scans stay on this page. */
const CameraPage = ({ settings, close }: CameraPageProps) => {
  const commands = useCommands();
  const [read, setRead] = useState<string | null>(null);
  return (
    <StepPage
      step="devices"
      title={t("devices.camera")}
      next={read === null ? t("devices.cameraNext") : t("devices.scanned", { text: read })}
      actions={{ main: { label: t("setup.good"), run: () => close(read !== null) } }}
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

/** A hand scanner that does not type: chosen once among what the system shows. */
const ScannerPage = ({ scanned, close }: Readonly<{ scanned: string | null; close: () => void }>) => {
  const devices = useScannerState((state) => state.devices);
  return (
    <StepPage
      step="devices"
      title={t("devices.scanner")}
      next={scanned === null ? t("devices.scannerNext") : t("devices.scanned", { text: scanned })}
      actions={{ main: { label: t("setup.good"), run: close } }}
    >
      <ul className={classes.devices}>
        {(["hid", "serial"] as const).map((kind) => (
          <DeviceRow
            key={kind}
            icon={<IconBarcode {...iconProps} />}
            name={t(`scan.test.choose.${kind}`)}
            result={t(`scan.test.deviceStates.${devices[kind]}`)}
            isGood={devices[kind] === "connected"}
            {...(devices[kind] !== "unsupported" && {
              action: { label: t("devices.setUp"), run: () => void chooseDevice(kind) },
            })}
          />
        ))}
      </ul>
    </StepPage>
  );
};

interface DeviceRowProps {
  readonly icon: ReactNode;
  readonly name: string;
  /** How it is, or what to do. */
  readonly result: string;
  readonly isGood: boolean;
  readonly action?: { readonly label: string; readonly run: () => void };
}

/** One device with its state, and what can be done about it. */
const DeviceRow = ({ icon, name, result, isGood, action }: DeviceRowProps) => (
  <li className={classes.device} data-good={isGood || undefined}>
    {isGood ? <IconCircleCheck size={34} aria-hidden /> : icon}
    <div>
      <strong>{name}</strong>
      <span role="status">{result}</span>
    </div>
    {action && (
      <Button aria-label={`${name}: ${action.label}`} onClick={action.run}>
        {action.label}
      </Button>
    )}
  </li>
);

interface DevicesStepProps {
  readonly settings: Settings;
  readonly next: () => void;
  readonly later: () => void;
}

/** Camera, scanner, printer, drawer and sound; and whether the drawer's money is counted here. Printers are looked for at once. */
export const DevicesStep = ({ settings, next, later }: DevicesStepProps) => {
  const change = useSettingsChange();
  const [page, setPage] = useState<"camera" | "scanner" | "printer" | "drawer" | null>(null);
  const [camera, setCamera] = useState<"untried" | "read" | "seen">("untried");
  const [hasPlayed, setHasPlayed] = useState(false);
  const scanned = useLatestScan();
  const search = usePrinterSearch();
  const close = (): void => setPage(null);
  const { drawer, drawerMoney, printer } = settings;

  if (page === "camera")
    return (
      <CameraPage
        settings={settings}
        close={(hasRead) => {
          setCamera(hasRead ? "read" : "seen");
          close();
        }}
      />
    );
  if (page === "scanner") return <ScannerPage scanned={scanned} close={close} />;
  if (page === "printer") return <PrinterPage settings={settings} search={search} close={close} />;
  if (page === "drawer") return <DrawerPage settings={settings} search={search} close={close} />;

  // A bare port is no printer yet; it can be tried on the page.
  const count = search.found?.filter(({ name, printer: { kind } }) => name !== null || kind === "network").length;
  const notFound = count === undefined ? t("devices.searching") : t("devices.noneFound");
  const drawerText = {
    simulated: t("settings.drawerSimulated"),
    none: t("devices.byHand"),
    printer: t("settings.drawerPrinter"),
    network: t("settings.drawerNetwork"),
  } as const;
  return (
    <StepPage
      step="devices"
      title={t("devices.title")}
      next={t("devices.next")}
      actions={{
        second: { label: t("setup.later"), run: later },
        main: {
          label: t("setup.go"),
          icon: <IconArrowRight size={34} aria-hidden />,
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
          action={{ label: t("devices.try"), run: () => setPage("camera") }}
        />
        <DeviceRow
          icon={<IconBarcode {...iconProps} />}
          name={t("devices.scanner")}
          result={scanned === null ? t("devices.scanNow") : t("devices.scanned", { text: scanned })}
          isGood={scanned !== null}
          {...(scanned === null && { action: { label: t("devices.nothingShows"), run: () => setPage("scanner") } })}
        />
        <DeviceRow
          icon={<IconPrinter {...iconProps} />}
          name={t("settings.printer")}
          result={isPrinterSet(printer) ? placeOf(printer) : count ? t("devices.found", { count }) : notFound}
          isGood={isPrinterSet(printer)}
          action={{ label: t("devices.setUp"), run: () => setPage("printer") }}
        />
        <DeviceRow
          icon={<IconCashRegister {...iconProps} />}
          name={t("settings.drawer")}
          result={drawerText[drawer.kind]}
          isGood={drawer.kind === "printer" || drawer.kind === "network"}
          action={{ label: t("devices.setUp"), run: () => setPage("drawer") }}
        />
        <DeviceRow
          icon={<IconCash {...iconProps} />}
          name={t("devices.drawerMoney")}
          result={t(drawerMoney.enabled ? "devices.drawerMoneyOn" : "devices.drawerMoneyOff")}
          isGood={drawerMoney.enabled}
          action={{
            label: t(drawerMoney.enabled ? "devices.countElsewhere" : "devices.countHere"),
            run: () => void change({ drawerMoney: { ...drawerMoney, enabled: !drawerMoney.enabled } }),
          }}
        />
        <DeviceRow
          icon={<IconVolume {...iconProps} />}
          name={t("settings.sound")}
          result={hasPlayed ? t("devices.soundPlayed") : t("devices.soundNext")}
          isGood={hasPlayed}
          action={{
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
