/** What lives as long as this run, and is in no journal. */
import type {
  Outcome,
  OwnServiceStatus,
  PeopleView,
  PhoneAccess,
  Settings,
  ShopProfile,
  UpdateStatus,
} from "../../../preload/contract.ts";
import type { DrawerState, PrintAnswer } from "../ports.ts";
import type { PrintTask } from "../receipts/printed-lines.ts";
import type { ServiceHead } from "./head-report.ts";
import type { Reported } from "./reported.ts";
import type { Device, Facts, RequestState, ServiceRestore, State } from "./state.ts";

/** What is on the screen. */
export type ScreenEvent =
  | { readonly type: "scan_seen"; readonly transactionId: string }
  | { readonly type: "toast_shown"; readonly code: NonNullable<State["toast"]>["code"] }
  | { readonly type: "look_up_begun"; readonly transactionId: string }
  | { readonly type: "look_up_postponed"; readonly notBeforeMs: number }
  | {
      readonly type: "review_opened";
      readonly facts: Facts;
      readonly createdAtMs: number | null;
      readonly expiresAtMs: number | null;
    }
  | {
      readonly type: "ended_shown";
      readonly outcome: Outcome;
      readonly transactionId: string | null;
      readonly money: { readonly amount: string; readonly currency: string } | null;
      readonly canRetry: boolean;
    }
  | { readonly type: "screen_cleared" }
  | { readonly type: "withdrawal_shown"; readonly withdrawalId: string };

/** What this run learns about an open withdrawal between two entries. */
export type ProgressEvent =
  | { readonly type: "phase_seen"; readonly withdrawalId: string; readonly phase: "approval" | "payment" }
  /** The truth overtook a reject: back to confirming or waiting. */
  | { readonly type: "reject_overtaken"; readonly withdrawalId: string; readonly to: "confirming" | "payment" }
  | {
      readonly type: "approval_deadline_known";
      readonly withdrawalId: string;
      /** Monotonic. */
      readonly untilMs: number;
      readonly totalMs: number;
    }
  | { readonly type: "drawer_sensed"; readonly withdrawalId: string; readonly drawer: DrawerState }
  /** The cashier pressed for the cash, and the service is asked before it leaves the drawer. */
  | {
      readonly type: "hand_out_asked";
      readonly withdrawalId: string;
      readonly by: string;
      readonly approvedBy: string | null;
    }
  /** The service contradicts that it is paid: it is not offered before it says so again. */
  | { readonly type: "recheck_needed"; readonly withdrawalId: string; readonly notBeforeMs: number }
  /** The next call about it need not wait any longer. */
  | { readonly type: "retry_requested"; readonly withdrawalId: string }
  | {
      readonly type: "request_state_changed";
      readonly withdrawalId: string;
      readonly requestState: Partial<RequestState>;
    };

/** What this run learns about itself and its surroundings. */
export type ProgramEvent =
  | { readonly type: "started"; readonly damagedEntries: number }
  /** The machine slept: what is on the screen may be old. */
  | { readonly type: "resumed" }
  | { readonly type: "service_responded"; readonly dateMs: number | null }
  | { readonly type: "service_silent" }
  /** One answer was lost, of a service that answered others: a probe finds out whether it is there. */
  | { readonly type: "service_doubted" }
  | { readonly type: "probed" }
  | { readonly type: "credential_checked"; readonly verdict: "good" | "refused" | "unsafe" }
  /** Null: the service was asked and said nothing about the shop. */
  | { readonly type: "shop_read"; readonly profile: ShopProfile | null; readonly restore: ServiceRestore | null }
  /** These are reported again after the service's restore of that time. */
  | { readonly type: "repeats_begun"; readonly restoredAt: string; readonly left: readonly Reported[] }
  /** The first of them was answered for good. */
  | { readonly type: "repeat_ended" }
  | { readonly type: "repeat_postponed"; readonly notBeforeMs: number }
  | { readonly type: "enrolled"; readonly device: Device }
  | { readonly type: "settings_changed"; readonly settings: Settings }
  | { readonly type: "people_changed"; readonly people: PeopleView }
  | { readonly type: "own_service_changed"; readonly ownService: OwnServiceStatus | null }
  | { readonly type: "phone_access_changed"; readonly phoneAccess: PhoneAccess | null }
  | { readonly type: "update_changed"; readonly update: UpdateStatus | null }
  | { readonly type: "journal_health_changed"; readonly takes: boolean }
  | { readonly type: "journal_check_moved"; readonly progress: State["journalCheck"] }
  | { readonly type: "blocked"; readonly blocked: State["blocked"] }
  /** The newest link that the service holds; `compared` when it holds none. */
  | { readonly type: "service_head_read"; readonly head: ServiceHead }
  /** The service answered a report of the journal's head, or did not. */
  | { readonly type: "head_answered"; readonly outcome: "taken" | "unsupported" | "forked" | "failed" }
  | { readonly type: "duplicate_device_found" }
  | { readonly type: "duplicate_device_checked" };

/** What the printer says, and what is done about it. `number` names the job. */
export type PrintEvent =
  /** A closed day's report, once more: the journal has what it says. */
  | { readonly type: "print_asked"; readonly task: PrintTask }
  | { readonly type: "print_ended"; readonly number: number; readonly answer: PrintAnswer }
  | { readonly type: "print_retried" }
  | { readonly type: "prints_dropped" };

/** An event that is forgotten at the end of this run. */
export type TransientEvent = ScreenEvent | ProgressEvent | ProgramEvent | PrintEvent;
