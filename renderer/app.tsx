/** The page: header, the screen of the snapshot, and what may lie over it. */
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Snapshot } from "../preload/contract.ts";
import classes from "./app.module.css";
import type { ScreenBridge } from "./bridge/bridge.ts";
import { useSnapshotStore } from "./bridge/snapshot-store.ts";
import { Header } from "./header/header.tsx";
import { OpenList } from "./header/open-list.tsx";
import { Warnings } from "./header/warnings.tsx";
import { Help } from "./help/help.tsx";
import { useHelpStore } from "./help/use-help.ts";
import { setLanguage } from "./locales/index.ts";
import { type Authority, useAuthority } from "./people/authority.tsx";
import { LockScreen } from "./people/lock-screen.tsx";
import { PinDialog } from "./people/pin-dialog.tsx";
import { useManagerArea } from "./people/use-manager-area.ts";
import { useStillHere } from "./people/use-still-here.ts";
import { closePracticePhone, usePracticePhone } from "./practice/open-phone.ts";
import { startScanners } from "./scan/index.ts";
import { ScreenView } from "./screen-view.tsx";
import { Disconnected } from "./setup/disconnected.tsx";
import { isSettingUp } from "./setup/is-setting-up.ts";
import { takeLink } from "./setup/scanned-link.ts";
import { Starting } from "./setup/starting.tsx";
import { Announcer } from "./ui/announcer.tsx";
import { CommandProvider } from "./ui/command-context.tsx";
import { holdMsOf } from "./ui/hold.ts";
import { OutcomeSound } from "./ui/outcome-sound.tsx";
import { StatusBanner } from "./ui/status-banner.tsx";
import { useArea } from "./ui/use-area.ts";
import { languageOf } from "./ui/use-language.ts";

const SetUpParts = lazy(async () => ({ default: (await import("./setup/set-up-parts.tsx")).SetUpParts }));
const DrawerDay = lazy(async () => ({ default: (await import("./day/drawer-day.tsx")).DrawerDay }));
const HistoryArea = lazy(async () => ({ default: (await import("./history/history-area.tsx")).HistoryArea }));
const PracticePhone = lazy(async () => ({
  default: (await import("./practice/practice-phone.tsx")).PracticePhone,
}));
const Manager = lazy(async () => ({ default: (await import("./manager/manager.tsx")).Manager }));

/** From these the cashier may turn to another withdrawal. */
const resumableScreens: ReadonlySet<Snapshot["screen"]["kind"]> = new Set(["ready", "done", "ended", "unknown"]);

/** The whole page, from the connection down. */
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
  const { t } = useTranslation();
  const { screen, header, settings, people } = snapshot;
  const area = useManagerArea(bridge, authority, snapshot);
  const [over, setOver] = useState<"list" | "warnings" | null>(null);
  const [ignoredScans, setIgnoredScans] = useState(0);
  const settingUp = isSettingUp(snapshot);
  const dayArea = useArea(area.isAllowed);
  const historyArea = useArea(area.isAllowed);
  const isManagerOpen = area.isOpen;
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  const isHelpOpen = useHelpStore((store) => store.isOpen);
  const tabPlace = useHelpStore((store) => store.tabPlace);
  const closeOver = useCallback(() => setOver(null), []);

  const language = languageOf(snapshot);
  useEffect(() => void setLanguage(language), [language]);
  useStillHere(bridge, people.cashier !== null || people.manager !== null);
  // A new screen is never covered by something that was opened over the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the step that matters
  useEffect(closeOver, [screen.step]);

  // The scanners read the latest by themselves: starting them again in the middle would lose a scan.
  const now = {
    isManagerOpen,
    isOverOpen: dayArea.isOpen || historyArea.isOpen,
    isSettingUp: settingUp,
    settings,
    kind: screen.kind,
  };
  const latest = useRef(now);
  latest.current = now;
  useEffect(
    () =>
      startScanners(
        (scan) => {
          if (latest.current.isSettingUp) takeLink(scan.text);
          else if (latest.current.isManagerOpen || latest.current.isOverOpen) setIgnoredScans((count) => count + 1);
          else if (latest.current.kind !== "setup" || !takeLink(scan.text))
            void bridge.dispatch({ type: "scan", ...scan });
        },
        () => latest.current.settings,
      ),
    [bridge],
  );

  /** One area at a time: the one that was asked for last. */
  const showDay = (): void => {
    area.close();
    historyArea.close();
    dayArea.open();
  };
  const showHistory = (): void => {
    area.close();
    dayArea.close();
    historyArea.open();
  };
  const cashierArea =
    dayArea.isOpen && header.day !== null ? (
      <DrawerDay header={header.day} close={dayArea.close} ignoredScans={ignoredScans} />
    ) : historyArea.isOpen ? (
      <HistoryArea close={historyArea.close} ignoredScans={ignoredScans} />
    ) : null;
  const overScreen = settingUp
    ? "parts"
    : isManagerOpen
      ? tabPlace
      : people.locked
        ? "locked"
        : dayArea.isOpen && header.day !== null
          ? "drawer_day"
          : historyArea.isOpen
            ? "counter_history"
            : null;
  const helpPlace = overScreen ?? screen.kind;

  const terminal = (
    <div className={classes.app}>
      <Header
        header={header}
        openList={() => setOver("list")}
        openWarnings={() => setOver("warnings")}
        openManager={area.open}
        openDay={showDay}
        openHistory={settingUp ? null : showHistory}
        managerAllowed={area.isAllowed}
        cashier={settings.people.cashiersSignIn ? (people.cashier?.name ?? null) : null}
        changeCashier={() => void bridge.dispatch({ type: "sign_out", as: "cashier" })}
      />
      {settingUp ? (
        <Suspense fallback={<Starting />}>
          <SetUpParts key={settings.setUp} snapshot={snapshot} />
        </Suspense>
      ) : isManagerOpen ? (
        <div className={classes.managed} data-warned={header.journalFailing || undefined}>
          {header.journalFailing && <StatusBanner tone="never" />}
          <Suspense fallback={<p className={classes.loading}>{t("manager.loading")}</p>}>
            <Manager
              settings={settings}
              people={people}
              training={header.training}
              close={area.close}
              ignoredScans={ignoredScans}
            />
          </Suspense>
        </div>
      ) : people.locked ? (
        <LockScreen people={people} />
      ) : cashierArea !== null ? (
        <div className={classes.managed} data-warned={header.journalFailing || undefined}>
          {header.journalFailing && <StatusBanner tone="never" />}
          <Suspense fallback={<p className={classes.loading}>{t("manager.loading")}</p>}>{cashierArea}</Suspense>
        </div>
      ) : (
        <ScreenView
          key={screen.step}
          snapshot={snapshot}
          covered={over !== null || isHelpOpen}
          openDay={dayArea.open}
        />
      )}
      <OpenList
        open={header.open}
        opened={over === "list"}
        close={closeOver}
        canResume={resumableScreens.has(screen.kind)}
      />
      <Warnings header={header} opened={over === "warnings"} close={closeOver} />
      <Help place={helpPlace} step={`${screen.step} ${header.journalFailing}`} />
      {authority.question && (
        <PinDialog key={authority.question.kind} question={authority.question} bridge={bridge} snapshot={snapshot} />
      )}
      <Announcer step={screen.step} journalFailing={header.journalFailing} />
      <OutcomeSound screen={screen} settings={settings} />
    </div>
  );
  if (!isPhoneOpen || !header.training) return terminal;
  return (
    <div className={classes.beside}>
      <Suspense fallback={<div />}>
        <PracticePhone snapshot={snapshot} close={closePracticePhone} />
      </Suspense>
      {terminal}
    </div>
  );
};
