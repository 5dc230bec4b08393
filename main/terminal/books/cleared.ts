/** Whether what a manager cleared up is what the books find: a word about one thing must not hide another. Pure. */
import type { BookExplanation, Discrepancy } from "../../../preload/contract.ts";
import { notedOf, type WithdrawalRecord } from "../read-model/record.ts";

const itsEnd: readonly Discrepancy[] = ["unclear", "left_to_books", "status_unclear", "confirm_unclear", "not_found"];

/** The problems of this terminal that come to the same as a difference of the books; `any`: it is nothing but such a problem. */
const cameTo: Readonly<Record<BookExplanation, readonly Discrepancy[] | "any">> = {
  link_refused: "any",
  undelivered_refused: "any",
  unclear_here: "any",
  noted_here: "any",
  amount_differs: ["amount_changed"],
  other_terminal: ["not_settled_any_more", "linked_by_another", "link_refused", "not_found"],
  reported_twice: ["linked_by_another", "link_refused", ...itsEnd],
  forgotten_there: ["forgotten"],
  paid_without_money: ["forgotten", "not_settled_any_more", "link_refused", "not_found"],
  linked_not_here: ["linked_by_another", "undelivered_refused", ...itsEnd],
  undelivered_not_here: ["undelivered_by_another", "link_refused"],
  cash_not_said: itsEnd,
  settle_unknown: itsEnd,
  known_here_only: itsEnd,
  // The service's to say, or on their way by themselves.
  restored: [],
  disputed: [],
  undelivered: [],
  link_on_its_way: [],
  undelivered_on_its_way: [],
  known_there_only: [],
};

/** Whether a manager's note about the withdrawal answers this difference. */
export const isCleared = (record: WithdrawalRecord, explanation: BookExplanation): boolean => {
  if (record.cleared === null) return false;
  const words = cameTo[explanation];
  const noted = notedOf(record)?.split(", ") ?? [];
  return words === "any" || words.some((word) => noted.includes(word));
};
