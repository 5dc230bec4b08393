/** Which printer prints, and what opens the drawer: whatever was found is tried, and a person says what it did. */

import { Button, TextInput } from "@mantine/core";
import { IconCashRegister, IconCircleCheck, IconHandStop, IconPrinter, IconRefresh } from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useState } from "react";
import type { DrawerTest, FoundPrinter, PrinterTest, Refusal, Reply, Settings } from "../../preload/contract.ts";
import { isDeviceHost } from "../../preload/device-address.ts";
import { defaultPrinterPort, drawerPins, usualPulse } from "../../preload/printers-and-code-pages.ts";
import { RefusalText, useCommands } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import { useQuery } from "../ui/query.tsx";
import classes from "./setup.module.css";
import { StepPage, useSettingsChange } from "./step-page.tsx";

type PrinterSettings = Settings["printer"];
type DrawerSettings = Settings["drawer"];

/** Whether one was chosen. */
export const isPrinterSet = ({ kind }: PrinterSettings): boolean => kind !== "none";

/** Where a printer is, as a person can compare it with what is written on the printer; the usual port goes without saying. */
export const placeOf = (device: PrinterSettings | DrawerSettings): string => {
  if (device.kind === "network") return device.host + (device.port === defaultPrinterPort ? "" : `:${device.port}`);
  return device.kind === "serial" ? device.path : "";
};

/** What was found; null while it is looked for. */
interface PrinterSearch {
  readonly found: readonly FoundPrinter[] | null;
  readonly again: () => void;
}

/** Looks for printers when it is first used, and again on a press. */
export const usePrinterSearch = (): PrinterSearch => {
  const { state, refetch } = useQuery<readonly FoundPrinter[]>({ type: "find_printers" });
  return { found: state.kind === "asking" ? null : state.kind === "answered" ? state.data : [], again: refetch };
};

/** What came of a try: something to look at, or why there is nothing. */
interface Tried {
  readonly text: string;
  /** `answered`: it is there, and did nothing that could be seen. */
  readonly state: "asking" | "answered" | "failed";
}

interface TryRowProps {
  readonly icon: ReactNode;
  readonly name: string;
  readonly place: string;
  readonly inUse: boolean;
  readonly attempt: () => Promise<Tried>;
  /** Asked once something was to be seen. */
  readonly question: string;
  /** Chooses it, and leaves the page. */
  readonly yes: () => Promise<Reply>;
  readonly no?: () => void;
}

type RowState = { readonly kind: Tried["state"] | "idle" | "trying"; readonly text: string };

/** One that can be tried. Only a person knows what happened, so the row asks. */
const TryRow = ({ icon, name, place, inUse, attempt, question, yes, no }: TryRowProps) => {
  const [state, setState] = useState<RowState>({ kind: "idle", text: "" });
  const tryIt = (): void => {
    setState({ kind: "trying", text: t("devices.trying") });
    void attempt().then(({ text, state: kind }) => setState({ kind, text }));
  };
  const answerYes = (): void => {
    setState({ kind: "trying", text: "" });
    void yes().then((reply) => {
      if (!reply.ok) setState({ kind: "failed", text: t(`refusals.${reply.code}`) });
    });
  };
  const answerNo = (): void => {
    setState({ kind: "failed", text: t("devices.notThis") });
    no?.();
  };
  const isGood = inUse && state.kind !== "failed" && state.kind !== "answered";
  return (
    <li className={classes.device} data-good={isGood || undefined} data-row={state.kind}>
      {isGood ? <IconCircleCheck size={34} aria-hidden /> : icon}
      <div>
        <strong>{name}</strong>
        <span>{inUse ? `${place} · ${t("devices.inUse")}` : place}</span>
        <span role="status">{state.kind === "asking" ? `${state.text} ${question}` : state.text}</span>
      </div>
      {state.kind === "asking" ? (
        <>
          <Button variant="filled" onClick={answerYes}>
            {t("devices.yes")}
          </Button>
          <Button onClick={answerNo}>{t("devices.no")}</Button>
        </>
      ) : (
        <>
          {state.kind === "answered" && <Button onClick={answerYes}>{t("devices.useIt")}</Button>}
          <Button
            loading={state.kind === "trying"}
            aria-label={`${name}, ${place}: ${t("devices.try")}`}
            onClick={tryIt}
          >
            {t("devices.try")}
          </Button>
        </>
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

interface FoundPageProps {
  readonly title: string;
  readonly next: string;
  /** Works without one. */
  readonly none: { readonly label: string; readonly choose: () => Promise<Reply> };
  readonly found: ReturnType<typeof useFound>;
  readonly children: ReactNode;
}

/** What was found, and a field for one that is in another network than this machine, or did not answer in time. */
const FoundPage = ({ title, next, none, found, children }: FoundPageProps) => {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const chooseNone = (): void => void none.choose().then((reply) => setRefusal(reply.ok ? null : reply.code));
  return (
    <StepPage
      step="devices"
      title={title}
      next={next}
      actions={{
        second: { label: none.label, icon: <IconHandStop size={30} aria-hidden />, run: chooseNone },
        third: { label: t("devices.searchAgain"), icon: <IconRefresh size={30} aria-hidden />, run: found.again },
        main: { label: t("setup.good"), run: found.close },
      }}
    >
      {children}
      <RefusalText refusal={refusal} />
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

/** What was found, and the one whose address was typed. */
const useFound = ({ search: { found, again }, close }: PageProps) => {
  const change = useSettingsChange();
  const [host, setHost] = useState("");
  const printers = found ?? [];
  const isNew = isDeviceHost(host) && !printers.some(({ printer }) => placeOf(printer) === host);
  const typed: readonly FoundPrinter[] = isNew
    ? [{ name: null, printer: { kind: "network", host, port: defaultPrinterPort, ...paper } }]
    : [];
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
    printers,
    typed,
    /** Serial ports and printers of the network by what they say they are. */
    nameOf: ({ name, printer }: FoundPrinter): string =>
      name ?? t(printer.kind === "network" ? "devices.inNetwork" : "devices.atPort"),
    triedFrom: <Result,>(reply: Reply, read: (result: Result) => Tried): Tried =>
      reply.ok ? read(reply.data as Result) : { text: t(`refusals.${reply.code}`), state: "failed" },
  };
};

/** The printers that were found, one that is named by its address, and none. A try changes nothing: what is used follows from a Yes. */
export const PrinterPage = (props: PageProps) => {
  const { settings, search } = props;
  const { dispatch } = useCommands();
  const found = useFound(props);
  const { choose, printers, typed } = found;
  const { printer: used } = settings;
  const isUsed = ({ printer }: FoundPrinter): boolean => placeOf(printer) === placeOf(used);
  const others = [...printers, ...typed].filter((one) => !isUsed(one));
  // The one in use comes first, also when it was chosen by hand or is off now.
  const inUse = isPrinterSet(used) ? [{ name: printers.find(isUsed)?.name ?? null, printer: used }] : [];
  const row = (one: FoundPrinter) => (
    <TryRow
      key={placeOf(one.printer)}
      icon={<IconPrinter {...iconProps} />}
      name={found.nameOf(one)}
      place={placeOf(one.printer)}
      inUse={isUsed(one)}
      attempt={async () =>
        found.triedFrom(await dispatch({ type: "test_printer", printer: one.printer }), (result: PrinterTest) =>
          result === "printed"
            ? { text: t("devices.sent"), state: "asking" }
            : {
                text: t("devices.testFailed", { why: t(`printing.why.${result}`) }),
                state: result === "no_paper" || result === "cover_open" ? "answered" : "failed",
              },
        )
      }
      question={t("devices.didPrint")}
      yes={() => choose({ printer: one.printer })}
    />
  );
  return (
    <FoundPage
      title={t("devices.printerTitle")}
      next={search.found?.length === 0 ? t("devices.foundNone") : t("devices.printerNext")}
      none={{ label: t("devices.noPrinter"), choose: () => choose({ printer: { kind: "none" } }) }}
      found={found}
    >
      <ul className={classes.devices}>
        {[...inUse, ...others].map(row)}
        {found.isSearching && (
          <li className={classes.device}>
            <IconRefresh {...iconProps} />
            <div>
              <span role="status">{t("devices.searching")}</span>
            </div>
          </li>
        )}
      </ul>
    </FoundPage>
  );
};

interface DrawerRowProps {
  readonly name: string;
  readonly place: string;
  readonly at:
    | { readonly kind: "printer" }
    | { readonly kind: "network"; readonly host: string; readonly port: number };
  readonly used: DrawerSettings;
  readonly found: ReturnType<typeof useFound>;
}

/** A drawer at one printer. A try changes nothing: what is used follows from a Yes. */
const DrawerRow = ({ name, place, at, used, found }: DrawerRowProps) => {
  const { dispatch } = useCommands();
  const isAt = used.kind === at.kind && (used.kind !== "network" || placeOf(used) === place);
  const pulse = isAt && "pulse" in used ? used.pulse : usualPulse;
  /** Nearly all drawers are on the first contact; a No tries the other one. */
  const [pin, setPin] = useState(pulse.pin);
  const [isSilent, setSilent] = useState(false);
  const drawer = { ...at, sensor: true, pulse: { ...pulse, pin } };
  return (
    <TryRow
      icon={<IconCashRegister {...iconProps} />}
      name={pin === usualPulse.pin ? name : t("devices.otherContact", { name })}
      place={place}
      inUse={isAt && pulse.pin === pin}
      attempt={async () =>
        found.triedFrom(await dispatch({ type: "test_drawer", drawer }), (result: DrawerTest) => {
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
export const DrawerPage = (props: PageProps) => {
  const found = useFound(props);
  const { drawer: used, printer } = props.settings;
  const others = [...found.printers, ...found.typed].filter(({ printer: one }) => placeOf(one) !== placeOf(printer));
  return (
    <FoundPage
      title={t("devices.drawerTitle")}
      next={t("devices.drawerNext")}
      none={{ label: t("devices.byHand"), choose: () => found.choose({ drawer: { kind: "none" } }) }}
      found={found}
    >
      <ul className={classes.devices}>
        {isPrinterSet(printer) && (
          <DrawerRow
            name={t("settings.drawerPrinter")}
            place={placeOf(printer)}
            at={{ kind: "printer" }}
            used={used}
            found={found}
          />
        )}
        {others.map((one) => {
          if (one.printer.kind !== "network") return null;
          const { kind, host, port } = one.printer;
          const at = { kind, host, port };
          const place = placeOf(one.printer);
          return <DrawerRow key={place} name={found.nameOf(one)} place={place} at={at} used={used} found={found} />;
        })}
      </ul>
      {!isPrinterSet(printer) && others.length === 0 && (
        <p className={page.soft}>{found.isSearching ? t("devices.searching") : t("devices.drawerNoPrinter")}</p>
      )}
    </FoundPage>
  );
};
