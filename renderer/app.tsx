/** The page: header, the screen of the snapshot, areas and dialogs over it; what a screen says to screen readers, and its sound about cash. */

import { useWindowEvent } from "@mantine/hooks";
import { t } from "i18next";
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import classes from "./app.module.css";
import { Header, OpenList, Warnings } from "./header.tsx";
import { Help } from "./help/help.tsx";
import { useHelpStore } from "./help/use-help.ts";
import { type Authority, useAuthority, useManagerArea, useStillHere } from "./people/authority.tsx";
import { openPracticePhone, usePracticePhone } from "./practice/open-phone.ts";
import type { OnScan } from "./scan/scan.ts";
import { startScanners } from "./scan/start-scanners.ts";
import { holdMsOf, isPractising, isSettingUp, screenRules, soundOf } from "./screen-rules.ts";
import { ScreenView } from "./screen-view.tsx";
import { Starting } from "./setup/blocked.tsx";
import { acceptScannedLink } from "./setup/scanned-link.ts";
import { setLanguage } from "./texts/index.ts";
import type { ScreenBridge } from "./ui/bridge.ts";
import { Dialog } from "./ui/dialog.tsx";
import { Disconnected, ErrorBoundary, NotLoaded } from "./ui/error-boundary.tsx";
import { StatusBanner, useFrameCount } from "./ui/frame.tsx";
import page from "./ui/page.module.css";
import { play, unlockAudio } from "./ui/sounds.ts";
import { CommandProvider, languageOf, useSnapshot, useSnapshotStore } from "./ui/terminal.tsx";

// Loaded right after the first screen: a question for a PIN must not wait for them.
const loadPinPages = async () => import("./people/pins.tsx");
const PinDialog = lazy(async () => ({ default: (await loadPinPages()).PinDialog }));
const LockScreen = lazy(async () => ({ default: (await loadPinPages()).LockScreen }));
const PracticePhone = lazy(async () => ({ default: (await import("./practice/practice-phone.tsx")).PracticePhone }));
const SetUpParts = lazy(async () => ({ default: (await import("./setup/setup.tsx")).SetUpParts }));
const DrawerDay = lazy(async () => ({ default: (await import("./drawer/drawer-day.tsx")).DrawerDay }));
const HistoryArea = lazy(async () => ({ default: (await import("./history/history.tsx")).HistoryArea }));
const Manager = lazy(async () => ({ default: (await import("./manager/manager.tsx")).Manager }));

/** The frame of an area, with its loading text, and a red banner while the journal cannot be written. */
const AreaFrame = ({ children }: { readonly children: ReactNode }) => {
  const { journalFailing } = useSnapshot().header;
  return (
    <div className={classes.managed} data-warned={journalFailing || undefined}>
      {journalFailing && <StatusBanner tone="never" />}
      <ErrorBoundary fallback={<NotLoaded />}>
        <Suspense fallback={<p className={page.middle}>{t("manager.loading")}</p>}>{children}</Suspense>
      </ErrorBoundary>
    </div>
  );
};

/** Runs all scanners while the page is mounted. @param covered an area lies over the screen. @returns how many scans were ignored. */
const useScanners = (bridge: ScreenBridge, covered: boolean): number => {
  const [ignored, setIgnored] = useState(0);
  const snapshot = useSnapshot();
  // Events of the effect, so that a change does not restart the scanners in the middle of a scan.
  const settings = useEffectEvent(() => snapshot.settings);
  const take = useEffectEvent<OnScan>((scan) => {
    if (isSettingUp(snapshot)) acceptScannedLink(scan.text);
    else if (covered) setIgnored((count) => count + 1);
    else if (snapshot.screen.kind !== "setup" || !acceptScannedLink(scan.text))
      void bridge.dispatch({ type: "scan", ...scan });
  });
  useEffect(() => startScanners(take, settings), []);
  return ignored;
};

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
      <Screens bridge={bridge} authority={authority} />
    </CommandProvider>
  );
};

/** A cashier's area by its name in the guide. */
type CashierArea = "drawer_day" | "counter_history";

const Screens = ({ bridge, authority }: Readonly<{ bridge: ScreenBridge; authority: Authority }>) => {
  const snapshot = useSnapshot();
  const { screen, header, settings, people } = snapshot;
  const { question } = authority;
  const manager = useManagerArea(authority, snapshot);
  const [over, setOver] = useState<"list" | "warnings" | null>(null);
  const [wanted, setWanted] = useState<CashierArea | null>(null);
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  const isHelpOpen = useHelpStore((store) => store.isOpen);
  const tabPlace = useHelpStore((store) => store.tabPlace);
  const closeOver = useCallback(() => setOver(null), []);
  const closeArea = useCallback(() => setWanted(null), []);
  const settingUp = isSettingUp(snapshot);
  const isNew = screen.kind === "setup" && screen.why === "not_enrolled" && screen.known === null;
  // While money may move, no area covers the screen; whoever unlocks the terminal finds none open.
  const areasAllowed = manager.isAllowed && !people.locked;
  const opened = areasAllowed && (header.day !== null || wanted !== "drawer_day") ? wanted : null;
  const show = (area: CashierArea) => (): void => {
    manager.close();
    setWanted(area);
  };

  const language = languageOf(snapshot);
  useEffect(() => void setLanguage(language), [language]);
  const lastHere = useRef("");
  if (people.cashier !== null) lastHere.current = people.cashier.code;
  const practising = isPractising(snapshot);
  useEffect(() => {
    if (practising) openPracticePhone();
  }, [practising]);
  useEffect(() => {
    if (!areasAllowed) closeArea();
  }, [areasAllowed, closeArea]);
  useStillHere(bridge, people.cashier !== null || people.manager !== null);
  useEffect(() => void Promise.allSettled([loadPinPages()]), []);
  // A new screen closes the dialogs that were opened over the one before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the step that matters
  useEffect(closeOver, [screen.step]);
  const ignoredScans = useScanners(bridge, manager.isOpen || opened !== null);

  /** The area over the terminal's screen, by its name in the guide; null: none. */
  const overScreen = settingUp ? "parts" : manager.isOpen ? tabPlace : people.locked ? "locked" : opened;
  const isDayMissing = screen.kind === "ready" && header.day?.kind === "closed";

  const shown = (): ReactNode => {
    if (settingUp)
      return (
        <Suspense fallback={<Starting />}>
          <SetUpParts key={settings.setUp} />
        </Suspense>
      );
    if (manager.isOpen)
      return (
        <AreaFrame key="manager">
          <Manager close={manager.close} ignoredScans={ignoredScans} />
        </AreaFrame>
      );
    if (people.locked)
      return (
        <ErrorBoundary fallback={<NotLoaded />}>
          <Suspense fallback={<Starting />}>
            <LockScreen lastHere={lastHere.current} />
          </Suspense>
        </ErrorBoundary>
      );
    if (opened !== null) {
      const Area = opened === "drawer_day" ? DrawerDay : HistoryArea;
      return (
        <AreaFrame key={opened}>
          <Area close={closeArea} ignoredScans={ignoredScans} />
        </AreaFrame>
      );
    }
    const isCovered = over !== null || isHelpOpen;
    return <ScreenView key={screen.step} screen={screen} cameraActive={!isCovered} openDay={show("drawer_day")} />;
  };

  const terminal = (
    <div className={classes.app}>
      <Header
        openList={() => setOver("list")}
        openWarnings={() => setOver("warnings")}
        openManager={isNew && people.managers === "none" ? null : manager.open}
        openDay={show("drawer_day")}
        openHistory={settingUp || isNew ? null : show("counter_history")}
        managerAllowed={manager.isAllowed}
        areasAllowed={areasAllowed}
      />
      {shown()}
      <OpenList opened={over === "list"} close={closeOver} canResume={screenRules[screen.kind].canResume} />
      <Warnings opened={over === "warnings"} close={closeOver} />
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
            <PinDialog key={question.kind} question={question} bridge={bridge} />
          </Suspense>
        </ErrorBoundary>
      )}
      <Announcer />
      <OutcomeSound />
    </div>
  );
  // An open area needs the whole width, and nothing in it is for the customer.
  if (!isPhoneOpen || !header.training || overScreen !== null) return terminal;
  return (
    <div className={classes.beside} data-beside>
      <Suspense fallback={<div />}>
        <PracticePhone />
      </Suspense>
      {terminal}
    </div>
  );
};

/** Announces each new screen to screen readers, and each that says something else: its banner, then its title. Stays mounted while screens change. */
export const Announcer = () => {
  const [text, setText] = useState("");
  const snapshot = useSnapshot();
  const drawn = useFrameCount((store) => store.count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what a new snapshot or frame says is read from the page as it now is
  useEffect(() => {
    const parts = [...document.querySelectorAll("[data-region=banner] p, main h1")].map((part) => part.textContent);
    setText(parts.filter(Boolean).join(". "));
  }, [snapshot, drawn]);
  return (
    <p className="visually-hidden" aria-live="assertive">
      {text}
    </p>
  );
};

/** Plays a sound for each new screen about cash: "give", "do not give" or "ask first". */
export const OutcomeSound = () => {
  const { screen, header, settings } = useSnapshot();
  useWindowEvent("pointerdown", unlockAudio, { passive: true });
  useWindowEvent("keydown", unlockAudio, { passive: true });
  const sound = soundOf(screen, header.journalFailing, settings.openOnSettled);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step plays again, even with the same sound
  useEffect(() => {
    if (settings.sound && sound) play(sound, settings.volume);
  }, [settings.sound, sound, screen.step]);
  return null;
};
