/** How the scanning bench counts sessions and judges its goals. */
import { describe, expect, it } from "vitest";
import type { GroupResult } from "../../../tools/scan/picture-set.ts";
import { goalsOf, type Results } from "../../bench/scan/goals.ts";
import { sessionLine } from "../../bench/scan/session-line.ts";
import { type SessionEnd, type SessionKind, sessionKinds } from "../../bench/scan/sessions.ts";
import { joined, type Line, Times, zeros } from "../../bench/scan/tally.ts";

const kindNamed = (name: string): SessionKind => {
  const kind = sessionKinds.find((one) => one.name === name);
  if (!kind) throw new RangeError(name);
  return kind;
};

/** `count` sessions, of which the camera accepts the first `right` at their fifth frame. */
const ends = (count: number, right: number): readonly SessionEnd[] =>
  Array.from({ length: count }, (_, index) => ({
    severity: index / count,
    accepted: index < right ? { camera: { frame: 5, isRight: true } } : {},
  }));

const line = (changes: Partial<Line> = {}): Line => ({
  name: "blur",
  symbology: "qr",
  count: 10,
  read: zeros(),
  wrong: zeros(),
  wrongAccepted: zeros(),
  ...changes,
});

describe("a line of sessions", () => {
  it("counts right and wrong texts apart, and each quarter of the severity", () => {
    const wrong: SessionEnd = { severity: 0.9, accepted: { camera: { frame: 2, isRight: false } } };
    const counted = sessionLine(kindNamed("hard, held"), [...ends(7, 4), wrong]);
    expect(counted.accepted.camera).toBe(4);
    expect(counted.wrongAccepted.camera).toBe(1);
    expect(counted.framesMedian.camera).toBe(5);
    expect(counted.quarters.map(({ accepted, count }) => [accepted.camera, count])).toEqual([
      [2, 2],
      [2, 2],
      [0, 2],
      [0, 2],
    ]);
  });
});

describe("a goal", () => {
  const times = new Times();
  times.add("with a code", "camera", 1280, 20);
  const read = (still: number, wasm: number): Line["read"] => ({ ...zeros(), still, "zxing-wasm thorough": wasm });
  const photos = (ours: number, wrong = 0): readonly GroupResult[] => [
    {
      group: "qr",
      pictures: 1000,
      ours: { read: ours, wrong, doubtful: 0, ms: 1 },
      thorough: { read: 900, wrong: 0, doubtful: 0, ms: 1 },
    },
  ];
  const results = (changes: Partial<Results> = {}): Results => ({
    lines: [line({ read: read(10, 9) })],
    empty: line({ count: 4 }),
    sessions: sessionKinds.map((kind) => sessionLine(kind, ends(100, 100))),
    times,
    photos: photos(900),
    ...changes,
  });
  const missed = (changes: Partial<Results>): readonly number[] =>
    goalsOf(results(changes)).flatMap(({ met }, at) => (met ? [] : [at]));
  const sessionsWith = (name: string, right: number) =>
    sessionKinds.map((kind) => sessionLine(kind, ends(100, kind.name === name ? right : 100)));

  const slow = new Times();
  slow.merge([["without a code camera 1280", [20, 40]]]);

  const table: readonly (readonly [string, Partial<Results>, readonly number[]])[] = [
    ["all are met", {}, []],
    ["a decoder alone reads more on one line", { lines: [line({ read: read(4, 5) })] }, [0, 1]],
    ["hardly more over all lines", { lines: [line({ read: read(100, 99) })] }, [1]],
    ["a decoder alone reads more photos", { photos: photos(899) }, [2]],
    ["one wrong text in a thousand photos", { photos: photos(900, 1) }, []],
    ["two wrong texts in a thousand photos", { photos: photos(900, 2) }, [3]],
    [
      "a wrong text is accepted",
      { lines: [line({ read: read(10, 9), wrongAccepted: { ...zeros(), camera: 1 } })] },
      [4],
    ],
    ["92 of 100 hard sessions", { sessions: sessionsWith("hard, passing by", 92) }, []],
    ["91 of 100 hard sessions", { sessions: sessionsWith("hard, held, all directions", 91) }, [6]],
    ["98 of 100 ordinary ones", { sessions: sessionsWith("ordinary, Aztec, Data Matrix, PDF417", 98) }, [7]],
    ["no sessions were run", { sessions: [] }, [6, 7]],
    ["frames without a code take too long", { times: slow }, [8]],
  ];
  it.each(table)("%s", (_name, changes, expected) => {
    expect(missed(changes)).toEqual(expected);
  });
});

it("puts the parts of a line together that several threads did", () => {
  const part = line({ count: 5, read: { ...zeros(), still: 3 } });
  expect(joined([part, part])).toMatchObject({ name: "blur", count: 10, read: { still: 6 } });
});
