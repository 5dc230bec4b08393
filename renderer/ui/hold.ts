/** Screens that ignore presses at first, so that they are read. */
import type { Outcome, Screen } from "../../preload/contract.ts";
import { outcomeHoldMs } from "./step-guard.ts";

/** Outcomes that can follow a confirm, when the customer may expect cash; not those of a look-up or of the cashier's own press. */
const isHeld: Readonly<Record<Outcome, boolean>> = {
  handed_out: false,
  not_handed_out: false,
  rejected: false,
  rejected_before: false,
  given_up: true,
  sca_timeout: true,
  sca_denied: true,
  user_canceled: true,
  canceled: true,
  order_expired: true,
  declined: true,
  settle_declined: true,
  already_used: true,
  handed_out_before: true,
  in_use_elsewhere: true,
  unknown_barcode: false,
  no_network: false,
  service_down: false,
  service_refused: true,
  limit_reached: true,
  unclear: true,
};

/** Screens that ignore presses at first, always or by their outcome. */
const isScreenHeld: Readonly<Record<Screen["kind"], boolean | "by_outcome">> = {
  starting: false,
  setup: false,
  blocked: false,
  ready: false,
  looking_up: false,
  review: false,
  confirming: false,
  waiting: false,
  closing: false,
  payable: false,
  opening: false,
  // A double press on "Open drawer" must not confirm the hand-over too.
  counting: true,
  done: false,
  ended: "by_outcome",
  unknown: false,
};

/** Milliseconds for which a screen ignores presses after its first paint. A scan is no press: it is still handled. */
export const holdMsOf = (screen: Screen): number => {
  const isWholeHeld = isScreenHeld[screen.kind];
  const isNowHeld = isWholeHeld === "by_outcome" ? screen.kind === "ended" && isHeld[screen.outcome] : isWholeHeld;
  return isNowHeld ? outcomeHoldMs : 0;
};
