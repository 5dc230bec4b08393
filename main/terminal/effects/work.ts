import type { ForgottenSince } from "../journal/reported-since.ts";
import type { Internal } from "../state/inputs.ts";
import type { Report } from "../state/state.ts";

/** What an effect does. */
export type Work =
  | { readonly kind: "look_up"; readonly transactionId: string }
  | { readonly kind: "confirm"; readonly withdrawalId: string; readonly number: number }
  /** `heldFor`: the status the service may hold the answer for; null asks for an answer at once. */
  | {
      readonly kind: "get_status";
      readonly withdrawalId: string;
      readonly number: number;
      readonly heldFor: "awaiting_sca" | "settling" | null;
    }
  | { readonly kind: "send_report"; readonly withdrawalId: string; readonly number: number; readonly report: Report }
  /** Looks through the journal for what a service that was put back to a copy may have forgotten. */
  | { readonly kind: "collect_reports"; readonly restoredAt: string; readonly since: ForgottenSince }
  | { readonly kind: "repeat_report"; readonly number: number }
  | { readonly kind: "drawer"; readonly withdrawalId: string }
  | { readonly kind: "drawer_state"; readonly withdrawalId: string }
  /** `number` names the job. */
  | { readonly kind: "print"; readonly number: number }
  | { readonly kind: "probe" }
  | { readonly kind: "read_shop"; readonly merchantId: string }
  | { readonly kind: "read_service_head" }
  | { readonly kind: "report_journal_head" }
  | { readonly kind: "check_duplicate_device" }
  | { readonly kind: "dispatch"; readonly input: Internal }
  /** The screen changes with time alone. */
  | { readonly kind: "repaint" };

/** One thing to do, now or later. */
export interface Effect {
  /** The same until the effect was answered, so that none is started twice. */
  readonly key: string;
  /** When it is due at the earliest, by the monotonic clock. */
  readonly notBeforeMs: number;
  readonly work: Work;
}
