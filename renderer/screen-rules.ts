/** What the page allows on each kind of screen. A new kind has to answer here before it compiles. */
import type { Screen, Snapshot } from "../preload/contract.ts";

interface ScreenRules {
  /** The manager's area and the cashier's may lie over it: no money moves. */
  readonly mayBeCovered: boolean;
  /** A manager works on the screen itself, so that the session does not end with the manager's area. */
  readonly isManagers: boolean;
  /** From here the cashier may turn to another open withdrawal. */
  readonly canResume: boolean;
}

const busy: ScreenRules = { mayBeCovered: false, isManagers: false, canResume: false };

/** By the kind of the screen in front. */
export const screenRules: Readonly<Record<Screen["kind"], ScreenRules>> = {
  starting: { ...busy, isManagers: true },
  setup: { ...busy, mayBeCovered: true, isManagers: true },
  blocked: { ...busy, isManagers: true },
  ready: { ...busy, mayBeCovered: true, canResume: true },
  looking_up: busy,
  review: busy,
  confirming: busy,
  waiting: busy,
  closing: busy,
  payable: busy,
  opening: busy,
  counting: busy,
  done: { ...busy, canResume: true },
  ended: { ...busy, mayBeCovered: true, canResume: true },
  unknown: { ...busy, mayBeCovered: true, canResume: true },
};

/** Whether this is the practice at the end of a set-up: training that begins by itself and goes back to real money. */
export const isPractising = ({ header, settings }: Snapshot): boolean =>
  header.training && settings.setUp === "practice";

/** Whether a part of the set-up lies over the first screen now. */
export const isSettingUp = (snapshot: Snapshot): boolean =>
  snapshot.screen.kind === "ready" && snapshot.settings.setUp !== "done" && !isPractising(snapshot);
