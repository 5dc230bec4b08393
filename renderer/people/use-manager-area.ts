/** Whether the manager's area lies over the screens. It is opened by a manager's PIN, and closing it ends that session. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { Screen, Snapshot } from "../../preload/contract.ts";
import type { ScreenBridge } from "../bridge/bridge.ts";
import { isSettingUp } from "../setup/is-setting-up.ts";
import type { Authority } from "./authority.tsx";

type Kind = Screen["kind"];

/** While money may move, nothing lies over the screen. */
const managerScreens: ReadonlySet<Kind> = new Set<Kind>(["ready", "setup", "ended", "unknown"]);
/** Here a manager works on the screen itself. */
const ownScreens: ReadonlySet<Kind> = new Set<Kind>(["setup", "blocked", "starting"]);

/** `isAllowed`: no money moves on the screen in front. */
export interface ManagerArea {
  readonly isOpen: boolean;
  readonly isAllowed: boolean;
  readonly open: () => void;
  readonly close: () => void;
}

/** Asks for the PIN where the host wants one. */
export const useManagerArea = (bridge: ScreenBridge, authority: Authority, snapshot: Snapshot): ManagerArea => {
  const { screen, people } = snapshot;
  const [isWanted, setWanted] = useState(false);
  const isAllowed = managerScreens.has(screen.kind);
  const isManagerHere = people.manager !== null;
  const settingUp = isSettingUp(snapshot);
  const isOpen = isWanted && isAllowed && !settingUp && (isManagerHere || !people.guarded);
  const close = useCallback(() => setWanted(false), []);
  const open = (): void => {
    setWanted(true);
    if (people.guarded && !isManagerHere)
      void authority.askManager(people.managers === "none").then((isHere) => setWanted(isHere));
  };

  useEffect(() => {
    if (!isAllowed) setWanted(false);
  }, [isAllowed]);

  // The host ended the session: the next one begins with a press of the button again.
  const wasHere = useRef(isManagerHere);
  useEffect(() => {
    if (wasHere.current && !isManagerHere) setWanted(false);
    wasHere.current = isManagerHere;
  }, [isManagerHere]);

  const isLeft =
    isManagerHere && !isWanted && authority.question === null && !settingUp && !ownScreens.has(screen.kind);
  useEffect(() => {
    if (isLeft) void bridge.dispatch({ type: "sign_out", as: "manager" });
  }, [isLeft, bridge]);

  return { isOpen, isAllowed, open, close };
};
