/** Tells the host that somebody touches the terminal, so that it is not locked under their hands. */
import { useEffect } from "react";
import type { ScreenBridge } from "../ui/bridge.ts";

const everyMs = 15_000;

/** @param signedIn whether anybody is; otherwise there is nothing to keep. */
export const useStillHere = (bridge: ScreenBridge, signedIn: boolean): void => {
  useEffect(() => {
    if (!signedIn) return;
    let sentMs = performance.now();
    const touched = (): void => {
      if (performance.now() - sentMs < everyMs) return;
      sentMs = performance.now();
      void bridge.dispatch({ type: "still_here" });
    };
    const kinds = ["pointerdown", "keydown"] as const;
    for (const kind of kinds) window.addEventListener(kind, touched, { capture: true });
    return () => {
      for (const kind of kinds) window.removeEventListener(kind, touched, { capture: true });
    };
  }, [bridge, signedIn]);
};
