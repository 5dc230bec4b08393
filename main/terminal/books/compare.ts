/** What this terminal knows beside what the service found: which lines agree, and what each other one is. Pure. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { type Finding, reportedTwice } from "../../../backend/contract/client.ts";
import { parseAmount } from "../../../backend/contract/money.ts";
import type { BookExplanation, BookLine, BookTotal } from "../../../preload/contract.ts";
import { notedOf, type WithdrawalRecord } from "../read-model/record.ts";
import { installationOf } from "../state/partner-id.ts";
import { isCleared } from "./cleared.ts";
import type { ReportLine } from "./report-lines.ts";

/** Both sides of one withdrawal. */
export interface BookPair {
  readonly here: WithdrawalRecord | null;
  readonly there: ReportLine | null;
}

const isRefused = ({ discrepancy }: WithdrawalRecord, report: "link" | "undelivered"): boolean =>
  discrepancy?.split(", ").some((word) => word === `${report}_refused` || word === "forgotten") === true;

/** No report of it goes out any more: the service refused it, or a manager left it to the books. */
const isNotReported = (here: WithdrawalRecord, report: "link" | "undelivered"): boolean =>
  isRefused(here, report) || here.discrepancy?.split(", ").includes("left_to_books") === true;

const differs = ({ facts, minor }: WithdrawalRecord, { money }: ReportLine): boolean =>
  money !== null && (money.currency !== facts.currency || parseAmount(money.amount, money.currency) !== minor);

/** Whether the service has it under another reference than this record's; where it says none, from another device. */
const isOtherTerminals = ({ facts }: WithdrawalRecord, { partnerId, deviceId }: ReportLine): boolean =>
  partnerId === null
    ? deviceId !== null && installationOf(deviceId, facts.partnerId) === null
    : partnerId !== facts.partnerId;

const whereHandedOut = (here: WithdrawalRecord, { finding }: ReportLine): BookExplanation | null => {
  switch (finding) {
    case "matched":
      return null;
    case "not_linked":
      return isNotReported(here, "link") ? "link_refused" : "link_on_its_way";
    case "undelivered":
      return "undelivered_not_here";
    case "settle_unknown":
    case "closed":
      return "paid_without_money";
    case "restored":
    case "disputed":
      return finding;
    default:
      return assertNever(finding);
  }
};

const whereNoCash = (here: WithdrawalRecord, { finding }: ReportLine): BookExplanation | null => {
  const isDeclared = here.outcome === "not_handed_out";
  switch (finding) {
    case "matched":
      return "linked_not_here";
    case "not_linked":
      if (!isDeclared) return "cash_not_said";
      return isNotReported(here, "undelivered") ? "undelivered_refused" : "undelivered_on_its_way";
    case "undelivered":
    case "settle_unknown":
    case "restored":
    case "disputed":
      return finding;
    case "closed":
      return here.outcome === null ? "unclear_here" : null;
    default:
      return assertNever(finding);
  }
};

/** Two programs with this terminal's identity have reported the cash, and not alike. */
const isReportedTwice = ({ finding, reason }: ReportLine): boolean =>
  (finding === "disputed" || finding === "restored") && reportedTwice.some((word) => word === reason);

const lost: ReadonlySet<Finding | undefined> = new Set(["not_linked", "settle_unknown", "closed", undefined]);

/** The service took this terminal's report and knows nothing of it now; one that it has refused since is another difference. */
const isForgotten = (here: WithdrawalRecord, there: ReportLine | null): boolean =>
  (here.state === "linked" || here.state === "undelivered") &&
  here.discrepancy?.split(", ").includes("forgotten") !== true &&
  lost.has(there?.finding);

const difference = ({ here, there }: BookPair): BookExplanation | null => {
  if (here === null) return "known_there_only";
  if (isForgotten(here, there)) return "forgotten_there";
  if (there === null) {
    if (here.isConfirmed) return "known_here_only";
    return here.outcome === "unclear" || here.discrepancy !== null ? "unclear_here" : null;
  }
  if (differs(here, there)) return "amount_differs";
  if (here.outcome === "handed_out" && isOtherTerminals(here, there)) return "other_terminal";
  if (isReportedTwice(there)) return "reported_twice";
  return here.outcome === "handed_out" ? whereHandedOut(here, there) : whereNoCash(here, there);
};

/** What a pair is; null where both sides agree and nothing was noted here. */
export const explain = (pair: BookPair): BookExplanation | null =>
  difference(pair) ?? (pair.here === null || notedOf(pair.here) === null ? null : "noted_here");

/** What must be looked at when the service cannot be asked. */
export const explainAlone = (here: WithdrawalRecord): BookExplanation | null => {
  if (isRefused(here, "link")) return "link_refused";
  if (isRefused(here, "undelivered")) return "undelivered_refused";
  return here.outcome === null || here.outcome === "unclear" || here.discrepancy !== null ? "unclear_here" : null;
};

/** A pair as the screens show it. @param serviceOffMs this terminal's clock minus the service's. */
export const bookLine = ({ here, there }: BookPair, explanation: BookExplanation, serviceOffMs: number): BookLine => ({
  transactionId: here?.facts.transactionId ?? there?.transactionId ?? "",
  partnerId: here?.facts.partnerId ?? there?.partnerId ?? null,
  at: new Date(here?.atMs ?? (there?.confirmedAtMs ?? 0) + serviceOffMs).toISOString(),
  explanation,
  noted: here && notedOf(here),
  cleared: here !== null && isCleared(here, explanation) ? here.cleared : null,
  here: here && {
    withdrawalId: here.facts.withdrawalId,
    outcome: here.outcome,
    money: { amount: here.facts.amount, currency: here.facts.currency },
  },
  there: there && { finding: there.finding, status: there.status, money: there.money },
});

/** Cash handed out, by currency: what this terminal says beside what the service has as handed out. */
export const totalsOf = (pairs: readonly BookPair[], hasServiceReport: boolean): readonly BookTotal[] => {
  const totals = new Map<string, BookTotal>();
  const count = (currency: string, side: "here" | "there", minor: number): void => {
    const nothing = { count: 0, sumMinor: 0 };
    const before = totals.get(currency) ?? { currency, here: nothing, there: hasServiceReport ? nothing : null };
    const slot = before[side] ?? nothing;
    totals.set(currency, { ...before, [side]: { count: slot.count + 1, sumMinor: slot.sumMinor + minor } });
  };
  // What terminals repeated after a restore may be a second line of the same withdrawal.
  const handedOut = new Set(pairs.flatMap(({ here }) => (here?.outcome === "handed_out" ? [here] : [])));
  for (const { facts, minor } of handedOut) if (minor !== null) count(facts.currency, "here", minor);
  for (const { there } of pairs) {
    if (there?.status !== "linked" || there.money === null) continue;
    const minor = parseAmount(there.money.amount, there.money.currency);
    if (minor !== null) count(there.money.currency, "there", minor);
  }
  return [...totals.values()].sort((one, other) => one.currency.localeCompare(other.currency));
};
