/** A bank that contradicts its first definite answer (conventions, "Partner calls"), until an operator closes the dispute. */
import type { Service } from "../context.ts";
import type { DefiniteAnswer } from "../contract/partner-answer.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import { all, one, type UnitOfWork } from "../store/store.ts";
import { type Cause, countsEvent, recordNote } from "./history.ts";
import type { Row } from "./rows.ts";

const openDispute = statement("dispute_open", (db, p: { id: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set({ disputed_at: p.now, ...countsEvent })
    .where("id", "=", p.id)
    .returning(withdrawalColumns),
);

const endDispute = statement("dispute_close", (db, p: { id: string }) =>
  db
    .updateTable("withdrawals")
    .set({ disputed_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("disputed_at", "is not", null)
    .returning(withdrawalColumns),
);

const disputes = statement("disputes", (db, _: Readonly<Record<never, never>>) =>
  db
    .selectFrom("withdrawals")
    .select(withdrawalColumns)
    .where("disputed_at", "is not", null)
    .orderBy("disputed_at")
    .orderBy("id"),
);

/** Part of the commit that receives the contradicting answer; the transaction stays as it is. */
export function* recordDispute(id: string, answer: DefiniteAnswer, now: number, cause: Cause): UnitOfWork<void> {
  const row = yield* one(openDispute({ id, now }));
  if (row) yield* recordNote("contradicted", row, now, cause, answer);
}

/** Withdrawals whose bank contradicted itself, the oldest dispute first. */
export const listDisputes = (store: Service["store"]): Promise<readonly Row[]> => store.read(() => all(disputes({})));

/**
 * Ends a dispute; the finding is again what the status says.
 * @param operator who closes it. @param note what was found out, 1 to 500 characters.
 * @returns false when there is no such transaction or its bank did not contradict itself.
 */
export const closeDispute = (
  { store, clock }: Pick<Service, "store" | "clock">,
  transactionId: string,
  operator: string,
  note: string,
): Promise<boolean> =>
  store.write(function* () {
    const row = yield* one(endDispute({ id: transactionId }));
    if (!row) return false;
    const cause: Cause = { actor: "operator", actorId: operator, requestId: null, attempt: null };
    yield* recordNote("dispute_closed", row, clock.now(), cause, note);
    return true;
  });
