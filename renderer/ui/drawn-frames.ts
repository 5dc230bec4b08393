/** Counts the frames that were drawn, since a frame that is loaded later, or a step within a screen, has no new step id. */
import { create } from "zustand";

/** A store hook: the number of frames since the page was opened. */
export const useFrameCount = create(() => ({ count: 0 }));

/** Called by each frame once it is drawn. */
export const countDrawnFrame = (): void => useFrameCount.setState(({ count }) => ({ count: count + 1 }));
