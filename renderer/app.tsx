/** The page: header, the screen of the snapshot, and what may lie over it. */
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Snapshot } from "../preload/contract.ts";
import classes from "./app.module.css";
import type { ScreenBridge } from "./bridge.ts";
import { Header } from "./header/header.tsx";
import { OpenList } from "./header/open-list.tsx";
import { speak } from "./locales/index.ts";
import { startScanners } from "./scan/index.ts";
import { ScreenView } from "./screen-view.tsx";
import { Lost } from "./setup/lost.tsx";
import { Starting } from "./setup/starting.tsx";
import { useMirror } from "./snapshot-store.ts";
import { DeskProvider } from "./ui/desk.tsx";
import { OutcomeSound } from "./ui/outcome-sound.tsx";

const Manager = lazy(async () => ({ default: (await import("./manager/manager.tsx")).Manager }));

/** While money may move, nothing lies over the screen. */
const managerScreens: ReadonlySet<Snapshot["screen"]["kind"]> = new Set(["ready", "setup", "ended", "unknown"]);
/** From these the cashier may turn to another withdrawal. */
const resumableScreens: ReadonlySet<Snapshot["screen"]["kind"]> = new Set(["ready", "done", "ended", "unknown"]);

export const App = ({ bridge }: { readonly bridge: ScreenBridge }) => {
  const snapshot = useMirror((mirror) => mirror.snapshot);
  const connected = useMirror((mirror) => mirror.connected);
  if (!connected) return <Lost />;
  if (!snapshot)
    return (
      <DeskProvider bridge={bridge} step="starting">
        <div className={classes.app}>
          <div className={classes.head} />
          <Starting />
        </div>
      </DeskProvider>
    );
  return (
    <DeskProvider bridge={bridge} step={snapshot.screen.step}>
      <Till snapshot={snapshot} bridge={bridge} />
    </DeskProvider>
  );
};

const Till = ({ snapshot, bridge }: { readonly snapshot: Snapshot; readonly bridge: ScreenBridge }) => {
  const { t } = useTranslation();
  const { screen, header, settings } = snapshot;
  const [wantsManager, setWantsManager] = useState(false);
  const [isListOpen, setListOpen] = useState(false);
  const managerAllowed = managerScreens.has(screen.kind);
  const isManagerOpen = wantsManager && managerAllowed;
  const closeManager = useCallback(() => setWantsManager(false), []);
  const closeList = useCallback(() => setListOpen(false), []);

  useEffect(() => speak(settings.language), [settings.language]);
  useEffect(() => {
    if (!managerAllowed) setWantsManager(false);
  }, [managerAllowed]);
  useEffect(() => {
    if (header.open.length === 0) setListOpen(false);
  }, [header.open.length]);

  const managerOpen = useRef(isManagerOpen);
  managerOpen.current = isManagerOpen;
  useEffect(
    () =>
      startScanners(
        (scan) => {
          if (!managerOpen.current) void bridge.dispatch({ type: "scan", ...scan });
        },
        () => useMirror.getState().snapshot?.settings ?? settings,
      ),
    // The scanners read the latest settings by themselves: starting them again would lose a scan.
    // biome-ignore lint/correctness/useExhaustiveDependencies: see above
    [bridge],
  );

  return (
    <div className={classes.app}>
      <Header
        header={header}
        openList={() => setListOpen(true)}
        openManager={() => setWantsManager(true)}
        managerAllowed={managerAllowed}
      />
      {isManagerOpen ? (
        <Suspense fallback={<p className={classes.loading}>{t("manager.loading")}</p>}>
          <Manager settings={settings} close={closeManager} />
        </Suspense>
      ) : (
        <ScreenView key={screen.step} snapshot={snapshot} covered={isListOpen} />
      )}
      <OpenList
        open={header.open}
        opened={isListOpen}
        close={closeList}
        canResume={resumableScreens.has(screen.kind)}
      />
      <OutcomeSound screen={screen} enabled={settings.sound} />
    </div>
  );
};
