/** How the scanning bench counts sessions and judges its goals. */
import { describe, expect, it } from "vitest";
import { goalsOf } from "../../bench/scan/goals.ts";
import { sessionLine } from "../../bench/scan/session-line.ts";
import { type SessionEnd, type SessionKind, sessionKinds } from "../../bench/scan/sessions.ts";
import { joined, type Line, Times, zeros } from "../../bench/scan/tally.ts";

const kindNamed = (name: string): SessionKind => {
  const kind = sessionKinds.find((one) => one.name === name);
  if (!kind) throw new RangeError(name);
  return kind;
};

/** `count` sessions, of which the pair accepts the first `right` at their fifth frame. */
const ends = (count: number, right: number): readonly SessionEnd[] =>
  Array.from({ length: count }, (_, index) => ({
    severity: index / count,
    accepted: index < right ? { pair: { frame: 5, isRight: true } } : {},
  }));

const line = (changes: Partial<Line> = {}): Line => ({
  name: "blur",
  symbology: "qr",
  width: 640,
  count: 10,
  read: zeros(),
  wrong: zeros(),
  wrongAccepted: zeros(),
  ...changes,
});

describe("a line of sessions", () => {
  it("counts right and wrong texts apart, and each quarter of the severity", () => {
    const wrong: SessionEnd = { severity: 0.9, accepted: { pair: { frame: 2, isRight: false } } };
    const counted = sessionLine(kindNamed("hard, held"), [...ends(7, 4), wrong]);
    expect(counted.accepted.pair).toBe(4);
    expect(counted.wrongAccepted.pair).toBe(1);
    expect(counted.framesMedian.pair).toBe(5);
    expect(counted.quarters.map(({ accepted, count }) => [accepted.pair, count])).toEqual([
      [2, 2],
      [2, 2],
      [0, 2],
      [0, 2],
    ]);
  });
});

describe("a goal", () => {
  const times = new Times();
  times.add("with a code", "pair", 1280, 20);
  const measured = (right: number, lines: readonly Line[] = [line()]) =>
    goalsOf({
      lines,
      empty: line({ count: 4 }),
      sessions: sessionKinds.map((kind) => sessionLine(kind, ends(8, kind.name === "hard, passing by" ? right : 8))),
      times,
    });
  const met = (right: number, lines?: readonly Line[]) => measured(right, lines).map((goal) => goal.met);

  it("is met at three quarters of each kind of hard session, and not below", () => {
    expect(met(6)).toEqual([true, true, true, true, true, true]);
    expect(met(5)).toEqual([true, true, true, false, true, true]);
  });

  it("is missed by one line on which a decoder alone reads more, or one wrong text", () => {
    const better = line({ read: { ...zeros(), pair: 4, "zxing-library": 5 } });
    expect(met(8, [better])[0]).toBe(false);
    expect(met(8, [line({ wrongAccepted: { ...zeros(), pair: 1 } })])[1]).toBe(false);
  });

  it("is missed by frames that take too long, wherever they were measured", () => {
    const slow = new Times();
    slow.merge([["without a code pair 1280", [20, 40]]]);
    const results = { lines: [line()], empty: line(), sessions: [], times: slow };
    expect(goalsOf(results).at(-1)?.met).toBe(false);
  });
});

it("puts the parts of a line together that several threads did", () => {
  const part = line({ count: 5, read: { ...zeros(), pair: 3 } });
  expect(joined([part, part])).toMatchObject({ name: "blur", count: 10, read: { pair: 6 } });
});
