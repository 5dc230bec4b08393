import type { Screen } from "../../preload/contract.ts";

/** Who has the terminal while a screen is shown; `in_use`: a withdrawal, or somebody who is setting up. */
type ScreenUse = "starting" | "blocked" | "free" | "in_use";

/** What each screen says about that: whether the program may exit, and whether a new version works. */
export const screenUse: Readonly<Record<Screen["kind"], ScreenUse>> = {
  starting: "starting",
  blocked: "blocked",
  ready: "free",
  setup: "in_use",
  looking_up: "in_use",
  review: "in_use",
  confirming: "in_use",
  waiting: "in_use",
  closing: "in_use",
  payable: "in_use",
  opening: "in_use",
  counting: "in_use",
  done: "in_use",
  ended: "in_use",
  unknown: "in_use",
};
