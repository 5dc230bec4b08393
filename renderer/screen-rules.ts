/** What the page does on each kind of screen, and with each outcome. A new one has to answer here before it compiles. */
import type { Outcome, Screen, ScreenOf, Snapshot } from "../preload/contract.ts";
import type { BannerTone } from "./ui/frame.tsx";
import type { Sound } from "./ui/sounds.ts";
import { outcomeHoldMs } from "./ui/step-guard.ts";

interface OutcomeRules {
  /** `never` (red) where cash might be given wrongly: it may be paid, another terminal has it, or the customer has approved. */
  readonly tone: "given" | "nothing" | "never";
  /** It can follow a confirm, when the customer may expect cash: presses are ignored at first, so that it is read. */
  readonly isHeld: boolean;
}

const given: OutcomeRules = { tone: "given", isHeld: false };
/** The result of a look-up, or of what the cashier pressed. */
const expected: OutcomeRules = { tone: "nothing", isHeld: false };
const noCash: OutcomeRules = { tone: "nothing", isHeld: true };
const neverCash: OutcomeRules = { tone: "never", isHeld: true };

const outcomeRules: Readonly<Record<Outcome, OutcomeRules>> = {
  handed_out: given,
  not_handed_out: expected,
  rejected: expected,
  rejected_before: expected,
  given_up: noCash,
  sca_timeout: noCash,
  sca_denied: noCash,
  user_canceled: noCash,
  canceled: noCash,
  order_expired: noCash,
  declined: noCash,
  settle_declined: neverCash,
  already_used: neverCash,
  handed_out_before: neverCash,
  in_use_elsewhere: neverCash,
  unknown_barcode: expected,
  no_network: expected,
  service_down: expected,
  service_refused: noCash,
  limit_reached: noCash,
  unclear: neverCash,
};

/** The banner's tone for an outcome. */
export const toneOf = (outcome: Outcome): BannerTone => outcomeRules[outcome].tone;

interface ScreenRules<Kind extends Screen["kind"]> {
  /** The manager's area and the cashier's may lie over it: no money moves. */
  readonly mayBeCovered: boolean;
  /** A manager works on the screen itself, so the session goes on while the manager's area is closed. */
  readonly isManagers: boolean;
  /** From here the cashier may turn to another open withdrawal. */
  readonly canResume: boolean;
  /** It ignores presses at first. */
  readonly isHeld: (screen: ScreenOf<Kind>) => boolean;
  /** Its sound about cash; null: none. @param opensItself the drawer opens without a press. */
  readonly sound: (screen: ScreenOf<Kind>, opensItself: boolean) => Sound | null;
}

const busy = {
  mayBeCovered: false,
  isManagers: false,
  canResume: false,
  isHeld: () => false,
  sound: () => null,
} as const;

/** By the kind of the screen. */
export const screenRules: { readonly [Kind in Screen["kind"]]: ScreenRules<Kind> } = {
  starting: { ...busy, isManagers: true },
  setup: { ...busy, mayBeCovered: true, isManagers: true },
  blocked: { ...busy, isManagers: true },
  ready: { ...busy, mayBeCovered: true, canResume: true },
  looking_up: busy,
  review: busy,
  confirming: busy,
  waiting: busy,
  closing: busy,
  payable: { ...busy, sound: ({ recovered, handOutBegun }) => (recovered || handOutBegun ? "ask" : "give") },
  // Where the drawer opens by itself, this is the first green screen.
  opening: {
    ...busy,
    sound: ({ drawer, recovered }, opensItself) => (opensItself && drawer === "opening" && !recovered ? "give" : null),
  },
  // A double press on "Open drawer" must not confirm the hand-over too.
  counting: { ...busy, isHeld: () => true },
  done: { ...busy, canResume: true },
  ended: {
    ...busy,
    mayBeCovered: true,
    canResume: true,
    isHeld: ({ outcome }) => outcomeRules[outcome].isHeld,
    sound: ({ outcome }) => {
      const { tone } = outcomeRules[outcome];
      return tone === "given" ? null : tone;
    },
  },
  unknown: { ...busy, mayBeCovered: true, canResume: true, sound: () => "never" },
};

/** The cast is safe: the rules are looked up by the screen's own kind. */
const rulesOf = (screen: Screen) => screenRules[screen.kind] as ScreenRules<Screen["kind"]>;

/** Milliseconds for which a screen ignores presses after its first paint. A scan is no press: it is still handled. */
export const holdMsOf = (screen: Screen): number => (rulesOf(screen).isHeld(screen) ? outcomeHoldMs : 0);

/** A screen's sound. While the journal cannot be written it is `never`, since no cash may be given. */
export const soundOf = (screen: Screen, journalFailing: boolean, opensItself: boolean): Sound | null =>
  journalFailing ? "never" : rulesOf(screen).sound(screen, opensItself);

/** Whether this is the practice at the end of a set-up: training that begins by itself and goes back to real money. */
export const isPractising = ({ header, settings }: Snapshot): boolean =>
  header.training && settings.setUp === "practice";

/** Whether a part of the set-up lies over the first screen now. */
export const isSettingUp = (snapshot: Snapshot): boolean =>
  snapshot.screen.kind === "ready" && snapshot.settings.setUp !== "done" && !isPractising(snapshot);
