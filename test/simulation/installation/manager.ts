/** The manager: enrols a till that has lost its key or becomes another one, and says what became of withdrawals that stand in the way. */

import type { Credential } from "../../../main/terminal/ports.ts";
import type { Problem, Snapshot } from "../../../preload/contract.ts";
import type { Scheduler } from "../scheduler.ts";
import type { TillMachine } from "../till.ts";

/** Whom the manager knows and what they can see. */
export interface ManagerOptions {
  readonly scheduler: Pick<Scheduler, "after" | "now">;
  readonly till: TillMachine;
  /** Makes a new key for this device at the service; null while nobody can. */
  readonly renewKey: (device: Omit<Credential, "secret">) => Promise<Credential | null>;
  /** The operator's code for this device; null while nobody can make one. */
  readonly resetCode: (device: Omit<Credential, "secret" | "serviceUrl">) => Promise<string | null>;
  /** Whether the cash of this transaction was given, as the people at the counter know. */
  readonly wasGiven: (transactionId: string) => boolean;
  readonly onTrace: (text: string) => void;
}

type Attention = "all" | "people" | "cash";

/** The manager of one till. */
export interface Manager {
  /** Makes the till this device, shop or service as soon as what is open allows it. */
  enrolAs(device: Omit<Credential, "secret">): void;
  /**
   * Looks after the till now and then until the story ends; `people`: comes with the operator's code where one is asked for, `cash`:
   * says what became of cash where the till cannot, and no more.
   */
  attend(to?: Attention): void;
  /** Whether the till is who it should be. */
  readonly isSatisfied: boolean;
}

const lookEveryMs = 60_000;
/** A report that the service has not taken yet is waited for that long; what hangs otherwise is decided then. */
const waitForCodeMs = 2 * 60_000;
const patienceMs = 5 * 60_000;

/** Does nothing before `attend`. */
export const createManager = (options: ManagerOptions): Manager => {
  const { till, scheduler } = options;
  let wanted: Omit<Credential, "secret"> | null = null;
  let triedAt = 0;
  let busySince: number | null = null;
  let refusedSince: number | null = null;
  let lostSince: number | null = null;

  const problems = async (): Promise<readonly Problem[]> => {
    const reply = await till.dispatch({ type: "list_problems" });
    return reply?.ok ? (reply.data as readonly Problem[]) : [];
  };

  /** By the truth where it may be told, else left to the books. */
  const decide = async (to: Attention): Promise<void> => {
    for (const problem of await problems()) {
      if (problem.kind !== "open") continue;
      const { decisions, withdrawalId, transactionId } = problem;
      const truth = options.wasGiven(transactionId) ? "handed_out" : "not_handed_out";
      const decision = decisions.includes(truth) ? truth : to === "cash" ? undefined : decisions[0];
      if (decision === undefined) continue;
      const reply = await till.dispatch({ type: "decide_withdrawal", withdrawalId, decision, note: "looked into" });
      options.onTrace(`manager decides ${transactionId} ${decision}: ${reply?.ok ? "ok" : reply?.code}`);
    }
  };

  const enrol = async (device: Omit<Credential, "secret">): Promise<void> => {
    const credential = await options.renewKey(device);
    if (credential === null) return;
    const reply = await till.dispatch({ type: "enroll", ...credential });
    options.onTrace(`manager enrols ${device.merchantId} ${device.deviceId}: ${reply?.ok ? "ok" : reply?.code}`);
    if (reply?.ok) {
      wanted = null;
      refusedSince = null;
    } else if (reply !== null && !reply.ok && reply.code === "undecided") {
      refusedSince ??= scheduler.now();
      if (scheduler.now() - refusedSince > patienceMs) await decide("all");
    }
  };

  const restorePeople = async ({ people, header }: Snapshot): Promise<void> => {
    const isLost = people.managers === "lost" || people.managers === "unreadable";
    lostSince = isLost ? (lostSince ?? scheduler.now()) : null;
    if (lostSince === null || header.identity === null || scheduler.now() - lostSince < waitForCodeMs) return;
    const code = await options.resetCode(header.identity);
    if (code === null) return;
    const reply = await till.resetManager(code);
    options.onTrace(`manager comes with the operator's code: ${reply?.ok ? "ok" : reply?.code}`);
  };

  const look = async (to: Attention): Promise<void> => {
    const { snapshot } = till;
    if (snapshot === null || till.life.training) return;
    const { screen } = snapshot;
    await restorePeople(snapshot);
    if (to === "people" || (to === "cash" && screen.kind !== "ready" && screen.kind !== "unknown")) return;
    if (screen.kind === "setup" && screen.known !== null) await enrol(wanted ?? screen.known);
    else if (screen.kind === "blocked" && screen.why === "other_journal")
      await till.dispatch({ type: "answer_journal_question", choice: "adopt" });
    // What is in front of the cashier is put aside before anybody decides about it, also for an enrolment that waits for that.
    else if (screen.kind === "unknown" && screen.sinceMs > 2 * patienceMs)
      await till.dispatch({ type: "dismiss", step: screen.step });
    else if (wanted !== null && (screen.kind === "ready" || screen.kind === "unknown")) await enrol(wanted);
    else if (screen.kind === "ready")
      await decideHanging(
        snapshot.header.open.map(({ sinceMs }) => sinceMs),
        to,
      );
  };

  /** What the till cannot settle by itself: an entry that nobody can read may have been its hand-out. */
  const decideHanging = async (openForMs: readonly number[], to: Attention): Promise<void> => {
    if (!openForMs.some((sinceMs) => sinceMs > 2 * patienceMs) || scheduler.now() - triedAt < patienceMs) return;
    triedAt = scheduler.now();
    await decide(to);
  };

  return {
    enrolAs: (device) => {
      wanted = device;
    },
    attend: (to = "all") => {
      const again = (): void => {
        scheduler.after(lookEveryMs, () => {
          // What was asked of a till that died meanwhile is never answered.
          if (busySince === null || scheduler.now() - busySince > patienceMs) {
            busySince = scheduler.now();
            void look(to).then(() => {
              busySince = null;
            });
          }
          again();
        });
      };
      again();
    },
    get isSatisfied() {
      return wanted === null;
    },
  };
};
