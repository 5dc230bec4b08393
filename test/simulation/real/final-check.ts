/** The books after the last customer, from the journal, the database, the bank's ledger and the report; and what is wrong in them. */
import path from "node:path";
import { readJournalKeys } from "../../../main/host/secrets.ts";
import { inspectJournal } from "../../../main/journal-tool/inspect.ts";
import type { SimulatedBank } from "../bank.ts";
import type { Blocked, Evidence, ServiceRow } from "../evidence.ts";
import { checkAtEnd, type Violation } from "../invariants.ts";
import { pastIsSo } from "../past-check.ts";
import type { JournalReader } from "../read-journal.ts";
import { readTillPast } from "../read-past.ts";
import { readRows } from "../read-service.ts";
import type { Watch } from "../watch.ts";
import { type Manager, readReportOf } from "./manager.ts";
import { pause } from "./paced-clock.ts";
import { type Shop, tillCredential } from "./shop.ts";

/** What the books came to. */
export interface FinalCheck {
  readonly violations: readonly Violation[];
  readonly rows: ReadonlyMap<string, ServiceRow>;
  readonly exitCodes: readonly (number | null)[];
}

/** Asks for the report, stops both programs, then reads what they left on their disks. */
export const runFinalCheck = async (
  { till, service, books, journalPath }: Shop,
  seen: {
    readonly watch: Watch;
    readonly journal: JournalReader;
    readonly bank: SimulatedBank;
    readonly blocked: readonly Blocked[];
  },
  manager: Manager,
): Promise<FinalCheck> => {
  await manager.signIn();
  const { settings } = till.snapshot ?? { settings: null };
  if (settings === null) throw new Error("the till is off at the end");
  const ask = { dispatch: till.dispatch, clockOffMs: () => 0, pause };
  const tillPast = {
    till: 0,
    drawers: [0],
    deviceId: tillCredential.deviceId,
    hasStrangeEntries: false,
    clockOffMs: 0,
    ...(await readTillPast(ask, settings)),
  };
  const past = { tills: [tillPast], report: await readReportOf(service.url) };
  const report = new Map(past.report.lines.map((line) => [String(line.transaction_id), String(line.finding)]));
  const openIds = new Set(till.snapshot?.header.open.map((one) => one.withdrawalId));
  const problemsShown = till.snapshot === null ? [] : [{ till: 0, count: till.snapshot.header.problems }];
  const exitCodes = [await till.stop(), await service.stop()];
  const { entries, damaged } = inspectJournal(journalPath, await readJournalKeys(path.dirname(journalPath)));
  seen.journal.take(entries.map(({ body }) => body));
  const rows = readRows(books);
  const { offers, cash, approvals } = seen.watch;
  const evidence: Evidence = {
    offers,
    cash,
    approvals,
    journals: [...seen.journal.accounts()].map(([id, account]) => ({ ...account, open: openIds.has(id) })),
    // An order that nobody brought to a till expires after 15 minutes, long after this run.
    rows: new Map([...rows].filter(([, row]) => row.status !== "ready")),
    // Here the bank has no address for events: its holds expire by themselves, long after this run.
    ledger: { ...seen.bank.ledger, openHolds: new Set(), told: null },
    report,
    closed: new Set(),
    decided: new Set(),
    approvalSlackMs: 0,
    lost: new Set(),
    restored: new Set(),
    settledOnce: new Set(),
    problemsShown,
    forked: [],
    unreported: [],
    shared: new Set(),
    blocked: seen.blocked,
  };
  const violations = [...checkAtEnd(evidence), ...pastIsSo(past, { ...evidence, rows })];
  const holes = damaged.map(
    ({ sequence, why }): Violation => ({
      invariant: 4,
      transactionId: null,
      text: `journal entry ${sequence}: ${why}`,
    }),
  );
  return { violations: [...seen.watch.violations, ...violations, ...holes], rows, exitCodes };
};
