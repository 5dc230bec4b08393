/** Which screens nobody may press away unread. */
import type { Outcome, Screen } from "../../preload/contract.ts";
import { outcomeHoldMs } from "./step-guard.ts";

/** Ends that can follow a confirm, when the customer may expect cash. Those of a look-up or of the cashier's own press are not among them. */
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
  in_use_elsewhere: true,
  unknown_barcode: false,
  no_network: false,
  service_down: false,
  service_refused: true,
  unclear: true,
};

/** How long a screen takes no press after its first paint. A scan is no press: it may still move on. */
export const holdMsOf = (screen: Screen): number =>
  // The press that opened the drawer, pressed twice, must not say that the cash was handed over.
  screen.kind === "counting" || (screen.kind === "ended" && isHeld[screen.outcome]) ? outcomeHoldMs : 0;
