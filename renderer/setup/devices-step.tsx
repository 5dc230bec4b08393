/** The devices: each has a row that says how it is, and a page on which it is found, tried and chosen. */
import { Button } from "@mantine/core";
import {
  type Icon,
  IconArrowRight,
  IconBarcode,
  IconCamera,
  IconCash,
  IconCashRegister,
  IconPrinter,
  IconVolume,
} from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useState } from "react";
import { useScannerState } from "../scan/activity.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { chooseDevice } from "../scan/usb/usb-scanner.ts";
import { useSettingsChange } from "../ui/command-context.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import { play } from "../ui/sounds.ts";
import { DeviceRow, DrawerPage, PrinterPage, placeOf, usePrinterSearch } from "./printer-pages.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

interface RowProps {
  readonly icon: Icon;
  readonly name: string;
  readonly says: string;
  readonly isGood: boolean;
  /** What its button says and does. */
  readonly action?: readonly [label: string, run: () => void] | false;
}

const Row = ({ icon: Sign, action, ...row }: RowProps) => (
  <DeviceRow {...row} icon={<Sign size={34} stroke={1.8} aria-hidden />}>
    {action && (
      <Button aria-label={`${row.name}: ${action[0]}`} onClick={action[1]}>
        {action[0]}
      </Button>
    )}
  </DeviceRow>
);

/** The camera's picture and the last code that it read; the scans stay on this page. @param props.close is told whether one was read. */
const CameraPage = ({ close }: { readonly close: (hasRead: boolean) => void }) => {
  const [read, setRead] = useState<string | null>(null);
  return (
    <StepPage
      step="devices"
      title={t("devices.camera")}
      next={read === null ? t("devices.cameraNext") : t("devices.scanned", { text: read })}
      actions={{ main: { label: t("setup.good"), run: () => close(read !== null) } }}
    >
      <div className={classes.camera}>
        <CameraPreview active isAlwaysOn onScan={({ text }) => setRead(text)} />
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
          <Row
            key={kind}
            icon={IconBarcode}
            name={t(`scan.test.choose.${kind}`)}
            says={t(`scan.test.deviceStates.${devices[kind]}`)}
            isGood={devices[kind] === "connected"}
            action={devices[kind] !== "unsupported" && [t("devices.setUp"), () => void chooseDevice(kind)]}
          />
        ))}
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
    const fresh = activities.find((one) => !before.has(one) && ["keyboard", "hid", "serial"].includes(one.source));
    if (fresh) setText(fresh.text);
  }, [activities, before]);
  return text;
};

/** Camera, scanner, printer, drawer and sound; and whether the drawer's money is counted here. Printers are looked for at once. */
export const DevicesStep = ({ next, later }: Readonly<{ next: () => void; later: () => void }>) => {
  const change = useSettingsChange();
  const [page, setPage] = useState<"camera" | "scanner" | "printer" | "drawer" | null>(null);
  const [camera, setCamera] = useState<"untried" | "read" | "seen">("untried");
  const [hasPlayed, setHasPlayed] = useState(false);
  const scanned = useLatestScan();
  const search = usePrinterSearch();
  const { camera: chosen, drawer, drawerMoney, printer, volume } = useSnapshot().settings;
  const close = (): void => setPage(null);
  const open = (label: string, to: typeof page) => [label, () => setPage(to)] as const;

  if (page === "camera")
    return (
      <CameraPage
        close={(hasRead) => {
          setCamera(hasRead ? "read" : "seen");
          close();
        }}
      />
    );
  if (page === "scanner") return <ScannerPage scanned={scanned} close={close} />;
  if (page === "printer") return <PrinterPage search={search} close={close} />;
  if (page === "drawer") return <DrawerPage search={search} close={close} />;

  // A bare port is no printer yet; it can be tried on the page.
  const count = search.found?.filter(({ name, printer: { kind } }) => name !== null || kind === "network").length;
  const found = count ? t("devices.found", { count }) : t(count === 0 ? "devices.noneFound" : "devices.searching");
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
        main: { label: t("setup.go"), icon: IconArrowRight, run: next },
      }}
    >
      <ul className={classes.devices}>
        <Row
          icon={IconCamera}
          name={t("devices.camera")}
          says={chosen.enabled ? t(`devices.cameraSays.${camera}`) : t("ready.cameraOff")}
          isGood={camera === "read"}
          action={open(t("devices.try"), "camera")}
        />
        <Row
          icon={IconBarcode}
          name={t("devices.scanner")}
          says={scanned === null ? t("devices.scanNow") : t("devices.scanned", { text: scanned })}
          isGood={scanned !== null}
          action={scanned === null && open(t("devices.nothingShows"), "scanner")}
        />
        <Row
          icon={IconPrinter}
          name={t("settings.printer")}
          says={printer.kind === "none" ? found : placeOf(printer)}
          isGood={printer.kind !== "none"}
          action={open(t("devices.setUp"), "printer")}
        />
        <Row
          icon={IconCashRegister}
          name={t("settings.drawer")}
          says={drawerText[drawer.kind]}
          isGood={drawer.kind === "printer" || drawer.kind === "network"}
          action={open(t("devices.setUp"), "drawer")}
        />
        <Row
          icon={IconCash}
          name={t("devices.drawerMoney")}
          says={t(drawerMoney.enabled ? "devices.drawerMoneyOn" : "devices.drawerMoneyOff")}
          isGood={drawerMoney.enabled}
          action={[
            t(drawerMoney.enabled ? "devices.countElsewhere" : "devices.countHere"),
            () => void change({ drawerMoney: { ...drawerMoney, enabled: !drawerMoney.enabled } }),
          ]}
        />
        <Row
          icon={IconVolume}
          name={t("settings.sound")}
          says={t(hasPlayed ? "devices.soundPlayed" : "devices.soundNext")}
          isGood={hasPlayed}
          action={[
            t("settings.soundTest"),
            () => {
              play("give", volume);
              setHasPlayed(true);
            },
          ]}
        />
      </ul>
    </StepPage>
  );
};
