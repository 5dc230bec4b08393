/** What a till's journal says it did, withdrawal by withdrawal, kept up with as the lines are written. */
import { parseAmount } from "../../backend/contract/money.ts";
import { type DurableEvent, parseBody } from "../../main/terminal/withdrawal/events.ts";
import type { JournalAccount } from "./evidence.ts";

/** Follows one till's journal. */
export interface JournalReader {
  take(bodies: readonly string[]): void;
  /** By the till's own id of the withdrawal: a customer who comes again has another one. */
  accounts(): ReadonlyMap<string, JournalAccount>;
  /** Whether a confirm under this id was written down. */
  intended(transactionId: string, terminalReference: string | null): boolean;
  /** Whether a hand-out of this transaction stands in what the till still has. */
  noted(transactionId: string): boolean;
  /** Whether it says that the service knows another journal. */
  readonly isForked: boolean;
  /** Follows another machine that goes on from what this one has written. */
  twin(till: number): JournalReader;
  /** Somebody puts a copy of the folder aside. */
  copy(): void;
  /** The copy is put back: what was written since is lost to the till, and remembered here. */
  restore(): void;
}

const intentKey = (transactionId: string, terminalReference: string | null): string =>
  `${transactionId} ${terminalReference}`;

const isUnresolved = (event: DurableEvent): boolean =>
  event.type === "discrepancy" ||
  (event.type === "report_refused" && event.report !== "reject") ||
  (event.type === "closed" && event.outcome === "unclear") ||
  (event.type === "decided" && event.decision === "leave_to_books");

/**
 * `till` is the index that its accounts carry; `mayLoseRights` says that its key may be another one by the time of a report,
 * so that a report which is refused for good leaves the withdrawal to the books.
 */
export const createJournalReader = (
  till: number,
  mayLoseRights = false,
  before: {
    readonly accounts: ReadonlyMap<string, JournalAccount>;
    readonly intents: ReadonlySet<string>;
  } | null = null,
): JournalReader => {
  const accounts = new Map([...(before?.accounts ?? [])].map(([id, account]) => [id, { ...account, till }]));
  const intents = new Set(before?.intents);
  let copied: ReadonlyMap<string, JournalAccount> | null = null;
  let isForked = false;
  let isCopyForked = false;

  /** Transactions whose hand-out is in the journal. */
  const handOuts = new Set<string>();

  const takeOne = (event: DurableEvent): void => {
    if (event.type === "journal_forked") isForked = true;
    if (!("withdrawal" in event)) return;
    const { type, withdrawal: of } = event;
    const { terminalReference } = of;
    if (type === "confirm_intended") intents.add(intentKey(of.transactionId, terminalReference));
    const before = accounts.get(of.withdrawalId);
    if (type === "handed_out") handOuts.add(of.transactionId);
    const decision = event.type === "decided" ? event.decision : null;
    const isLeft =
      decision === "leave_to_books" || (mayLoseRights && event.type === "report_refused" && event.report !== "reject");
    accounts.set(of.withdrawalId, {
      till,
      transactionId: of.transactionId,
      terminalReference,
      amountMinor: parseAmount(of.amount, of.currency),
      intended: type === "confirm_intended" || (before?.intended ?? false),
      handedOut: type === "handed_out" || decision === "handed_out" || (before?.handedOut ?? false),
      declaredNot: type === "not_handed_out" || decision === "not_handed_out" || (before?.declaredNot ?? false),
      closed: type === "closed" || (before?.closed ?? false),
      flagged: type === "discrepancy" || type === "report_refused" || (before?.flagged ?? false),
      unresolved: isUnresolved(event) || (before?.unresolved ?? false),
      toBooks: isLeft || (before?.toBooks ?? false),
      lost: before?.lost ?? false,
      open: false,
    });
  };

  return {
    take(bodies) {
      // As the till has just written it; whether it can be read again is what each of the till's own starts shows.
      for (const body of bodies) takeOne(parseBody(body) as DurableEvent);
    },
    noted: (transactionId) => handOuts.has(transactionId),
    get isForked() {
      return isForked;
    },
    twin: (other) => createJournalReader(other, mayLoseRights, { accounts, intents }),
    copy: () => {
      copied = new Map(accounts);
      isCopyForked = isForked;
    },
    restore: () => {
      isForked = isCopyForked;
      for (const [id, now] of accounts) {
        const then = copied?.get(id);
        if (copied === null || then === now) continue;
        if (then?.handedOut !== true) handOuts.delete(now.transactionId);
        accounts.set(id, { ...now, lost: true, unresolved: then?.unresolved ?? false });
      }
    },
    accounts: () => accounts,
    intended: (transactionId, terminalReference) => intents.has(intentKey(transactionId, terminalReference)),
  };
};
