/** What is read of the audit about the history: entry by entry, which of them count. */
import { expect, test } from "vitest";
import { dayMs } from "../../../backend/contract/times.ts";
import { type AuditedHistory, createHistoryReader } from "../../../backend/operate/proof.ts";
import { monthOf } from "../../../backend/operate/proven-rows.ts";

/** 2026-11-20. */
const today = 20_777;
const digest = "d".repeat(43);
/** What is read of entries with numbers from 1, a second apart. @param given event, object and detail; the key's name is `k` otherwise. */
const readOf = (
  given: readonly (readonly [event: string, object?: string, detail?: string | null, key?: string, at?: number])[],
) => {
  const reading = createHistoryReader();
  for (const [n, [event, object = "history", detail = null, key_id = "k", at = 1_000 * (n + 1)]] of given.entries())
    reading.visit({
      seq: n + 1,
      at,
      event,
      actor: "service",
      address: null,
      object,
      detail,
      key_id,
      hash: "",
    });
  return reading.result();
};
const entryAt = (seq: number) => ({ seq, at: 1_000 * seq });
const said = (seq: number, rows = 5) => ({ seq, rows, digest });
const counts = `5 rows ${digest} from A/1 to B/2`;

test.each<[what: string, entries: Parameters<typeof readOf>[0], read: Partial<AuditedHistory>]>([
  [
    "nothing of the history",
    [["sign_in_refused"]],
    {
      seals: new Map(),
      lines: new Map(),
      begun: null,
      chained: null,
      accepted: null,
      verified: null,
      namesSince: null,
      head: 1,
    },
  ],
  ["the newest entry", [["x"], ["y"]], { head: 2 }],
  [
    "the first entry under each key",
    [["x"], ["y", "o", null, "k2"], ["z", "o", null, "k2"]],
    {
      keyStarts: new Map([
        ["k", entryAt(1)],
        ["k2", entryAt(2)],
      ]),
    },
  ],
  [
    "when days began, which chains each row",
    [["x"], ["history_begun", "history", "2 seals"]],
    { begun: { ...entryAt(2), detail: "2 seals" }, chained: entryAt(2) },
  ],
  [
    "since when a release before has chained",
    [["x"], ["history_chained"], ["history_begun"]],
    { begun: { ...entryAt(3), detail: null }, chained: entryAt(2) },
  ],
  ["the last acceptance", [["audit accept"], ["audit accept"], ["x"]], { accepted: entryAt(2) }],
  [
    "one by a clock that was ahead counts until what comes after it",
    [["audit accept", "", null, "k", 9_000], ["x"], ["y"]],
    { accepted: { seq: 1, at: 2_000 } },
  ],
  [
    "the last day that was verified",
    [
      ["history_verified", "2026-11-20"],
      ["history_verified", "2026-11-19"],
    ],
    { verified: { ...entryAt(2), day: today - 1 } },
  ],
  [
    "since when names must be there: the latest time, and not before 1970",
    [
      ["names_forgotten", "2026-11-20T00:00:00.000Z"],
      ["names_forgotten", "2026-11-19T00:00:00.000Z"],
    ],
    { namesSince: today * dayMs },
  ],
  [
    "since when names must be there, by a clock before 1970",
    [["names_forgotten", "1969-11-20T00:00:00.000Z"]],
    { namesSince: 0 },
  ],
  [
    "the lines of days, of both kinds, and the newest day of each",
    [
      ["history_day", "2026-11-20 2026-11", counts],
      ["history_day", "2026-11-19 2026-10", counts],
      ["history_undated", "2026-11-18 2026-11", counts],
    ],
    {
      lines: new Map([
        ["history_day 2026-11-20 2026-11", said(1)],
        ["history_day 2026-11-19 2026-10", said(2)],
        ["history_undated 2026-11-18 2026-11", said(3)],
      ]),
      newest: { history_day: today, history_undated: today - 2 },
    },
  ],
  [
    "withdrawals without a history",
    [["history_without", "2025-01", `12 withdrawals ${digest}`]],
    { without: new Map([["2025-01", said(1, 12)]]) },
  ],
  [
    "the seals of a release before, without one that was renewed",
    [
      ...Array.from({ length: 11 }, () => ["history_sealed", "history", counts] as const),
      ["history_sealed", "history", `5 rows ${digest} instead of 11`],
    ],
    { seals: new Map([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map((seq) => [seq, said(seq)])) },
  ],
  [
    "nothing any more of a month that has ended",
    [
      ["history_day", "2026-11-20 2026-11", counts],
      ["history_day", "2026-11-20 2026-10", counts],
      ["history_without", "2026-10", counts],
      ["history_without", "2026-11", counts],
      ["history_month_ended", "2026-10"],
    ],
    {
      lines: new Map([["history_day 2026-11-20 2026-11", said(1)]]),
      without: new Map([["2026-11", said(4)]]),
      ended: new Set(["2026-10"]),
      newest: { history_day: today, history_undated: -1 },
    },
  ],
])("of the audit is read: %s", (_, entries, read) => {
  const result = readOf(entries) as Readonly<Record<string, unknown>>;
  expect(Object.fromEntries(Object.keys(read).map((name) => [name, result[name]]))).toEqual(read);
});

test("a time's month is that of its day, of more days than are kept in mind", () => {
  for (let day = 0; day < 1_100; day += 1) {
    const at = (today - day) * dayMs;
    expect(monthOf(at)).toBe(new Date(at).toISOString().slice(0, 7));
  }
});
