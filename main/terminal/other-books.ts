/** What is unresolved in the journals beside this one: compared again at every start, so that no crash between two books loses or doubles it. */
import { replay } from "./journal/replay.ts";
import type { Ports } from "./ports.ts";
import { bookName } from "./state/book.ts";
import type { DurableEvent } from "./state/events.ts";
import { isUndecided } from "./state/manager-problems.ts";
import type { ProblemRecord } from "./state/problem-record.ts";
import { addProblem } from "./state/problems.ts";
import { factsOf, type Moment, type State } from "./state/state.ts";

interface OtherBook {
  readonly name: string;
  readonly state: State;
}

const readOthers = ({ journal, log }: Ports, initial: State, now: Moment): readonly OtherBook[] =>
  journal.others().flatMap((name) => {
    try {
      const read = journal.readOther(name);
      const { state } = replay(initial, { read: () => read }, now);
      return [{ name: state.book === null ? name : bookName(state.book), state }];
    } catch (error) {
      log("warn", "a journal beside this one cannot be read", { name, error: String(error) });
      return [];
    }
  });

/** Its own problems, and what is open and nobody decided. What it shows of others is theirs to tell. */
const unresolvedIn = ({ name, state }: OtherBook, atWallMs: number): readonly ProblemRecord[] => {
  const own = new Map([...state.problems].filter(([, { otherShop }]) => otherShop === null));
  const all = [...state.open.values()]
    .filter((one) => one.decided || isUndecided(one))
    .reduce((so, one) => addProblem(so, factsOf(one), "in_other_journal", atWallMs), own as State["problems"]);
  const otherShop = state.book?.merchantId ?? "";
  return [...all.values()].map((one) => ({ ...one, otherShop, otherBook: name }));
};

const isShownAlready = (own: State, { facts, about }: ProblemRecord): boolean =>
  own.acknowledgedElsewhere.has(facts.withdrawalId) ||
  own.open.has(facts.withdrawalId) ||
  own.problems.get(facts.withdrawalId)?.about.join() === about.join();

const carriedFrom = (own: State, other: OtherBook, atWallMs: number): readonly DurableEvent[] => {
  const unresolved = unresolvedIn(other, atWallMs);
  const still = new Set(unresolved.map(({ facts }) => facts.withdrawalId));
  const problems = unresolved
    .filter((one) => !isShownAlready(own, one))
    .map((one) => ({ ...one, about: [...one.about] }));
  const resolved = [...own.problems.values()]
    .filter(({ otherBook, facts }) => otherBook === other.name && !still.has(facts.withdrawalId))
    .map(({ facts }) => facts.withdrawalId);
  if (problems.length === 0 && resolved.length === 0) return [];
  return [{ type: "carried_over", from: other.state.book?.merchantId ?? "", problems, resolved }];
};

/** What a manager acknowledged while another book was in use counts here too. */
const acknowledgedIn = (own: State, { state }: OtherBook): readonly DurableEvent[] =>
  [...state.acknowledgedElsewhere]
    .filter(([withdrawalId]) => own.problems.get(withdrawalId)?.otherShop === null)
    .map(([withdrawalId, { actor, note }]) => ({ type: "acknowledged", withdrawalId, actor, note }));

/** @param initial the state that a journal is read into. */
export const fromOtherBooks = (own: State, ports: Ports, initial: State, now: Moment): readonly DurableEvent[] =>
  readOthers(ports, initial, now).flatMap((other) => [
    ...acknowledgedIn(own, other),
    ...carriedFrom(own, other, now.wallMs),
  ]);
