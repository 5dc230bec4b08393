/** Which screens nobody may press away unread. */
import type { Outcome, Screen } from "../../preload/contract.ts";
import { outcomeHoldMs } from "./step-guard.ts";

/** Ends that can follow a confirm, when the customer may expect cash. Those of a look-up or of the cashier's own press are not among them. */
const heldOutcomes: ReadonlySet<Outcome> = new Set<Outcome>([
  "sca_timeout",
  "sca_denied",
  "user_canceled",
  "order_expired",
  "declined",
  "settle_declined",
  "already_used",
  "in_use_elsewhere",
  "given_up",
  "service_refused",
  "unclear",
]);

/** How long a screen takes no press after its first paint. A scan is no press: it may still move on. */
export const holdMsOf = (screen: Screen): number =>
  // The press that opened the drawer, pressed twice, must not say that the cash was handed over.
  screen.kind === "counting" || (screen.kind === "ended" && heldOutcomes.has(screen.outcome)) ? outcomeHoldMs : 0;
