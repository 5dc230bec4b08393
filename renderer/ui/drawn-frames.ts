/** Counts the frames that were drawn: one that is loaded on demand, or a step within a screen, comes without a new step of the terminal. */
import { create } from "zustand";

/** A store hook: how many there were since the page was opened. */
export const useDrawnFrames = create(() => ({ count: 0 }));

/** Said by each frame once it is drawn. */
export const noteDrawnFrame = (): void => useDrawnFrames.setState(({ count }) => ({ count: count + 1 }));
