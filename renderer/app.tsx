/** The page: header, the screen of the snapshot, areas and dialogs over it. */
import { t } from "i18next";
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from "react";
import type { Settings, Snapshot } from "../preload/contract.ts";
import { Announcer, OutcomeSound } from "./announcer.tsx";
import classes from "./app.module.css";
import { Header, OpenList, Warnings } from "./header.tsx";
import { Help } from "./help/help.tsx";
import { useHelpStore } from "./help/use-help.ts";
import { type Authority, type ManagerArea, useAuthority, useManagerArea, useStillHere } from "./people/authority.tsx";
import { closePracticePhone, openPracticePhone, usePracticePhone } from "./practice/open-phone.ts";
import { startScanners } from "./scan/start-scanners.ts";
import { holdMsOf, isPractising, isSettingUp, screenRules } from "./screen-rules.ts";
import { ScreenView } from "./screen-view.tsx";
import { Starting } from "./setup/blocked.tsx";
import { acceptScannedLink } from "./setup/scanned-link.ts";
import { setLanguage } from "./texts/index.ts";
import type { ScreenBridge } from "./ui/bridge.ts";
import { CommandProvider } from "./ui/command-context.tsx";
import { Dialog } from "./ui/dialog.tsx";
import { Disconnected, ErrorBoundary, NotLoaded } from "./ui/error-boundary.tsx";
import { languageOf, useSnapshotStore } from "./ui/snapshot-store.ts";
import { StatusBanner } from "./ui/status-banner.tsx";

// Loaded right after the first screen: a question for a PIN must not wait for them.
const loadPinDialog = async () => ({ default: (await import("./people/pin-dialog.tsx")).PinDialog });
const loadLockScreen = async () => ({ default: (await import("./people/lock-screen.tsx")).LockScreen });
const PinDialog = lazy(loadPinDialog);
const LockScreen = lazy(loadLockScreen);
const PracticePhone = lazy(async () => ({ default: (await import("./practice/practice-phone.tsx")).PracticePhone }));

/** The frame of an area, with its loading text, and a red banner while the journal cannot be written. */
const AreaFrame = ({ journalFailing, children }: Readonly<{ journalFailing: boolean; children: ReactNode }>) => {
  return (
    <div className={classes.managed} data-warned={journalFailing || undefined}>
      {journalFailing && <StatusBanner tone="never" />}
      <ErrorBoundary fallback={<NotLoaded />}>
        <Suspense fallback={<p className={classes.loading}>{t("manager.loading")}</p>}>{children}</Suspense>
      </ErrorBoundary>
    </div>
  );
};

/** In training: the practice phone beside the terminal. */
const BesidePhone = ({ snapshot, children }: Readonly<{ snapshot: Snapshot; children: ReactNode }>) => (
  <div className={classes.beside} data-beside>
    <Suspense fallback={<div />}>
      <PracticePhone snapshot={snapshot} close={closePracticePhone} />
    </Suspense>
    {children}
  </div>
);

/** What the page shows when a code is scanned. */
interface ScanPlace {
  /** An area lies over the screen (`CashierAreas.covered`). */
  readonly covered: boolean;
  readonly settingUp: boolean;
  readonly settings: Settings;
  readonly kind: Snapshot["screen"]["kind"];
}

/** Runs all scanners while the page is mounted. @returns how many scans were ignored. */
const useScanners = (bridge: ScreenBridge, place: ScanPlace): number => {
  const [ignored, setIgnored] = useState(0);
  // A ref, so that a change does not restart the scanners in the middle of a scan.
  const latest = useRef(place);
  latest.current = place;
  useEffect(
    () =>
      startScanners(
        (scan) => {
          const { covered, settingUp, kind } = latest.current;
          if (settingUp) acceptScannedLink(scan.text);
          else if (covered) setIgnored((count) => count + 1);
          else if (kind !== "setup" || !acceptScannedLink(scan.text)) void bridge.dispatch({ type: "scan", ...scan });
        },
        () => latest.current.settings,
      ),
    [bridge],
  );
  return ignored;
};

/** An area by its name in the guide. */
type CashierArea = "drawer_day" | "counter_history";

/** Which area is open, and how to open and close one. */
interface CashierAreas {
  readonly opened: CashierArea | null;
  readonly isAllowed: boolean;
  /** One of these or the manager's area covers the screen: a scan must not reach what is behind it. */
  readonly covered: boolean;
  readonly show: (area: CashierArea) => void;
  readonly close: () => void;
}

/**
 * State of the cashier's areas. @param hasDay the shop counts its drawer; without, the day's area does not open.
 * @param locked nobody is there to open one, and whoever comes next finds none open.
 */
const useCashierAreas = (managerArea: ManagerArea, hasDay: boolean, locked: boolean): CashierAreas => {
  const { isOpen: isManagerOpen, close: closeManager } = managerArea;
  const isAllowed = managerArea.isAllowed && !locked;
  const [wanted, setWanted] = useState<CashierArea | null>(null);
  // While money may move, no area covers the screen.
  useEffect(() => {
    if (!isAllowed) setWanted(null);
  }, [isAllowed]);
  const opened = isAllowed && (hasDay || wanted !== "drawer_day") ? wanted : null;
  return {
    opened,
    isAllowed,
    covered: isManagerOpen || opened !== null,
    show(area) {
      closeManager();
      setWanted(area);
    },
    close: useCallback(() => setWanted(null), []),
  };
};

const SetUpParts = lazy(async () => ({ default: (await import("./setup/setup.tsx")).SetUpParts }));
const DrawerDay = lazy(async () => ({ default: (await import("./drawer/drawer-day.tsx")).DrawerDay }));
const HistoryArea = lazy(async () => ({ default: (await import("./history/history.tsx")).HistoryArea }));
const Manager = lazy(async () => ({ default: (await import("./manager/manager.tsx")).Manager }));

/** The whole page: disconnected, starting, or the screens. */
export const App = ({ bridge }: { readonly bridge: ScreenBridge }) => {
  const snapshot = useSnapshotStore((store) => store.snapshot);
  const connected = useSnapshotStore((store) => store.connected);
  const authority = useAuthority(bridge);
  if (!connected)
    return (
      <>
        <Disconnected />
        <Help place="disconnected" step="disconnected" />
      </>
    );
  if (!snapshot)
    return (
      <CommandProvider bridge={bridge} step="starting">
        <div className={classes.app}>
          <div className={classes.head} />
          <Starting />
        </div>
        <Help place="starting" step="starting" />
      </CommandProvider>
    );
  return (
    <CommandProvider bridge={authority.bridge} step={snapshot.screen.step} holdMs={holdMsOf(snapshot.screen)}>
      <Screens snapshot={snapshot} bridge={bridge} authority={authority} />
    </CommandProvider>
  );
};

interface ScreensProps {
  readonly snapshot: Snapshot;
  readonly bridge: ScreenBridge;
  readonly authority: Authority;
}

const Screens = ({ snapshot, bridge, authority }: ScreensProps) => {
  const { screen, header, settings, people } = snapshot;
  const { question } = authority;
  const area = useManagerArea(bridge, authority, snapshot);
  const [over, setOver] = useState<"list" | "warnings" | null>(null);
  const settingUp = isSettingUp(snapshot);
  const isNew = screen.kind === "setup" && screen.why === "not_enrolled" && screen.known === null;
  const areas = useCashierAreas(area, header.day !== null, people.locked);
  const { opened, covered, show, close: closeArea } = areas;
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  const isHelpOpen = useHelpStore((store) => store.isOpen);
  const tabPlace = useHelpStore((store) => store.tabPlace);
  const closeOver = useCallback(() => setOver(null), []);

  const language = languageOf(snapshot);
  useEffect(() => void setLanguage(language), [language]);
  const lastHere = useRef("");
  if (people.cashier !== null) lastHere.current = people.cashier.code;
  const practising = isPractising(snapshot);
  useEffect(() => {
    if (practising) openPracticePhone();
  }, [practising]);
  useStillHere(bridge, people.cashier !== null || people.manager !== null);
  useEffect(() => void Promise.allSettled([loadPinDialog(), loadLockScreen()]), []);
  // A new screen closes the dialogs that were opened over the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the step that matters
  useEffect(closeOver, [screen.step]);

  const ignoredScans = useScanners(bridge, {
    covered,
    settingUp,
    settings,
    kind: screen.kind,
  });

  /** The area over the terminal's screen, by its name in the guide; null: none. */
  const overScreen = settingUp ? "parts" : area.isOpen ? tabPlace : people.locked ? "locked" : opened;
  const isDayMissing = screen.kind === "ready" && header.day?.kind === "closed";

  const cashierAreas: Readonly<Record<CashierArea, ReactNode>> = {
    drawer_day: header.day && <DrawerDay header={header.day} close={closeArea} ignoredScans={ignoredScans} />,
    counter_history: <HistoryArea close={closeArea} ignoredScans={ignoredScans} />,
  };

  const terminal = (
    <div className={classes.app}>
      <Header
        header={header}
        openList={() => setOver("list")}
        openWarnings={() => setOver("warnings")}
        openManager={isNew && people.managers === "none" ? null : area.open}
        openDay={() => show("drawer_day")}
        openHistory={settingUp || isNew ? null : () => show("counter_history")}
        managerAllowed={area.isAllowed}
        areasAllowed={areas.isAllowed}
        cashier={settings.people.cashiersSignIn ? (people.cashier?.name ?? null) : null}
        changeCashier={() => void bridge.dispatch({ type: "sign_out", as: "cashier" })}
      />
      {settingUp ? (
        <Suspense fallback={<Starting />}>
          <SetUpParts key={settings.setUp} snapshot={snapshot} />
        </Suspense>
      ) : area.isOpen ? (
        <AreaFrame journalFailing={header.journalFailing}>
          <Manager
            settings={settings}
            people={people}
            training={header.training}
            close={area.close}
            ignoredScans={ignoredScans}
          />
        </AreaFrame>
      ) : people.locked ? (
        <ErrorBoundary fallback={<NotLoaded />}>
          <Suspense fallback={<Starting />}>
            <LockScreen people={people} lastHere={lastHere.current} />
          </Suspense>
        </ErrorBoundary>
      ) : opened !== null ? (
        <AreaFrame journalFailing={header.journalFailing}>{cashierAreas[opened]}</AreaFrame>
      ) : (
        <ScreenView
          key={screen.step}
          snapshot={snapshot}
          covered={over !== null || isHelpOpen}
          openDay={() => show("drawer_day")}
        />
      )}
      <OpenList
        open={header.open}
        opened={over === "list"}
        close={closeOver}
        canResume={screenRules[screen.kind].canResume}
      />
      <Warnings header={header} opened={over === "warnings"} close={closeOver} />
      <Help
        place={overScreen ?? (isDayMissing ? "drawer_day" : screen.kind)}
        step={`${screen.step} ${header.journalFailing}`}
      />
      {question && (
        <ErrorBoundary
          fallback={
            <Dialog
              opened
              close={() => question.end(question.refused)}
              title={t(`people.${question.kind}Title`)}
              closeLabel={t("people.cancel")}
            >
              <NotLoaded />
            </Dialog>
          }
        >
          <Suspense>
            <PinDialog key={question.kind} question={question} bridge={bridge} snapshot={snapshot} />
          </Suspense>
        </ErrorBoundary>
      )}
      <Announcer snapshot={snapshot} />
      <OutcomeSound screen={screen} settings={settings} />
    </div>
  );
  // An open area needs the whole width, and nothing in it is for the customer.
  const isBeside = isPhoneOpen && header.training && overScreen === null;
  return isBeside ? <BesidePhone snapshot={snapshot}>{terminal}</BesidePhone> : terminal;
};
