/** Whether the manager's area lies over the screens. It is opened by a manager's PIN, and closing it ends that session. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { Snapshot } from "../../preload/contract.ts";
import { screenRules } from "../screen-rules.ts";
import { isSettingUp } from "../setup/is-setting-up.ts";
import type { ScreenBridge } from "../ui/bridge.ts";
import type { Authority } from "./authority.tsx";

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
  const isAllowed = screenRules[screen.kind].mayBeCovered;
  const isManagerHere = people.manager !== null;
  const settingUp = isSettingUp(snapshot);
  const isAsking = authority.question !== null;
  const isOpen = isWanted && isAllowed && !settingUp && (isManagerHere || !people.guarded);
  const close = useCallback(() => setWanted(false), []);
  // Between the sign-out and the host's word that it is done, the session in the snapshot is one that ends.
  const isEnding = useRef(false);
  if (!isManagerHere) isEnding.current = false;
  const open = (): void => {
    setWanted(true);
    if (people.guarded && (!isManagerHere || isEnding.current))
      void authority.askManager(people.managers === "none").then((isHere) => setWanted(isHere));
  };

  useEffect(() => {
    if (!isAllowed) setWanted(false);
  }, [isAllowed]);

  // The host ended the session: the next one begins with a press of the button again.
  const wasHere = useRef(isManagerHere);
  useEffect(() => {
    if (wasHere.current && !isManagerHere && !isAsking) setWanted(false);
    wasHere.current = isManagerHere;
  }, [isManagerHere, isAsking]);

  const isLeft = isManagerHere && !isWanted && !isAsking && !settingUp && !screenRules[screen.kind].isManagers;
  useEffect(() => {
    if (!isLeft) return;
    isEnding.current = true;
    void bridge.dispatch({ type: "sign_out", as: "manager" });
  }, [isLeft, bridge]);

  return { isOpen, isAllowed, open, close };
};
