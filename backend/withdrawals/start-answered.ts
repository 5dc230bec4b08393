import type { Client, Service } from "../context.ts";
import { assertNever } from "../contract/assert-never.ts";
import type { PartnerAnswer } from "../contract/partner-answer.ts";
import type { Reason } from "../contract/transaction.ts";
import { withdrawalColumns } from "../store/columns.ts";
import { statement } from "../store/statement.ts";
import { one } from "../store/store.ts";
import { byPartner, bySweeper, countsEvent } from "./history.ts";
import { recordOwnMove } from "./record-move.ts";
import { type Row, withdrawalById } from "./rows.ts";
import { countMove } from "./transition.ts";

const secured = statement("start_accepted", (db, p: { id: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set((set) => ({ status: "ready", deadline_at: set.ref("expires_at"), ...countsEvent }))
    .where("id", "=", p.id)
    .where("status", "=", "requested")
    .where("deadline_at", ">", p.now)
    .returning(withdrawalColumns),
);

const declined = statement("start_declined", (db, p: { id: string; now: number; reason: Reason }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "declined", reason: p.reason, closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("status", "=", "requested")
    .returning(withdrawalColumns),
);

/**
 * What came of Start order. An answer after the 15 s changes nothing: the row has been declined, the partner's hold expires.
 * @param attempt the try that brought the answer, from 1.
 * @returns the row as it is then.
 */
export const startAnswered = async (
  service: Service,
  row: Row,
  answer: PartnerAnswer["kind"],
  client: Client,
  attempt: number,
): Promise<Row> => {
  const { id } = row;
  const { moved, event, latest } = await service.store.write(function* () {
    const now = service.clock.now();
    const accepted = answer === "accepted" ? yield* one(secured({ id, now })) : undefined;
    const moved = accepted ?? (yield* one(declined({ id, now, reason: reasonOf(answer) })));
    const cause = answer === "none" ? bySweeper : byPartner(client, attempt);
    const event = moved ? yield* recordOwnMove(moved, "requested", now, cause) : null;
    return { moved, event, latest: moved ?? (yield* one(withdrawalById({ id }))) };
  });
  if (moved) countMove(service, "requested", moved, event);
  return latest ?? row;
};

/** An acceptance that is not taken came too late: for the customer the bank was not reachable. */
const reasonOf = (answer: PartnerAnswer["kind"]): Reason => {
  switch (answer) {
    case "declined":
      return "partner_declined";
    case "accepted":
    case "none":
      return "partner_unreachable";
    default:
      return assertNever(answer);
  }
};
