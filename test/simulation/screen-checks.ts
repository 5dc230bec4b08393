/** Checks what the books alone do not show: what a screen said at that instant, how often a drawer opened, what a bank holds. */
import { parseAmount } from "../../backend/contract/money.ts";
import type { Status } from "../../backend/contract/transaction.ts";
import type { Command, Screen, ScreenOf } from "../../preload/contract.ts";
import type { Hold } from "./bank.ts";
import type { ServiceRow } from "./evidence.ts";
import type { Watch } from "./watch.ts";

/** Is told of every screen, press and drawer. */
export interface ScreenChecks {
  /** What a till shows now, each screen once. */
  shown(till: number, screen: Screen, opensItself: boolean): void;
  /** A person presses something; `screen` is what they see. */
  pressed(till: number, command: Command, screen: Screen): void;
  /** The till tells its drawer to open. */
  drawerTold(till: number): void;
  committed(rows: readonly ServiceRow[]): void;
}

/** Where to look when a screen claims something. */
export interface ScreenChecksOptions {
  readonly watch: Pick<Watch, "row" | "report">;
  /** The story's time, which never jumps. */
  readonly nowMs: () => number;
  readonly serviceNow: () => number;
  /** What the bank holds for a transaction. */
  readonly hold: (transactionId: string) => Hold | undefined;
  /** Whether this till intended the confirm that the service took. */
  readonly intended: (till: number, row: ServiceRow) => boolean;
}

/**
 * What an end says of the money. A status: only the service can tell of it, and must have it so at that moment. Unpaid: no money
 * moves. Nothing: it was paid, or nobody here can tell.
 */
const ends: Readonly<Record<ScreenOf<"ended">["outcome"], Status | "unpaid" | "nothing">> = {
  sca_denied: "canceled",
  user_canceled: "canceled",
  canceled: "canceled",
  order_expired: "expired",
  declined: "declined",
  settle_declined: "failed",
  rejected: "unpaid",
  rejected_before: "unpaid",
  given_up: "unpaid",
  sca_timeout: "unpaid",
  handed_out: "nothing",
  not_handed_out: "nothing",
  already_used: "nothing",
  handed_out_before: "nothing",
  in_use_elsewhere: "nothing",
  unknown_barcode: "nothing",
  no_network: "nothing",
  service_down: "nothing",
  service_refused: "nothing",
  limit_reached: "nothing",
  unclear: "nothing",
};
const moneyMoves: ReadonlySet<Status> = new Set(["settling", "settled", "linked"]);
const beforeApproval: ReadonlySet<Status> = new Set(["requested", "ready", "awaiting_sca"]);

/** What does not hold is reported to the watch. */
/** A till knows the service's clock by its Date header, and a row is tidied up some time after it has expired. */
const roundedMs = 2_000;

/** Whoever has pressed stands there for so long, sees the drawer open, and is the one whom the journal names. */
const pressLastsMs = 30_000;

/** Reports what it sees to `watch`. */
export const createScreenChecks = ({ watch, nowMs, serviceNow, hold, intended }: ScreenChecksOptions): ScreenChecks => {
  /** Presses that may still open a till's drawer, and for which withdrawal the last one was. */
  const presses = new Map<number, { left: number; transactionId: string; atMs: number }>();

  /** Withdrawals for which a till has opened its drawer by itself, as its manager chose: once each. */
  const openedAlone = new Set<string>();
  /** Presses for cash in and out that have not opened a till's drawer yet. */
  const moves = new Map<number, number>();

  const ended = (till: number, { outcome, transactionId }: ScreenOf<"ended">): void => {
    const row = transactionId === null ? null : watch.row(transactionId);
    if (row === null) return;
    const says = `till ${till} says ${outcome} while ${row.status}`;
    const said = ends[outcome];
    if (said === "nothing") return;
    const isExpired =
      outcome === "order_expired" && row.status === "ready" && serviceNow() + roundedMs >= row.expiresAtMs;
    if (said !== "unpaid" && row.status !== said && !isExpired) watch.report(4, row.transactionId, says);
    else if (moneyMoves.has(row.status) && intended(till, row)) watch.report(4, row.transactionId, says);
  };

  return {
    shown(till, screen, opensItself) {
      if (opensItself && screen.kind === "opening" && screen.drawer === "opening" && !screen.recovered) {
        const { transactionId } = screen;
        const isPressed = presses.get(till)?.transactionId === transactionId;
        if (!isPressed && !openedAlone.has(transactionId)) presses.set(till, { left: 1, transactionId, atMs: nowMs() });
        openedAlone.add(transactionId);
      }
      if (screen.kind === "ended") ended(till, screen);
      if (screen.kind !== "waiting" && screen.kind !== "done") return;
      const status = watch.row(screen.transactionId)?.status;
      if (status === undefined) return;
      if (screen.kind === "waiting" && screen.phase === "payment" && beforeApproval.has(status))
        watch.report(4, screen.transactionId, `till ${till} says approved while ${status}`);
      if (screen.kind === "done" && status !== "settled" && status !== "linked")
        watch.report(4, screen.transactionId, `till ${till} says done while ${status}`);
    },
    pressed(till, { type }, screen) {
      // Cash in and out opens it as well, where no withdrawal is in front.
      if (type === "move_cash") moves.set(till, (moves.get(till) ?? 0) + 1);
      const opens =
        (type === "hand_out" && screen.kind === "payable") || (type === "open_drawer" && screen.kind === "opening");
      if (opens) presses.set(till, { left: 1, transactionId: screen.transactionId, atMs: nowMs() });
    },
    drawerTold(till) {
      const press = presses.get(till);
      const moved = moves.get(till) ?? 0;
      const id = press?.transactionId ?? "";
      // A press whose order never reached the drawer is none for what opens it later.
      const ageMs = press === undefined || press.left === 0 ? null : nowMs() - press.atMs;
      if (press !== undefined && ageMs !== null && ageMs <= pressLastsMs) press.left -= 1;
      else if (moved > 0) moves.set(till, moved - 1);
      else if (ageMs !== null)
        watch.report(1, id, `till ${till} opens its drawer ${ageMs / 1000} s after the press for it`);
      else watch.report(1, id, `till ${till} opens its drawer and nobody pressed for it`);
    },
    committed(rows) {
      for (const row of rows) {
        if (row.status !== "settling") continue;
        const held = hold(row.transactionId);
        if (held === undefined) watch.report(2, row.transactionId, "to be paid without a hold at the bank");
        else if (held.expiresAtMs <= serviceNow())
          watch.report(2, row.transactionId, "to be paid when the bank's hold has expired");
        else if (parseAmount(held.amount, row.currency) !== row.amountMinor)
          watch.report(2, row.transactionId, `${held.amount} held, ${row.amountMinor} minor units ordered`);
      }
    },
  };
};
