import type { Client, Service } from "../context.ts";
import { assertNever } from "../contract/assert-never.ts";
import type { Reason } from "../contract/reasons.ts";
import type { PartnerAnswer } from "../partner/answer.ts";
import { one } from "../store/store.ts";
import { byPartner, bySweeper } from "./history.ts";
import { recordOwnTransition } from "./record-transition.ts";
import { type Row, withdrawalById } from "./store/reads.ts";
import { acceptStart, declineStart } from "./store/transitions.ts";
import { countTransition } from "./transition.ts";

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
  const { updated, event, latest } = await service.store.write(function* () {
    const now = service.clock.now();
    const accepted = answer === "accepted" ? yield* one(acceptStart({ id, now })) : undefined;
    const updated = accepted ?? (yield* one(declineStart({ id, now, reason: reasonOf(answer) })));
    const cause = answer === "none" ? bySweeper : byPartner(client, attempt);
    const event = updated ? yield* recordOwnTransition(service, updated, "requested", now, cause) : null;
    return { updated, event, latest: updated ?? (yield* one(withdrawalById({ id }))) };
  }, id);
  if (updated) countTransition(service, "requested", updated, event);
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
