/** What the test screen learns from one scan, and that the terminal then hears the scanner. */
import { describe, expect, it } from "vitest";
import { learnScanner } from "../../../renderer/scan/keyboard/interpret.ts";
import { seededId } from "../../scan-frames/symbol.ts";
import { keysOf, play, type Typing, withScanner } from "./keystrokes.ts";

const id = seededId(41);

describe("a scanner that was learnt is heard in a field", () => {
  const table: readonly (readonly [string, Omit<Typing, "text">, string, string])[] = [
    ["80 ms a key", { gapMs: 80 }, "", ""],
    ["200 ms a key", { gapMs: 200 }, "", ""],
    ["80 ms a key without an end key", { gapMs: 80, end: null }, "", ""],
    ["with a prefix", { gapMs: 80 }, "~A", ""],
    ["with prefix and suffix", { gapMs: 20 }, "#", "%%"],
    ["under a German layout", { gapMs: 90, layout: "de" }, "", ""],
    ["under a French layout, with a prefix, without key places", { gapMs: 90, layout: "fr", codes: false }, "A", ""],
  ];
  it.each(table)("%s", (_name, typing, prefix, suffix) => {
    const text = `${prefix}${id}${suffix}`;
    const learnt = learnScanner(keysOf({ ...typing, text, end: null }));
    expect(learnt).toMatchObject({ sure: true, scanner: { prefix, suffix } });
    const settings = withScanner(learnt?.scanner ?? {});
    expect(play(keysOf({ ...typing, text, inField: true }), settings).scans).toEqual([id]);
  });
});

describe("of one scan is taken", () => {
  const learnt = (typing: Omit<Typing, "gapMs" | "end">, gapMs = 10) =>
    learnScanner(keysOf({ ...typing, gapMs, end: null }));

  it("half as long again as its longest pause, and never less than sixty milliseconds", () => {
    expect(learnt({ text: id })?.scanner.gapMs).toBe(60);
    const uneven = keysOf({ text: id, gapMs: 10, end: null }).map((key, at) => ({
      ...key,
      atMs: key.atMs + (at > 7 ? 90 : 0),
    }));
    expect(learnScanner(uneven)).toMatchObject({ maxMs: 100, scanner: { gapMs: 150 } });
  });

  it("what eight characters before or behind the id are, and no more: the settings hold no longer ones", () => {
    expect(learnt({ text: `ABCDEFG~${id}` })).toMatchObject({ sure: true, scanner: { prefix: "ABCDEFG~" } });
    expect(learnt({ text: `${id}#1234567` })).toMatchObject({ sure: true, scanner: { suffix: "#1234567" } });
    expect(learnt({ text: `ABCDEFGH~${id}` })).toMatchObject({ sure: false, scanner: { prefix: "" } });
    expect(learnt({ text: `${id}#12345678` })).toMatchObject({ sure: false, scanner: { suffix: "" } });
  });

  it("an id under Caps Lock", () => {
    expect(learnt({ text: id.toLowerCase() })).toMatchObject({ sure: true, scanner: { layout: "us" } });
  });

  it("that the keys' places count, under a layout of which there is no table", () => {
    const keys = keysOf({ text: id, gapMs: 10, inField: true }).map((key, at) =>
      key.key === "Enter" ? key : { ...key, key: String.fromCodePoint(0x430 + at) },
    );
    const scanner = learnScanner(keys.slice(0, -1))?.scanner;
    expect(scanner?.layout).not.toBe("us");
    expect(play(keys, withScanner(scanner ?? {})).scans).toEqual([id]);
  });
});

describe("what cannot be learnt", () => {
  it("is the layout, from a barcode that is no id: the speed alone is taken", () => {
    const learnt = learnScanner(keysOf({ text: "4006381333931", gapMs: 100, end: null }));
    expect(learnt).toMatchObject({ sure: false, scanner: { gapMs: 150, layout: "us", prefix: "", suffix: "" } });
  });

  it("is anything, from a few keys", () => {
    expect(learnScanner(keysOf({ text: "abc", gapMs: 10, end: null }))).toBeNull();
  });

  it("is a pause longer than the settings allow", () => {
    expect(learnScanner(keysOf({ text: id, gapMs: 700, end: null }))?.scanner.gapMs).toBe(500);
  });
});
