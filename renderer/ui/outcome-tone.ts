import type { Outcome } from "../../preload/contract.ts";
import type { BannerTone } from "./status-banner.tsx";

/** `never` (red) where cash might be given wrongly: it may be paid, another terminal has it, or the customer has approved. */
const tones: Readonly<Record<Outcome, BannerTone>> = {
  handed_out: "given",
  not_handed_out: "nothing",
  rejected: "nothing",
  rejected_before: "nothing",
  given_up: "nothing",
  sca_timeout: "nothing",
  sca_denied: "nothing",
  user_canceled: "nothing",
  canceled: "nothing",
  order_expired: "nothing",
  declined: "nothing",
  settle_declined: "never",
  already_used: "never",
  handed_out_before: "never",
  in_use_elsewhere: "never",
  unknown_barcode: "nothing",
  no_network: "nothing",
  service_down: "nothing",
  service_refused: "nothing",
  limit_reached: "nothing",
  unclear: "never",
};

/** The banner's tone for an outcome. */
export const toneOf = (outcome: Outcome): BannerTone => tones[outcome];
