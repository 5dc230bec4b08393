/** The screens stay on while the shop is open: a dark terminal in front of a queue is one that nobody can read. */
import { powerSaveBlocker } from "electron";
import type { Bridge } from "../../preload/contract.ts";

/** Where the drawer's day is not counted here the shop is open for as long as the program is. @returns ends it. */
export const keepAwake = (bridge: Pick<Bridge, "subscribe">): (() => void) => {
  let blocker: number | null = null;
  const release = (): void => {
    if (blocker !== null) powerSaveBlocker.stop(blocker);
    blocker = null;
  };
  const stop = bridge.subscribe(({ header }) => {
    if (header.day?.kind === "closed") release();
    else blocker ??= powerSaveBlocker.start("prevent-display-sleep");
  });
  return () => {
    stop();
    release();
  };
};
