/** What the audit and the tables say otherwise than each other of restores, and of terminals' reports after them. */
import { beforeEach, expect, test } from "vitest";
import { appendAudit } from "../../../backend/access/audit.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { createRestoreReader } from "../../../backend/operate/restore-proof.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["restores", "restored_reports"] as const) await tx.run(adhoc((db) => db.deleteFrom(table)));
  }),
);

type Entry = Pick<RowOf<"audit">, "event" | "at" | "actor" | "object" | "detail">;
type Report = RowOf<"restored_reports">;
const [id, closedId] = ["7F3K9Q2M10X4T8WZ", "7f3k-9q2m iox4 t8wz"];
const [since, restoredAt, reportedAt, confirmedAt] = [1_000, 50_000, 60_000, 40_000];
const terminal = "terminal kiosk/till-1";
const entry = (event: string, at: number, more: Partial<Entry> = {}): Entry => ({
  ...{ event, at, actor: "operator olga", object: "database", detail: null },
  ...more,
});
const restored = (at = restoredAt, of = since) =>
  entry("database restored", at, { detail: `copy of ${toTime(of)}, by olga` });
const corrected = (at: number, of: number) =>
  entry("restore corrected", at, { detail: `copy of ${toTime(of)}; was another` });
const said = `linked 50.00 EUR pos-1 at ${toTime(confirmedAt)}`;
const reported = (more: Partial<Entry> = {}) =>
  entry("reported after restore", reportedAt, { actor: terminal, object: id, detail: said, ...more });
const ordered = (more: Partial<Entry> = {}) =>
  entry("ordered and forgotten", reportedAt, {
    ...{ actor: "partner bank", object: id, detail: `settled 50.00 EUR pos-1 at ${toTime(confirmedAt)} in kiosk` },
    ...more,
  });
const accept = (at: number) => entry("audit accept", at);
const close = (event = "reports close") => entry(event, reportedAt + 1, { object: closedId });
const forgotten = (before: number) => entry("reports_forgotten", reportedAt, { object: toTime(before) });
/** When it was reported once more. */
const again = reportedAt + 500;
const twice = (actor = terminal, of = ", of a report after a restore") =>
  entry("handed out twice", reportedAt + 2, { actor, object: id, detail: `first linked, then h2${of}` });
const report = (more: Partial<Report> = {}): Report => ({
  ...{ id: "01", transaction_id: id, merchant_id: "kiosk", device_id: "till-1", status: "linked", amount: 5_000 },
  ...{ undelivered_reason: null, transaction_id_partner: "pos-1", currency: "EUR", confirmed_at: confirmedAt },
  ...{ settled_at: null, reported_at: confirmedAt, cashier: null, created_at: reportedAt, closed_at: null },
  ...{ hand_out_id: null, other_hand_out_id: null },
  ...more,
});

const orderedReport = (more: Partial<Report> = {}) =>
  report({ id: "02", device_id: "", status: "settled", settled_at: reportedAt, ...more });

interface Case {
  readonly audit?: readonly Entry[];
  /** When each was, and since when the copy forgot. */
  readonly restores?: readonly (readonly [number, number])[];
  readonly reports?: readonly Report[];
}
const read = async ({ audit = [], restores = [], reports = [] }: Case) => {
  await stage.store.write(async (tx) => {
    for (const [restored_at, forgot_since] of restores)
      await tx.run(adhoc((db) => db.insertInto("restores").values({ restored_at, forgot_since })));
    for (const row of reports) await tx.run(adhoc((db) => db.insertInto("restored_reports").values(row)));
  });
  const reader = createRestoreReader();
  for (const [n, each] of audit.entries()) reader.visit({ seq: n + 1, address: null, key_id: "k", hash: "", ...each });
  return reader;
};
const unknown = `the restore of ${toTime(restoredAt)} is in no entry of the audit`;
const gone = (seq: number) => `the restore that entry ${seq} of the audit names is gone, or was changed`;
const changed = `the report of ${id} after a restore is in no entry of the audit: it was changed`;
const notClosed = `nobody has closed the report of ${id} after a restore`;
const reportGone = (seq: number) =>
  `the report of ${id} after a restore, which entry ${seq} of the audit names, is gone`;

test.each<[what: string, is: Case, found: readonly string[]]>([
  ["nothing", {}, []],
  ["a restore with its entry", { audit: [restored()], restores: [[restoredAt, since]] }, []],
  ["a restore without one", { restores: [[restoredAt, since]] }, [unknown]],
  ["accepted since", { audit: [accept(restoredAt)], restores: [[restoredAt, since]] }, []],
  ["accepted before it", { audit: [accept(restoredAt - 1)], restores: [[restoredAt, since]] }, [unknown]],
  [
    "accepted before it by a clock that was ahead, as the entry after that shows",
    { audit: [accept(restoredAt + 9), entry("enrolled", restoredAt - 1)], restores: [[restoredAt, since]] },
    [unknown],
  ],
  ["an entry without its restore", { audit: [restored()] }, [gone(1)]],
  ["such an entry, accepted since", { audit: [restored(), accept(1)] }, []],
  ["such an entry, accepted before it", { audit: [accept(1), restored()] }, [gone(2)]],
  ["a copy of another time", { audit: [restored()], restores: [[restoredAt, since + 1]] }, [unknown, gone(1)]],
  [
    "two restores",
    {
      audit: [restored(), restored(restoredAt + 9, 2_000)],
      restores: [
        [restoredAt, since],
        [restoredAt + 9, 2_000],
      ],
    },
    [],
  ],
  [
    "the second by a clock that was set back",
    {
      audit: [restored(), restored(restoredAt - 9, 2_000)],
      restores: [
        [restoredAt, since],
        [restoredAt + 1, 2_000],
      ],
    },
    [],
  ],
  [
    "a time that was corrected",
    { audit: [restored(), corrected(restoredAt + 9, 2_000)], restores: [[restoredAt + 9, 2_000]] },
    [],
  ],
  [
    "corrected by a clock that was set back",
    { audit: [restored(), corrected(restoredAt - 9, 2_000)], restores: [[restoredAt + 1, 2_000]] },
    [],
  ],
  [
    "the time before a correction, put back",
    { audit: [restored(), corrected(restoredAt + 9, 2_000)], restores: [[restoredAt, since]] },
    [unknown, gone(2)],
  ],
  ["a report with its entry", { audit: [reported()], reports: [report()] }, []],
  [
    "one whose entry is of a release that did not write the time",
    { audit: [reported({ detail: "linked 50.00 EUR pos-1" })], reports: [report()] },
    [],
  ],
  ["another amount", { audit: [reported()], reports: [report({ amount: 5_001 })] }, [changed, reportGone(1)]],
  ["another terminal", { audit: [reported()], reports: [report({ device_id: "till-2" })] }, [changed, reportGone(1)]],
  [
    "another time",
    { audit: [reported()], reports: [report({ created_at: reportedAt + 1 })] },
    [changed, reportGone(1)],
  ],
  [
    "another time, accepted since",
    { audit: [reported(), accept(reportedAt + 1)], reports: [report({ created_at: reportedAt + 1 })] },
    [],
  ],
  [
    "another time, accepted before it",
    { audit: [reported(), accept(reportedAt)], reports: [report({ created_at: reportedAt + 1 })] },
    [changed],
  ],
  ["one that nobody has closed", { audit: [reported()], reports: [report({ closed_at: 1 })] }, [notClosed]],
  ["one that an operator has closed", { audit: [reported(), close()], reports: [report({ closed_at: 1 })] }, []],
  [
    "one that was resolved",
    { audit: [reported(), close("withdrawals resolve")], reports: [report({ closed_at: 1 })] },
    [],
  ],
  [
    "one that a later report has opened again",
    { audit: [reported(), close(), twice()], reports: [report({ closed_at: 1 })] },
    [notClosed],
  ],
  [
    "one whose withdrawal has itself another hand-out",
    { audit: [reported(), close(), twice(terminal, "")], reports: [report({ closed_at: 1 })] },
    [],
  ],
  [
    "one of which its terminal says anything else later",
    {
      audit: [reported(), close(), entry("journal_forked", reportedAt + 2, { actor: terminal, object: id })],
      reports: [report({ closed_at: 1 })],
    },
    [],
  ],
  [
    "one that another terminal's later report has not opened",
    { audit: [reported(), close(), twice("terminal kiosk/till-2")], reports: [report({ closed_at: 1 })] },
    [],
  ],
  ["what was resolved, and handed out twice, without a report", { audit: [close("withdrawals resolve"), twice()] }, []],
  ["one that is gone", { audit: [reported()] }, [reportGone(1)]],
  ["one that is gone, accepted since", { audit: [reported(), accept(1)] }, []],
  ["one that is gone, accepted before it", { audit: [accept(1), reported()] }, [reportGone(2)]],
  ["one that was closed, and purged", { audit: [reported(), close()] }, []],
  [
    "one that was closed, and purged with an entry about it",
    { audit: [forgotten(0), reported(), close(), forgotten(reportedAt + 1)] },
    [],
  ],
  [
    "one that was closed and purged, and reported once more and handed out twice",
    {
      audit: [forgotten(0), reported(), close(), forgotten(reportedAt + 1), reported({ at: again }), twice()],
      reports: [report({ created_at: again })],
    },
    [],
  ],
  [
    "one that was closed, and is gone before its time",
    { audit: [forgotten(0), reported(), close(), forgotten(reportedAt)] },
    [reportGone(2)],
  ],
  ["one from before there were such entries", { audit: [reported(), close(), forgotten(reportedAt)] }, []],
  [
    "one that is gone, after an entry about later ones",
    { audit: [forgotten(reportedAt + 1), forgotten(0), reported(), close()] },
    [],
  ],
  [
    "a hand-out without words",
    { audit: [reported(), close(), { ...twice(), detail: null }], reports: [report({ closed_at: 1 })] },
    [],
  ],
  [
    "other words of its terminal that end as if they were of a report",
    {
      audit: [reported(), close(), { ...twice(), event: "journal_forked" }],
      reports: [report({ closed_at: 1 })],
    },
    [],
  ],
  ["what a bank was asked to pay and was forgotten", { audit: [ordered()], reports: [orderedReport()] }, []],
  [
    "the same with another amount",
    { audit: [ordered()], reports: [orderedReport({ amount: 5_001 })] },
    [changed, reportGone(1)],
  ],
  [
    "the same in another shop",
    { audit: [ordered()], reports: [orderedReport({ merchant_id: "bakery" })] },
    [changed, reportGone(1)],
  ],
  ["the same, gone", { audit: [ordered()] }, [reportGone(1)]],
  [
    "the same as a terminal's",
    { audit: [ordered()], reports: [orderedReport({ device_id: "till-1" })] },
    [changed, reportGone(1)],
  ],
  [
    "a terminal's report as what a bank was asked to pay",
    { audit: [reported()], reports: [report({ device_id: "" })] },
    [changed, reportGone(1)],
  ],
  ["the same, closed by nobody", { audit: [ordered()], reports: [orderedReport({ closed_at: 1 })] }, [notClosed]],
  [
    "what its terminal has reported too, both closed",
    {
      audit: [ordered(), reported(), close()],
      reports: [orderedReport({ closed_at: 1 }), report({ closed_at: 1 })],
    },
    [],
  ],
  [
    "two terminals' reports of one",
    {
      audit: [reported(), reported({ actor: "terminal kiosk/till-2" }), close()],
      reports: [report({ closed_at: 1 }), report({ id: "r2", device_id: "till-2", closed_at: 1 })],
    },
    [],
  ],
  [
    "one of two terminals' reports is gone",
    { audit: [reported(), reported({ actor: "terminal kiosk/till-2" })], reports: [report()] },
    [reportGone(2)],
  ],
])("of restores and reports: %s", async (_, is, found) => {
  const reader = await read(is);
  expect(await reader.verify(stage.store)).toEqual({ found, unrecorded: 0 });
});

test.each([1, 1_000, 1_001, 2_000])(
  "%i reports that the audit does not know are counted, and are no finding",
  async (count) => {
    const reports = Array.from({ length: count }, (_, n) => report({ id: `${n}`, transaction_id: `T${n}` }));
    const reader = await read({ reports });
    expect(await reader.verify(stage.store)).toEqual({ found: [], unrecorded: count });
  },
);
test("those before an acceptance are not counted", async () => {
  const reader = await read({ audit: [accept(reportedAt)], reports: [report()] });
  expect(await reader.verify(stage.store)).toEqual({ found: [], unrecorded: 0 });
});

const goesOn = ["database restored", "restore corrected", "reported after restore", "handed out twice"];
test.each([...goesOn, "ordered and forgotten", "reports close", "withdrawals resolve"])(
  "a finding beside an entry of %s that came during the look asks for another one",
  async (event) => {
    const reader = await read({ audit: [], restores: [[restoredAt, since]] });
    const add = (what: string) =>
      stage.store.write((tx) =>
        appendAudit(tx, testKeys, 1, { event: what, actor: "a", address: null, object: "o", detail: null }),
      );
    await add("sign_in_refused");
    expect(await reader.verify(stage.store)).toEqual({ found: [unknown], unrecorded: 0 });
    await add(event);
    expect(await reader.verify(stage.store)).toBeNull();
    // What it has read itself did not come meanwhile.
    reader.visit({
      seq: 2,
      at: 1,
      event: "sign_in_refused",
      actor: "a",
      address: null,
      object: "o",
      detail: null,
      key_id: "k",
      hash: "",
    });
    expect(await reader.verify(stage.store)).toMatchObject({ found: [unknown] });
    await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("restores"))));
    await add(event);
    expect(await reader.verify(stage.store)).toEqual({ found: [], unrecorded: 0 });
  },
);
