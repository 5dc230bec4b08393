/** The devices: each has a row that says how it is, and a page on which it is found, tried and chosen. Only a person can say what a try did. */

import { Button, TextInput } from "@mantine/core";
import {
  type Icon,
  IconArrowRight,
  IconBarcode,
  IconCamera,
  IconCash,
  IconCashRegister,
  IconCircleCheck,
  IconHandStop,
  IconPrinter,
  IconRefresh,
  IconVolume,
} from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useState } from "react";
import { defaultPrinterPort, drawerPins, usualPulse } from "../../preload/choices.ts";
import type { DrawerResult, FoundPrinter, PrinterTest, Reply, Settings } from "../../preload/contract.ts";
import { isDeviceHost } from "../../preload/device-address.ts";
import { useScannerState } from "../scan/activity.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { chooseDevice } from "../scan/usb/usb-scanner.ts";
import page from "../ui/page.module.css";
import { useQuery } from "../ui/query.tsx";
import { play } from "../ui/sounds.ts";
import { RefusalText, useCommands, useSettingsChange, useSnapshot } from "../ui/terminal.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

type Device = Settings["printer"] | Settings["drawer"];

/** Where a printer is, as a person can compare it with what is written on the printer; the usual port goes without saying. */
const placeOf = (device: Device): string => {
  if (device.kind === "network") return device.host + (device.port === defaultPrinterPort ? "" : `:${device.port}`);
  return device.kind === "serial" ? device.path : "";
};

interface DeviceRowProps {
  readonly icon: Icon;
  readonly name: string;
  readonly place?: string;
  /** How it is, or what to do. */
  readonly says: string;
  readonly isGood?: boolean;
  /** The result of a try, for the stylesheet. */
  readonly state?: string;
  /** What its button says and does. */
  readonly action?: readonly [label: string, run: () => void] | false;
  readonly children?: ReactNode;
}

/** One device with its state, and what can be done about it. */
const DeviceRow = ({ icon: Sign, name, place, says, isGood, state, action, children }: DeviceRowProps) => (
  <li className={classes.device} data-good={isGood || undefined} data-row={state}>
    {isGood ? <IconCircleCheck size={34} aria-hidden /> : <Sign size={34} stroke={1.8} aria-hidden />}
    <div>
      <strong>{name}</strong>
      {place !== undefined && <span>{place}</span>}
      <span role="status">{says}</span>
    </div>
    {action && (
      <Button aria-label={`${name}: ${action[0]}`} onClick={action[1]}>
        {action[0]}
      </Button>
    )}
    {children}
  </li>
);

/** The result of a try: something to look at, or why there is nothing. */
interface Tried {
  readonly text: string;
  /** `answered`: it is there, and did nothing that could be seen. */
  readonly state: "asking" | "answered" | "failed";
}

interface TryRowProps extends Required<Pick<DeviceRowProps, "icon" | "name" | "place">> {
  readonly inUse: boolean;
  readonly attempt: () => Promise<Tried>;
  /** Asked once something was to be seen. */
  readonly question: string;
  /** Chooses it, and leaves the page. */
  readonly yes: () => Promise<Reply>;
  readonly no?: () => void;
}

/** One that can be tried. Only a person knows what happened, so the row asks. */
const TryRow = ({ icon, name, place, inUse, attempt, question, yes, no }: TryRowProps) => {
  const [{ state, text }, setTried] = useState<{ state: Tried["state"] | "idle" | "trying"; text: string }>({
    state: "idle",
    text: "",
  });
  const tryIt = async (): Promise<void> => {
    setTried({ state: "trying", text: t("devices.trying") });
    setTried(await attempt());
  };
  const choose = async (): Promise<void> => {
    setTried({ state: "trying", text: "" });
    const reply = await yes();
    if (!reply.ok) setTried({ state: "failed", text: t(`refusals.${reply.code}`) });
  };
  const decline = (): void => {
    setTried({ state: "failed", text: t("devices.notThis") });
    no?.();
  };
  return (
    <DeviceRow
      icon={icon}
      name={name}
      place={inUse ? `${place} · ${t("devices.inUse")}` : place}
      says={state === "asking" ? `${text} ${question}` : text}
      isGood={inUse && state !== "failed" && state !== "answered"}
      state={state}
    >
      {state === "asking" ? (
        <>
          <Button variant="filled" onClick={() => void choose()}>
            {t("devices.yes")}
          </Button>
          <Button onClick={decline}>{t("devices.no")}</Button>
        </>
      ) : (
        <>
          {state === "answered" && <Button onClick={() => void choose()}>{t("devices.useIt")}</Button>}
          <Button
            loading={state === "trying"}
            aria-label={`${name}, ${place}: ${t("devices.try")}`}
            onClick={() => void tryIt()}
          >
            {t("devices.try")}
          </Button>
        </>
      )}
    </DeviceRow>
  );
};

const paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" } as const;

/** Looks for printers when it is first used, and again on a press. `found` is null while they are looked for. */
const usePrinterSearch = () => {
  const { state, refetch } = useQuery<readonly FoundPrinter[]>({ type: "find_printers" });
  return { found: state.kind === "asking" ? null : state.kind === "answered" ? state.data : [], again: refetch };
};

interface PageProps {
  readonly search: ReturnType<typeof usePrinterSearch>;
  readonly close: () => void;
}

/** What was found, and the one whose address was typed. */
const useFound = ({ search: { found, again }, close }: PageProps) => {
  const change = useSettingsChange();
  const [host, setHost] = useState("");
  const known = found ?? [];
  const isNew = isDeviceHost(host) && !known.some(({ printer }) => placeOf(printer) === host);
  const typed: FoundPrinter = { name: null, printer: { kind: "network", host, port: defaultPrinterPort, ...paper } };
  return {
    again,
    close,
    host,
    setHost,
    /** Keeps a choice and leaves the page; a refused one leaves it open. */
    choose: async (part: Partial<Settings>): Promise<Reply> => {
      const reply = await change(part);
      if (reply.ok) close();
      return reply;
    },
    isSearching: found === null,
    printers: isNew ? [...known, typed] : known,
  };
};

type Found = ReturnType<typeof useFound>;

/** A port that answers to no name may have none. */
const isPrinter = ({ name, printer }: FoundPrinter): boolean => name !== null || printer.kind === "network";

/** Serial ports and printers of the network by what they say they are. */
const nameOf = ({ name, printer }: FoundPrinter): string =>
  name ?? t(printer.kind === "network" ? "devices.inNetwork" : "devices.atPort");

/** The result of a test; a refused one has failed. */
const triedOf = <Result,>(reply: Reply, read: (result: Result) => Tried): Tried =>
  reply.ok ? read(reply.data as Result) : { text: t(`refusals.${reply.code}`), state: "failed" };

interface FoundPageProps {
  readonly title: string;
  readonly next: string;
  readonly none: readonly [label: string, part: Partial<Settings>];
  readonly found: Found;
  readonly children: ReactNode;
}

/** What was found, and a field for one that is in another network than this machine, or did not answer in time. */
const FoundPage = ({ title, next, none: [label, part], found, children }: FoundPageProps) => {
  const [reply, setReply] = useState<Reply>({ ok: true });
  return (
    <StepPage
      step="devices"
      title={title}
      next={next}
      actions={{
        second: {
          label,
          icon: IconHandStop,
          run: () => void found.choose(part).then(setReply),
        },
        third: { label: t("devices.searchAgain"), icon: IconRefresh, run: found.again },
        main: { label: t("setup.good"), run: found.close },
      }}
    >
      <ul className={classes.devices}>{children}</ul>
      <RefusalText refusal={reply.ok ? null : reply.code} />
      <TextInput
        maw={480}
        size="lg"
        label={t("devices.address")}
        placeholder="192.168.1.50"
        value={found.host}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => found.setHost(event.currentTarget.value.trim())}
      />
    </StepPage>
  );
};

/** The printers that were found, one that is named by its address, and none. A try changes nothing: what is used follows from a Yes. */
const PrinterPage = (props: PageProps) => {
  const { dispatch } = useCommands();
  const found = useFound(props);
  const used = useSnapshot().settings.printer;
  const isUsed = ({ printer }: FoundPrinter): boolean => placeOf(printer) === placeOf(used);
  const { printers } = found;
  // The one in use comes first, also when it was chosen by hand or is off now.
  const inUse = used.kind === "none" ? [] : [{ name: printers.find(isUsed)?.name ?? null, printer: used }];
  const attempt = async ({ printer }: FoundPrinter): Promise<Tried> =>
    triedOf(await dispatch({ type: "test_printer", printer }), (result: PrinterTest) => {
      if (result === "printed") return { text: t("devices.sent"), state: "asking" };
      const text = t("devices.testFailed", { why: t(`printing.why.${result}`) });
      return { text, state: result === "no_paper" || result === "cover_open" ? "answered" : "failed" };
    });
  return (
    <FoundPage
      title={t("devices.printerTitle")}
      next={t(props.search.found?.length === 0 ? "devices.foundNone" : "devices.printerNext")}
      none={[t("devices.noPrinter"), { printer: { kind: "none" } }]}
      found={found}
    >
      {[...inUse, ...printers.filter((one) => !isUsed(one))].map((one) => (
        <TryRow
          key={placeOf(one.printer)}
          icon={IconPrinter}
          name={nameOf(one)}
          place={placeOf(one.printer)}
          inUse={isUsed(one)}
          attempt={() => attempt(one)}
          question={t("devices.didPrint")}
          yes={() => found.choose({ printer: one.printer })}
        />
      ))}
      {found.isSearching && <DeviceRow icon={IconRefresh} name="" says={t("devices.searching")} />}
    </FoundPage>
  );
};

interface DrawerRowProps {
  readonly name: string;
  readonly place: string;
  readonly at:
    | { readonly kind: "printer" }
    | { readonly kind: "network"; readonly host: string; readonly port: number };
  readonly found: Found;
}

/** A drawer at one printer. A try changes nothing: what is used follows from a Yes. */
const DrawerRow = ({ name, place, at, found }: DrawerRowProps) => {
  const { dispatch } = useCommands();
  const used = useSnapshot().settings.drawer;
  const isAt = used.kind === at.kind && (used.kind !== "network" || placeOf(used) === place);
  const pulse = isAt && "pulse" in used ? used.pulse : usualPulse;
  /** Nearly all drawers are on the first contact; a No tries the other one. */
  const [pin, setPin] = useState(pulse.pin);
  const [isSilent, setSilent] = useState(false);
  const drawer = { ...at, sensor: true, pulse: { ...pulse, pin } };
  return (
    <TryRow
      icon={IconCashRegister}
      name={pin === usualPulse.pin ? name : t("devices.otherContact", { name })}
      place={place}
      inUse={isAt && pulse.pin === pin}
      attempt={async () =>
        triedOf(await dispatch({ type: "test_drawer", drawer }), (result: DrawerResult) => {
          setSilent(result === "unknown");
          return { text: t(`devices.drawerSays.${result}`), state: result === "failed" ? "failed" : "asking" };
        })
      }
      question={t("devices.didOpen")}
      // It opened and its printer did not say so: there is no switch that could.
      yes={() => found.choose({ drawer: { ...drawer, sensor: !isSilent } })}
      no={() => setPin(pin === drawerPins[0] ? drawerPins[1] : drawerPins[0])}
    />
  );
};

/** What opens the drawer: the receipt printer, another printer of the network, or a hand. */
const DrawerPage = (props: PageProps) => {
  const found = useFound(props);
  const { printer } = useSnapshot().settings;
  // A printer at a port opens it as the receipt printer alone.
  const others = found.printers.flatMap(({ name, printer: one }) =>
    one.kind === "network" && placeOf(one) !== placeOf(printer) ? [{ name, printer: one }] : [],
  );
  const isThere = printer.kind !== "none";
  const hasNone = !isThere && !found.isSearching && !found.printers.some(isPrinter);
  return (
    <FoundPage
      title={t("devices.drawerTitle")}
      next={t(hasNone ? "devices.drawerNoPrinter" : "devices.drawerNext")}
      none={[t("devices.byHand"), { drawer: { kind: "none" } }]}
      found={found}
    >
      {isThere && (
        <DrawerRow name={t("settings.drawerPrinter")} place={placeOf(printer)} at={{ kind: "printer" }} found={found} />
      )}
      {others.map((one) => {
        const { kind, host, port } = one.printer;
        const place = placeOf(one.printer);
        return <DrawerRow key={place} name={nameOf(one)} place={place} at={{ kind, host, port }} found={found} />;
      })}
      {!isThere && found.isSearching && <li className={page.soft}>{t("devices.searching")}</li>}
    </FoundPage>
  );
};

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
          <DeviceRow
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
  const fresh = activities.find((one) => !before.has(one) && ["keyboard", "hid", "serial"].includes(one.source));
  return fresh?.text ?? null;
};

/** Camera, scanner, printer, drawer and sound; and whether the drawer's money is counted here. Printers are looked for at once. */
export const DevicesStep = ({ next, later }: Readonly<{ next: () => void; later: () => void }>) => {
  const change = useSettingsChange();
  const [shown, show] = useState<"camera" | "scanner" | "printer" | "drawer" | null>(null);
  const [camera, setCamera] = useState<"untried" | "read" | "seen">("untried");
  const [hasPlayed, setHasPlayed] = useState(false);
  const scanned = useLatestScan();
  const search = usePrinterSearch();
  const { camera: chosen, drawer, drawerMoney, printer, volume } = useSnapshot().settings;
  const close = (): void => show(null);
  const open = (label: string, to: typeof shown) => [label, () => show(to)] as const;

  if (shown === "camera")
    return (
      <CameraPage
        close={(hasRead) => {
          setCamera(hasRead ? "read" : "seen");
          close();
        }}
      />
    );
  if (shown === "scanner") return <ScannerPage scanned={scanned} close={close} />;
  if (shown === "printer") return <PrinterPage search={search} close={close} />;
  if (shown === "drawer") return <DrawerPage search={search} close={close} />;

  // A bare port is no printer yet; it can be tried on the page.
  const count = search.found?.filter(isPrinter).length;
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
        <DeviceRow
          icon={IconCamera}
          name={t("devices.camera")}
          says={chosen.enabled ? t(`devices.cameraSays.${camera}`) : t("ready.cameraOff")}
          isGood={camera === "read"}
          action={open(t("devices.try"), "camera")}
        />
        <DeviceRow
          icon={IconBarcode}
          name={t("devices.scanner")}
          says={scanned === null ? t("devices.scanNow") : t("devices.scanned", { text: scanned })}
          isGood={scanned !== null}
          action={scanned === null && open(t("devices.nothingShows"), "scanner")}
        />
        <DeviceRow
          icon={IconPrinter}
          name={t("settings.printer")}
          says={printer.kind === "none" ? found : placeOf(printer)}
          isGood={printer.kind !== "none"}
          action={open(t("devices.setUp"), "printer")}
        />
        <DeviceRow
          icon={IconCashRegister}
          name={t("settings.drawer")}
          says={drawerText[drawer.kind]}
          isGood={drawer.kind === "printer" || drawer.kind === "network"}
          action={open(t("devices.setUp"), "drawer")}
        />
        <DeviceRow
          icon={IconCash}
          name={t("devices.drawerMoney")}
          says={t(drawerMoney.enabled ? "devices.drawerMoneyOn" : "devices.drawerMoneyOff")}
          isGood={drawerMoney.enabled}
          action={[
            t(drawerMoney.enabled ? "devices.countElsewhere" : "devices.countHere"),
            () => void change({ drawerMoney: { ...drawerMoney, enabled: !drawerMoney.enabled } }),
          ]}
        />
        <DeviceRow
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
