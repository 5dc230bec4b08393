/** Problems for the books: they stay, also across restarts and checkpoints, until a manager has acknowledged them. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Discrepancy, KeptDrawerProblem, ManagerDecision, Problem } from "../../../preload/contract.ts";
import { acknowledgedElsewhereMax, drawerHandledMs, drawerOpeningsMax } from "../bounds.ts";
import type { DrawerMoney } from "../day/drawer-money.ts";
import type { AboutWithdrawal, DurableEvent, Recorded } from "./events.ts";
import type { Acknowledgements, Moment, ProblemRecord, Problems, State } from "./state.ts";
import { type Facts, factsOf, isIn, shownFacts, type Withdrawal } from "./withdrawal.ts";

/** Adds a problem to a withdrawal; one that is there already changes nothing. */
export const addProblem = (problems: Problems, facts: Facts, about: string, atWallMs: number): Problems => {
  const before = problems.get(facts.withdrawalId);
  if (before?.about.includes(about)) return problems;
  const record = {
    facts: factsOf(facts),
    about: [...(before?.about ?? []), about],
    sinceWallMs: before?.sinceWallMs ?? atWallMs,
    otherShop: before?.otherShop ?? null,
    otherBook: before?.otherBook ?? null,
  };
  return new Map(problems).set(facts.withdrawalId, record);
};

/** Id for problems of the journal itself; others have a withdrawal's id. */
export const journalProblemId = "journal";

/** No cash is offered after it, and a manager has to decide. */
export const putBackWithService = "put_back_with_service" satisfies Discrepancy;

/** The problem in an entry, or null. */
export const wordForBooks = (event: AboutWithdrawal): string | null => {
  switch (event.type) {
    case "discrepancy":
      return event.about;
    case "report_refused":
      return event.report === "reject" ? null : `${event.report}_refused`;
    case "closed":
      return event.outcome === "unclear" ? "unclear" : null;
    case "decided":
      return event.decision === "leave_to_books" ? "left_to_books" : null;
    case "confirm_intended":
    case "confirm_accepted":
    case "reject_intended":
    case "settled":
    case "hand_out_intended":
    case "drawer_reopened":
    case "drawer_unsure":
    case "drawer_opened":
    case "handed_out":
    case "not_handed_out":
    case "report_accepted":
      return null;
    default:
      return assertNever(event);
  }
};

/** Entries that problems come from, or that end them. */
type AboutProblems = AboutWithdrawal | Extract<DurableEvent, { type: "acknowledged" | "carried_over" }>;

/** The problems after an event. */
export const problemsAfter = (problems: Problems, event: AboutProblems, atWallMs: number): Problems => {
  if (event.type === "acknowledged") return new Map([...problems].filter(([id]) => id !== event.withdrawalId));
  if (event.type === "carried_over")
    return new Map([
      ...[...problems].filter(([withdrawalId]) => !event.resolved.includes(withdrawalId)),
      ...event.problems.map((one): [string, ProblemRecord] => [one.facts.withdrawalId, one]),
    ]);
  const word = wordForBooks(event);
  // An unclear ending adds nothing to an existing problem.
  const isSaid = word === null || (event.type === "closed" && problems.has(event.withdrawal.withdrawalId));
  return isSaid ? problems : addProblem(problems, event.withdrawal, word, atWallMs);
};

/** The latest acknowledgements of another book's problems, kept for that book. */
export const acknowledgedAfter = (
  before: Acknowledgements,
  problems: Problems,
  { withdrawalId, actor, note }: Extract<DurableEvent, { type: "acknowledged" }>,
): Acknowledgements => {
  const read = problems.get(withdrawalId);
  if (read?.otherShop == null) return before;
  // Two copies of that book may say different things.
  const about = [...new Set([...(before.get(withdrawalId)?.about ?? []), ...read.about])];
  return new Map([...before, [withdrawalId, { actor, note, about }] as const].slice(-acknowledgedElsewhereMax));
};

/** Whether all that a withdrawal's problem says was read and acknowledged while another book was in use. */
export const isReadElsewhere = (acknowledged: Acknowledgements, { facts, about }: ProblemRecord): boolean => {
  const read = acknowledged.get(facts.withdrawalId);
  return read !== undefined && about.every((word) => read.about.includes(word));
};

/** The act of an opening without a command; `about` are the signed-in people. */
export const foundOpenAct = "drawer_found_open";

/** The act of a test of the drawer; `about` is `drawerTestIntended` before it, then the result, and the place if it was another drawer. */
export const drawerTestAct = "drawer_test";
/** See `drawerTestAct`. */
export const drawerTestIntended = "intended";

/** The act of showing the expected sum. */
export const expectedShownAct = "expected_shown";

/** The day's difference in a problem's id; null for other problems. */
export const dayOfProblem = (id: string): { readonly about: "night" | "count"; readonly day: number } | null => {
  const found = /^(night|count):(\d+)$/.exec(id);
  return found && { about: found[1] === "night" ? "night" : "count", day: Number(found[2]) };
};

/** Whether so many openings wait for a manager that further ones are not recorded. */
export const hasManyOpenings = (problems: readonly KeptDrawerProblem[]): boolean =>
  problems.filter(({ about }) => about === "drawer_opened").length >= drawerOpeningsMax;

const add = (problems: readonly KeptDrawerProblem[], one: KeptDrawerProblem): readonly KeptDrawerProblem[] =>
  problems.some(({ id }) => id === one.id) ? problems : [...problems, one];

/** When the drawer was last counted or cash moved; never while no day is open. */
const handledAtMs = (money: DrawerMoney): number =>
  money.kind === "closed"
    ? Number.NEGATIVE_INFINITY
    : Math.max(money.day.openedAtMs, ...[...money.day.moves, ...money.day.everyCount].map(({ atMs }) => atMs));

const withoutHandled = (problems: readonly KeptDrawerProblem[], atMs: number): readonly KeptDrawerProblem[] =>
  problems.filter(
    ({ about, sinceWallMs }) => about !== "drawer_opened" || Math.abs(atMs - sinceWallMs) > drawerHandledMs,
  );

const isForCount = ({ noSale }: KeptDrawerProblem): boolean => noSale?.reason === "cash_count";

/** A count explains the last opening for a count, however long ago, and others shortly before. */
const withoutCounted = (problems: readonly KeptDrawerProblem[], atMs: number): readonly KeptDrawerProblem[] => {
  const last = problems.findLast(isForCount);
  return withoutHandled(problems, atMs).filter(
    (one) => !isForCount(one) || (one !== last && Math.abs(atMs - one.sinceWallMs) > drawerHandledMs),
  );
};

const noSum = { differenceMinor: 0, currency: null };

/** The drawer's problems after an event. */
export const drawerProblemsAfter = (
  { drawerProblems: problems, drawerMoney }: Pick<State, "drawerProblems" | "drawerMoney">,
  event: DurableEvent & Recorded,
  sinceWallMs: number,
): readonly KeptDrawerProblem[] => {
  switch (event.type) {
    case "day_opened": {
      const { night, number: day, currency, by: who } = event;
      // A corrected float is compared again.
      const rest = withoutCounted(problems, sinceWallMs).filter(({ id }) => id !== `night:${day}`);
      if (!night?.toExplain) return rest;
      const { differenceMinor } = night;
      const id = `night:${day}`;
      return add(rest, { id, about: "night_differs", sinceWallMs, day, differenceMinor, currency, who });
    }
    case "day_closed": {
      const { number: day, differenceMinor, currency, closedBy: who, toExplain } = event.report;
      if (!toExplain) return problems;
      const id = `count:${day}`;
      return add(problems, { id, about: "count_differs", sinceWallMs, day, differenceMinor, currency, who });
    }
    case "act": {
      if (event.act !== foundOpenAct || hasManyOpenings(problems)) return problems;
      if (Math.abs(sinceWallMs - handledAtMs(drawerMoney)) <= drawerHandledMs) return problems;
      const id = `drawer:${sinceWallMs}`;
      return add(problems, { id, about: "drawer_opened", sinceWallMs, ...noSum, day: null, who: event.about });
    }
    case "no_sale": {
      const { reason, note, by: who } = event.noSale;
      // Cash movements are documented by themselves; an opening for a count is, once there is a count.
      if (reason === "cash_move") return problems;
      const isCount = reason === "cash_count";
      const alike = problems.filter((one) => one.about === "no_sale" && isForCount(one) === isCount);
      const isListFull = alike.length >= drawerOpeningsMax;
      if (isListFull && !isCount) return problems;
      // The next count explains the last opening for a count: keep that one even if the list is full.
      const rest = isListFull ? problems.filter((one) => one !== alike.at(-1)) : problems;
      const id = `no_sale:${sinceWallMs}`;
      const { number: day } = event;
      return add(rest, { id, about: "no_sale", sinceWallMs, day, ...noSum, who, noSale: { reason, note } });
    }
    case "cash_moved":
      return withoutHandled(problems, sinceWallMs);
    case "day_counted":
      return withoutCounted(problems, sinceWallMs);
    case "acknowledged":
      return problems.filter(({ id }) => id !== event.withdrawalId);
    default:
      return problems;
  }
};

const listDrawerProblems = (problems: readonly KeptDrawerProblem[]): readonly Problem[] =>
  problems.map(({ id, sinceWallMs, ...one }) => ({
    kind: "drawer",
    withdrawalId: id,
    since: new Date(sinceWallMs).toISOString(),
    ...one,
  }));

const aboutCash: readonly ManagerDecision[] = ["handed_out", "not_handed_out", "leave_to_books"];

/** A review needs no decision, and before `settled` nothing can be declared about cash. */
export const decisionsFor = ({ stage, confirmAttempted, handOutBegun }: Withdrawal): readonly ManagerDecision[] => {
  if (isIn(stage, "review")) return [];
  if (isIn(stage, "payable", "hand_out")) return aboutCash;
  if (stage.kind === "rejecting") return confirmAttempted ? ["leave_to_books"] : [];
  return isIn(stage, "payment") && handOutBegun ? aboutCash : ["leave_to_books"];
};

/** Whether it prevents an enrolment as another device, shop or service. */
export const isUndecided = (withdrawal: Withdrawal): boolean =>
  !withdrawal.decided && decisionsFor(withdrawal).length > 0;

const ofJournal = ({ journalFork }: State): readonly Problem[] =>
  journalFork.kind === "found"
    ? [
        {
          kind: "journal",
          withdrawalId: journalProblemId,
          since: new Date(journalFork.sinceWallMs).toISOString(),
          about: "journal_forked",
        },
      ]
    : [];

/** Order: the journal's, open withdrawals, unresolved ones, the drawer's; each oldest first. */
export const problemsOf = (state: State, moment: Moment): readonly Problem[] => [
  ...ofJournal(state),
  ...[...state.open.values()].filter(isUndecided).map(
    (one): Problem => ({
      ...shownFacts(one),
      shop: one.shop,
      since: new Date(moment.wallMs - Math.max(0, moment.monotonicMs - one.beganMs)).toISOString(),
      kind: "open",
      about: one.stage.kind,
      otherShop: null,
      decisions: decisionsFor(one),
    }),
  ),
  ...[...state.problems.values()].map(
    ({ facts, about, sinceWallMs, otherShop }): Problem => ({
      ...shownFacts(facts),
      shop: facts.shop,
      since: new Date(sinceWallMs).toISOString(),
      kind: "unresolved",
      about: about.join(", "),
      otherShop,
      decisions: [],
    }),
  ),
  ...listDrawerProblems(state.drawerProblems),
];
