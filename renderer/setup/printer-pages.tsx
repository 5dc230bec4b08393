/** Which printer prints, and what opens the drawer: whatever was found is tried, and a person says what it did. */
import { Button, TextInput } from "@mantine/core";
import { IconCashRegister, IconCircleCheck, IconHandStop, IconPrinter, IconRefresh } from "@tabler/icons-react";
import { type ReactNode, useCallback, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DrawerTest, FoundPrinter, PrinterTest, Settings } from "../../preload/contract.ts";
import { isDeviceHost } from "../../preload/device-address.ts";
import { defaultPrinterPort, drawerPins, usualPulse } from "../../preload/printer-choices.ts";
import { useCommands } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import classes from "./setup.module.css";
import { StepPage, useSettingsChange } from "./step-page.tsx";

type PrinterSettings = Settings["printer"];
type DrawerSettings = Settings["drawer"];

/** Whether one was chosen. */
export const isPrinterSet = ({ kind }: PrinterSettings): boolean => kind !== "none";

/** Where a printer is, as a person can compare it with what is written on the printer. */
export const placeOf = (printer: PrinterSettings): string => {
  if (printer.kind === "none") return "";
  return printer.kind === "serial" ? printer.path : printer.host;
};

/** What was found; null while it is looked for. */
interface PrinterSearch {
  readonly found: readonly FoundPrinter[] | null;
  readonly again: () => void;
}

/** Looks for printers when it is first used, and again on a press. */
export const usePrinterSearch = (): PrinterSearch => {
  const { dispatch } = useCommands();
  const [found, setFound] = useState<readonly FoundPrinter[] | null>(null);
  const [turn, setTurn] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each press, whatever else is drawn anew
  useEffect(() => {
    let isCurrent = true;
    setFound(null);
    void dispatch({ type: "find_printers" }).then((reply) => {
      if (isCurrent) setFound(reply.ok && Array.isArray(reply.data) ? (reply.data as readonly FoundPrinter[]) : []);
    });
    return () => {
      isCurrent = false;
    };
  }, [turn]);
  return { found, again: useCallback(() => setTurn((now) => now + 1), []) };
};

/** What came of a try: something to look at, or why there is nothing. */
interface Tried {
  readonly text: string;
  readonly isDone: boolean;
}

interface TryRowProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly place: string;
  readonly inUse: boolean;
  readonly attempt: () => Promise<Tried>;
  /** Asked once something was to be seen. */
  readonly question: string;
  readonly yes: () => void;
  readonly no: () => void;
}

type RowState = { readonly kind: "idle" | "trying" | "asking"; readonly text: string };

/** One that can be tried. Only a person knows what happened, so the row asks. */
const TryRow = ({ icon, name, place, inUse, attempt, question, yes, no }: TryRowProps) => {
  const { t } = useTranslation();
  const [state, setState] = useState<RowState>({ kind: "idle", text: "" });
  const tryIt = (): void => {
    setState({ kind: "trying", text: t("devices.trying") });
    void attempt().then(({ text, isDone }) => setState({ kind: isDone ? "asking" : "idle", text }));
  };
  const answer = (then: () => void, text: string) => (): void => {
    setState({ kind: "idle", text });
    then();
  };
  return (
    <li className={classes.device} data-good={inUse || undefined} data-asking={state.kind === "asking" || undefined}>
      {inUse ? <IconCircleCheck size={34} aria-hidden /> : icon}
      <div>
        <strong>{name}</strong>
        <span>{place}</span>
        <span role="status">{state.kind === "asking" ? `${state.text} ${question}` : state.text}</span>
      </div>
      {state.kind === "asking" ? (
        <>
          <Button size="md" onClick={answer(yes, "")}>
            {t("devices.yes")}
          </Button>
          <Button size="md" variant="default" onClick={answer(no, t("devices.notThis"))}>
            {t("devices.no")}
          </Button>
        </>
      ) : (
        <Button
          size="md"
          variant="default"
          loading={state.kind === "trying"}
          aria-label={`${name}, ${place}: ${t("devices.try")}`}
          onClick={tryIt}
        >
          {t("devices.try")}
        </Button>
      )}
    </li>
  );
};

interface PageProps {
  readonly settings: Settings;
  readonly search: PrinterSearch;
  readonly close: () => void;
}

const iconProps = { size: 34, stroke: 1.8, "aria-hidden": true } as const;
const paper = { model: "generic", columns: 42, codePage: "auto", receipts: "customer" } as const;

/** Serial ports and printers of the network by what they say they are. */
const useNames = () => {
  const { t } = useTranslation();
  return ({ name, printer }: FoundPrinter): string =>
    name ?? t(printer.kind === "network" ? "devices.inNetwork" : "devices.atPort");
};

interface AddressFieldProps {
  readonly host: string;
  readonly change: (host: string) => void;
}

/** For one that is in another network than this machine, or did not answer in time. */
const AddressField = ({ host, change }: AddressFieldProps) => {
  const { t } = useTranslation();
  return (
    <TextInput
      maw={480}
      size="lg"
      label={t("devices.address")}
      placeholder="192.168.1.50"
      value={host}
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => change(event.currentTarget.value.trim())}
    />
  );
};

/** The printer at an address that was typed; null as long as it cannot be one, and where it was found anyway. */
const typedPrinter = (host: string, found: PrinterSearch["found"]): FoundPrinter | null =>
  host === "" || !isDeviceHost(host) || (found ?? []).some(({ printer }) => placeOf(printer) === host)
    ? null
    : { name: null, printer: { kind: "network", host, port: defaultPrinterPort, ...paper } };

/** The printers that were found, one that is named by its address, and none. */
export const PrinterPage = ({ settings, search, close }: PageProps) => {
  const { t } = useTranslation();
  const { dispatch } = useCommands();
  const change = useSettingsChange();
  const nameOf = useNames();
  const [host, setHost] = useState("");
  const { printer: used } = settings;
  const isSet = isPrinterSet(used);
  const typed = typedPrinter(host, search.found);
  const places = new Set((search.found ?? []).map(({ printer }) => placeOf(printer)));
  // One that was chosen by hand, or is off now, stays in the list.
  const listed = [
    ...(isSet && !places.has(placeOf(used)) ? [{ name: null, printer: used }] : []),
    ...(search.found ?? []),
  ];

  const attempt = (printer: PrinterSettings) => async (): Promise<Tried> => {
    const chosen = await change({ printer });
    const reply = chosen.ok ? await dispatch({ type: "test_printer" }) : chosen;
    if (!reply.ok) return { text: t(`refusals.${reply.code}`), isDone: false };
    const result = reply.data as PrinterTest;
    if (result === "printed") return { text: t("devices.sent"), isDone: true };
    return { text: t("printing.notPrinted", { why: t(`printing.why.${result}`) }), isDone: false };
  };
  const row = (found: FoundPrinter) => (
    <TryRow
      key={placeOf(found.printer)}
      icon={<IconPrinter {...iconProps} />}
      name={nameOf(found)}
      place={placeOf(found.printer)}
      inUse={isSet && placeOf(found.printer) === placeOf(used)}
      attempt={attempt(found.printer)}
      question={t("devices.didPrint")}
      yes={close}
      no={() => void change({ printer: { kind: "none" } })}
    />
  );
  return (
    <StepPage
      step="devices"
      title={t("devices.printerTitle")}
      next={search.found?.length === 0 ? t("devices.foundNone") : t("devices.printerNext")}
      actions={{
        second: {
          label: t("devices.noPrinter"),
          icon: <IconHandStop size={30} aria-hidden />,
          shortcut: "secondDeliberate",
          run: () => void change({ printer: { kind: "none" } }).then(close),
        },
        third: { label: t("devices.searchAgain"), icon: <IconRefresh size={30} aria-hidden />, run: search.again },
        main: { label: t("setup.good"), shortcut: "mainDeliberate", run: close },
      }}
    >
      <ul className={classes.devices}>
        {listed.map(row)}
        {search.found === null && (
          <li className={classes.device}>
            <IconRefresh {...iconProps} />
            <div>
              <span role="status">{t("devices.searching")}</span>
            </div>
          </li>
        )}
        {typed && row(typed)}
      </ul>
      <AddressField host={host} change={setHost} />
    </StepPage>
  );
};

/** What opens the drawer: the receipt printer, another printer of the network, or a hand. */
export const DrawerPage = ({ settings, search, close }: PageProps) => {
  const { t } = useTranslation();
  const { dispatch } = useCommands();
  const change = useSettingsChange();
  const nameOf = useNames();
  /** Nearly all drawers are on the first contact; a No tries the other one. */
  const [pin, setPin] = useState<(typeof drawerPins)[number]>(usualPulse.pin);
  const [isSilent, setSilent] = useState(false);
  const [host, setHost] = useState("");
  const { drawer: used, printer } = settings;
  const how = { sensor: true, pulse: { ...usualPulse, pin } };

  const attempt = (drawer: DrawerSettings) => async (): Promise<Tried> => {
    const chosen = await change({ drawer });
    const reply = chosen.ok ? await dispatch({ type: "test_drawer" }) : chosen;
    if (!reply.ok) return { text: t(`refusals.${reply.code}`), isDone: false };
    const result = reply.data as DrawerTest;
    setSilent(result === "unknown");
    return { text: t(`devices.drawerSays.${result}`), isDone: result !== "failed" };
  };
  const row = (name: string, place: string, drawer: Extract<DrawerSettings, { kind: "printer" | "network" }>) => (
    <TryRow
      key={`${place} ${pin}`}
      icon={<IconCashRegister {...iconProps} />}
      name={pin === usualPulse.pin ? name : t("devices.otherContact", { name })}
      place={place}
      inUse={used.kind === drawer.kind && (used.kind !== "network" || used.host === place)}
      attempt={attempt(drawer)}
      question={t("devices.didOpen")}
      yes={() => {
        // It opened and its printer did not say so: there is no switch that could.
        if (isSilent) void change({ drawer: { ...drawer, sensor: false } });
        close();
      }}
      no={() => {
        void change({ drawer: { kind: "none" } });
        setPin(pin === drawerPins[0] ? drawerPins[1] : drawerPins[0]);
      }}
    />
  );
  const typed = typedPrinter(host, search.found);
  const others = [...(search.found ?? []), ...(typed ? [typed] : [])].filter(
    ({ printer: found }) => placeOf(found) !== placeOf(printer),
  );
  return (
    <StepPage
      step="devices"
      title={t("devices.drawerTitle")}
      next={t("devices.drawerNext")}
      actions={{
        second: {
          label: t("devices.byHand"),
          icon: <IconHandStop size={30} aria-hidden />,
          shortcut: "secondDeliberate",
          run: () => void change({ drawer: { kind: "none" } }).then(close),
        },
        third: { label: t("devices.searchAgain"), icon: <IconRefresh size={30} aria-hidden />, run: search.again },
        main: { label: t("setup.good"), shortcut: "mainDeliberate", run: close },
      }}
    >
      <ul className={classes.devices}>
        {isPrinterSet(printer) && row(t("settings.drawerPrinter"), placeOf(printer), { kind: "printer", ...how })}
        {others.map((found) =>
          found.printer.kind === "network"
            ? row(nameOf(found), found.printer.host, {
                kind: "network",
                host: found.printer.host,
                port: found.printer.port,
                ...how,
              })
            : null,
        )}
      </ul>
      {!isPrinterSet(printer) && others.length === 0 && (
        <p className={page.soft}>{search.found === null ? t("devices.searching") : t("devices.drawerNoPrinter")}</p>
      )}
      <AddressField host={host} change={setHost} />
    </StepPage>
  );
};
