/** The page: header, the screen of the snapshot, areas and dialogs over it. */
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useState } from "react";
import type { Snapshot } from "../preload/contract.ts";
import classes from "./app.module.css";
import { AreaFrame, BesidePhone } from "./app-frames.tsx";
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
import { usePracticePhone } from "./practice/open-phone.ts";
import { screenRules } from "./screen-rules.ts";
import { ScreenView } from "./screen-view.tsx";
import { Disconnected } from "./setup/disconnected.tsx";
import { isSettingUp } from "./setup/is-setting-up.ts";
import { Starting } from "./setup/starting.tsx";
import { Announcer } from "./ui/announcer.tsx";
import { CommandProvider } from "./ui/command-context.tsx";
import { holdMsOf } from "./ui/hold.ts";
import { OutcomeSound } from "./ui/outcome-sound.tsx";
import { languageOf } from "./ui/use-language.ts";
import { type CashierArea, useCashierAreas } from "./use-cashier-areas.ts";
import { useScanners } from "./use-scanners.ts";

const SetUpParts = lazy(async () => ({ default: (await import("./setup/set-up-parts.tsx")).SetUpParts }));
const DrawerDay = lazy(async () => ({ default: (await import("./day/drawer-day.tsx")).DrawerDay }));
const HistoryArea = lazy(async () => ({ default: (await import("./history/history-area.tsx")).HistoryArea }));
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
  const area = useManagerArea(bridge, authority, snapshot);
  const [over, setOver] = useState<"list" | "warnings" | null>(null);
  const settingUp = isSettingUp(snapshot);
  const { opened, covered, show, close: closeArea } = useCashierAreas(area, header.day !== null);
  const isManagerOpen = area.isOpen;
  const isPhoneOpen = usePracticePhone((store) => store.isOpen);
  const isHelpOpen = useHelpStore((store) => store.isOpen);
  const tabPlace = useHelpStore((store) => store.tabPlace);
  const closeOver = useCallback(() => setOver(null), []);

  const language = languageOf(snapshot);
  useEffect(() => void setLanguage(language), [language]);
  useStillHere(bridge, people.cashier !== null || people.manager !== null);
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
  const overScreen = settingUp ? "parts" : isManagerOpen ? tabPlace : people.locked ? "locked" : opened;

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
        openManager={area.open}
        openDay={() => show("drawer_day")}
        openHistory={settingUp ? null : () => show("counter_history")}
        managerAllowed={area.isAllowed}
        cashier={settings.people.cashiersSignIn ? (people.cashier?.name ?? null) : null}
        changeCashier={() => void bridge.dispatch({ type: "sign_out", as: "cashier" })}
      />
      {settingUp ? (
        <Suspense fallback={<Starting />}>
          <SetUpParts key={settings.setUp} snapshot={snapshot} />
        </Suspense>
      ) : isManagerOpen ? (
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
        <LockScreen people={people} />
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
      <Help place={overScreen ?? screen.kind} step={`${screen.step} ${header.journalFailing}`} />
      {authority.question && (
        <PinDialog key={authority.question.kind} question={authority.question} bridge={bridge} snapshot={snapshot} />
      )}
      <Announcer step={screen.step} journalFailing={header.journalFailing} />
      <OutcomeSound screen={screen} settings={settings} />
    </div>
  );
  // An open area needs the whole width, and nothing in it is for the customer.
  const isBeside = isPhoneOpen && header.training && overScreen === null;
  return isBeside ? <BesidePhone snapshot={snapshot}>{terminal}</BesidePhone> : terminal;
};
