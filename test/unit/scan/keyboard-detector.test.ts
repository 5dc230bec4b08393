/** Scanners and people at the same keyboard, as a table of synthetic keys with their times. */
import { describe, expect, it } from "vitest";
import { seededId } from "../../scan-frames/symbol.ts";
import { keysOf, play, type Typing, usualSettings, withScanner } from "./keystrokes.ts";

const [id, other] = [seededId(21), seededId(22)];

describe("a scanner is heard", () => {
  const table: readonly (readonly [string, Typing])[] = [
    ["2 ms a key, Enter", { text: id, gapMs: 2 }],
    ["2 ms a key, Enter, in a field", { text: id, gapMs: 2, inField: true }],
    ["2 ms a key, silence, in a field", { text: id, gapMs: 2, end: null, inField: true }],
    ["5 ms a key, Enter", { text: id, gapMs: 5 }],
    ["5 ms a key, Enter, in a field", { text: id, gapMs: 5, inField: true }],
    ["30 ms a key, Tab", { text: id, gapMs: 30, end: "Tab" }],
    ["30 ms a key, Tab, in a field", { text: id, gapMs: 30, end: "Tab", inField: true }],
    ["5 ms a key, silence", { text: id, gapMs: 5, end: null }],
    ["30 ms a key, silence, in a field", { text: id, gapMs: 30, end: null, inField: true }],
    ["no pause at all", { text: id, gapMs: 0 }],
    ["slow, but nobody could be typing", { text: id, gapMs: 85 }],
    ["slow, with silence at the end", { text: id, gapMs: 85, end: null }],
  ];
  it.each(table)("%s", (_name, typing) => {
    const { scans, endsPassed } = play(keysOf(typing));
    expect(scans).toEqual([id]);
    expect(endsPassed).toBe(0);
  });

  it("slow in a field, once it was learnt", () => {
    const slow = keysOf({ text: id, gapMs: 90, inField: true });
    expect(play(slow).scans).toEqual([]);
    expect(play(slow, withScanner({ gapMs: 130 })).scans).toEqual([id]);
  });

  it("with one long pause inside", () => {
    const keys = keysOf({ text: id, gapMs: 8, inField: true }).map((key, index) =>
      index > 6 ? { ...key, atMs: key.atMs + 70 } : key,
    );
    expect(play(keys).scans).toEqual([id]);
  });

  it.each([0, 4, 9, 15])("whole, when a hanging machine holds back what comes after key %i", (heldBackAfter) => {
    for (const inField of [false, true])
      expect(play(keysOf({ text: id, gapMs: 5, inField }), usualSettings, heldBackAfter).scans).toEqual([id]);
  });

  it.each([false, true])("2 ms a key in bursts, as the bus polls it (in a field: %s)", (inField) => {
    const keys = keysOf({ text: id, gapMs: 2, inField }).map((key, index) => ({
      ...key,
      atMs: 1000 + Math.floor((2 * index) / 8) * 8,
    }));
    expect(play(keys).scans).toEqual([id]);
  });

  it("twice at 2 ms a key, 25 ms apart", () => {
    const first = keysOf({ text: id, gapMs: 2 });
    const second = keysOf({ text: other, gapMs: 2, startMs: (first.at(-1)?.atMs ?? 0) + 25 });
    expect(play([...first, ...second]).scans).toEqual([id, other]);
  });

  it("slow anywhere, once it was learnt, and neither of its end keys does anything", () => {
    const slow = keysOf({ text: id, gapMs: 160 });
    const both = [...slow, ...keysOf({ text: "", gapMs: 0, startMs: (slow.at(-1)?.atMs ?? 0) + 160 })];
    expect(play(slow).scans).toEqual([]);
    expect(play(both, withScanner({ gapMs: 200 }))).toMatchObject({ scans: [id], endsPassed: 0 });
  });

  it("and outside of a field only its first key is let through, in one all but the end", () => {
    const swallowed = (inField: boolean) => play(keysOf({ text: id, gapMs: 5, inField })).swallowed;
    expect([swallowed(false), swallowed(true)]).toEqual([id.length, 1]);
  });

  it.each(["Shift", "Control", "Alt", "AltGraph", "CapsLock", "NumLock", "Meta", "ScrollLock"])(
    "with %s between its characters",
    (quiet) => {
      const keys = keysOf({ text: id, gapMs: 5 }).flatMap((key) => [{ ...key, key: quiet, code: quiet }, key]);
      expect(play(keys).scans).toEqual([id]);
    },
  );

  it("from the number pad without NumLock, after a bracket that is a dead key, as on a Swiss keyboard", () => {
    const keys = keysOf({ text: `]C0${id}`, gapMs: 5 }).map((key) => {
      if (key.key === "]") return { ...key, key: "Dead" };
      return /^\d$/.test(key.key) ? { ...key, key: "Home", code: `Numpad${key.key}` } : key;
    });
    expect(play(keys).scans).toEqual([id]);
  });

  const unknown = "4006381333931";
  it.each([
    ["Enter", {}],
    ["Tab", { key: "Tab" }],
    ["Control and M", { key: "m", code: "KeyM", modified: true }],
    ["Control and J", { key: "j", code: "KeyJ", modified: true }],
  ])("an unknown code as well, for the terminal to say so, by its end: %s", (_name, end) => {
    for (const gapMs of [5, 30]) {
      const keys = keysOf({ text: unknown, gapMs });
      expect(play([...keys.slice(0, -1), ...keys.slice(-1).map((key) => ({ ...key, ...end }))]).scans).toEqual([
        unknown,
      ]);
    }
  });

  it.each([
    [5, 30],
    [30, 60],
  ])("an unknown code whole, at %d ms a key with one of %d", (gapMs, pauseMs) => {
    const late = pauseMs - gapMs;
    const keys = keysOf({ text: unknown, gapMs }).map((key, at) => (at > 6 ? { ...key, atMs: key.atMs + late } : key));
    expect(play(keys).scans).toEqual([unknown]);
  });

  it("with its second end key, which does nothing", () => {
    const keys = keysOf({ text: id, gapMs: 5 });
    const last = keys.at(-1);
    if (!last) throw new Error("no end key");
    const { scans, endsPassed } = play([...keys, { ...last, atMs: last.atMs + 5 }]);
    expect(scans).toEqual([id]);
    expect(endsPassed).toBe(0);
  });

  it.each([...Array(20).keys()])(
    "with its prefix and suffix, when a hanging machine holds back what comes after key %i",
    (heldBackAfter) => {
      const keys = keysOf({ text: `T/${id}#9`, gapMs: 5, inField: true });
      expect(play(keys, withScanner({ prefix: "T/", suffix: "#9" }), heldBackAfter)).toMatchObject({
        scans: [id],
        endsPassed: 0,
      });
    },
  );

  // Scanners send control characters that a code holds as such keys: F9 opens the drawer.
  it.each([
    ["F9", {}],
    ["Escape", {}],
    ["c", { code: "KeyC", modified: true }],
  ])("with %s inside and behind it, which does nothing", (key, how) => {
    const keys = keysOf({ text: id, gapMs: 5 });
    const beside = (at: number) => keys.slice(at, at + 1).map((one) => ({ ...one, key, code: key, ...how }));
    for (const at of [1, 4, 9]) {
      const seen = play([...keys.slice(0, at), ...beside(at - 1), ...keys.slice(at), ...beside(keys.length - 1)]);
      expect(seen).toEqual({ ...play(keys), swallowed: play(keys).swallowed + 2 });
    }
  });

  it("with a late end key after a silence, which does nothing", () => {
    const keys = keysOf({ text: id, gapMs: 5, end: null });
    const last = keys.at(-1);
    if (!last) throw new Error("no keys");
    const { scans, endsPassed } = play([...keys, { ...last, key: "Enter", code: "Enter", atMs: last.atMs + 200 }]);
    expect(scans).toEqual([id]);
    expect(endsPassed).toBe(0);
  });

  it("with control characters around, which do nothing either", () => {
    const keys = keysOf({ text: id, gapMs: 5, end: null });
    const last = keys.at(-1);
    if (!last) throw new Error("no keys");
    const etx = { ...last, key: "c", code: "KeyC", modified: true, atMs: last.atMs + 5 };
    const carriageReturn = { ...last, key: "m", code: "KeyM", modified: true, atMs: last.atMs + 10 };
    const { scans, swallowed } = play([...keys, etx, carriageReturn]);
    expect(scans).toEqual([id]);
    // All but the first key of the text, and both of them.
    expect(swallowed).toBe(id.length - 1 + 2);
  });
});

describe("two scans 60 ms apart stay two", () => {
  it.each([
    ["Enter", 5],
    ["Enter", 30],
    ["Tab", 5],
    [null, 5],
    [null, 30],
  ] as const)("%s, %d ms a key", (end, gapMs) => {
    for (const inField of [false, true]) {
      const first = keysOf({ text: id, gapMs, end, inField });
      const startMs = (first.at(-1)?.atMs ?? 0) + 60;
      const second = keysOf({ text: other, gapMs, end, inField, startMs });
      expect(play([...first, ...second]).scans).toEqual([id, other]);
    }
  });

  it("also without an end key when neither is an id", () => {
    const first = keysOf({ text: "4006381333931", gapMs: 5, end: null });
    const second = keysOf({ text: "5012345678900", gapMs: 5, end: null, startMs: (first.at(-1)?.atMs ?? 0) + 60 });
    expect(play([...first, ...second]).scans).toEqual(["4006381333931", "5012345678900"]);
  });
});

describe("people are left alone", () => {
  const table: readonly (readonly [string, Typing])[] = [
    ["fast typing in a field", { text: "correcthorse", gapMs: 70, inField: true }],
    ["very fast typing in a field", { text: "correcthorse", gapMs: 55, inField: true }],
    ["typing a code in the field for it", { text: id, gapMs: 110, inField: true }],
    ["a word and Tab", { text: "demo", gapMs: 40, end: "Tab", inField: true }],
    ["slow typing anywhere", { text: "hello world", gapMs: 200 }],
    ["typing where no field is", { text: "hello", gapMs: 100, end: null }],
    ["typing a code where no field is", { text: id, gapMs: 200 }],
    ["a short burst", { text: "abc", gapMs: 10, inField: true }],
    ["mashed keys, then nothing", { text: "asdfjkl", gapMs: 25, end: null }],
  ];
  it.each(table)("%s", (_name, typing) => {
    const { scans, swallowed } = play(keysOf(typing));
    expect(scans).toEqual([]);
    if (typing.inField || typing.gapMs > 45) expect(swallowed).toBe(0);
  });

  it("a held key", () => {
    const [first] = keysOf({ text: "7", gapMs: 5, end: null });
    if (!first) throw new Error("no key");
    const held = Array.from({ length: 30 }, (_, index) => ({ ...first, repeat: index > 0, atMs: 1000 + index * 30 }));
    const enter = { ...first, key: "Enter", code: "Enter", atMs: 1920 };
    expect(play([...held, enter])).toMatchObject({ scans: [] });
    expect(play([...held, ...keysOf({ text: "89", gapMs: 30, startMs: 1900 })]).scans).toEqual([]);
    const unmarked = held.map((key) => ({ ...key, repeat: false }));
    expect(play([...unmarked, enter]).scans).toEqual([]);
  });

  it("the arrows, and what is corrected with them", () => {
    const arrows = keysOf({ text: "01010101", gapMs: 30 }).map((key) =>
      key.key.length > 1 ? key : { ...key, key: key.key === "0" ? "ArrowUp" : "ArrowDown", code: "" },
    );
    expect(play(arrows)).toMatchObject({ scans: [], swallowed: 0, endsPassed: 1 });
    const corrected = keysOf({ text: "1234x5678", gapMs: 30, inField: true }).map((key) =>
      key.key === "x" ? { ...key, key: "ArrowLeft", code: "ArrowLeft" } : key,
    );
    expect(play(corrected)).toMatchObject({ scans: [], swallowed: 0, endsPassed: 1 });
  });

  it("a shortcut right after a few fast keys", () => {
    const keys = keysOf({ text: "abc", gapMs: 40, end: null, inField: true });
    const shortcut = keys.slice(-1).map((key) => ({ ...key, key: "a", modified: true, atMs: key.atMs + 50 }));
    expect(play([...keys, ...shortcut]).swallowed).toBe(0);
  });

  it("Enter alone, and Enter well after typing", () => {
    expect(play(keysOf({ text: "", gapMs: 5 })).endsPassed).toBe(1);
    expect(play(keysOf({ text: "hello", gapMs: 150, inField: true })).endsPassed).toBe(1);
  });

  it.each([
    ["a scan", { text: id, gapMs: 5 }, 1_000, [id]],
    ["mashed keys", { text: "asdfjkl", gapMs: 25, end: null }, 300, []],
    ["a fast word in a field", { text: "correcthorse", gapMs: 40, end: null, inField: true }, 120, []],
  ] as const)("Enter that comes later than %s has its end", (_name, typing, afterMs, scans) => {
    const keys = keysOf(typing);
    const enter = keysOf({ ...typing, text: "", end: "Enter", startMs: (keys.at(-1)?.atMs ?? 0) + afterMs });
    expect(play([...keys, ...enter])).toMatchObject({ scans, endsPassed: 1 });
    if (afterMs < 200) expect(play([...keys, ...enter], withScanner({ gapMs: 130 })).scans).toEqual([typing.text]);
  });

  it("but mashed keys followed by Enter press no button", () => {
    const { scans, endsPassed } = play(keysOf({ text: "asdf", gapMs: 60 }));
    expect(scans).toEqual([]);
    expect(endsPassed).toBe(0);
  });

  it("someone typing just before the scanner fires loses nothing", () => {
    const typed = keysOf({ text: "ab", gapMs: 90, end: null, inField: true });
    const scan = keysOf({ text: id, gapMs: 5, inField: true, startMs: (typed.at(-1)?.atMs ?? 0) + 80 });
    // Enter alone is kept from the page.
    expect(play([...typed, ...scan])).toMatchObject({ scans: [id], swallowed: 1, endsPassed: 0 });
  });
});

describe("what wraps the text comes off", () => {
  const table: readonly (readonly [string, string, Partial<typeof usualSettings.keyboardScanner>])[] = [
    ["an AIM identifier", `]C0${id}`, {}],
    ["an AIM identifier of QR", `]Q1${id}`, {}],
    ["a prefix", `~A${id}`, { prefix: "~A" }],
    ["a suffix", `${id}#`, { suffix: "#" }],
    ["prefix, AIM and suffix", `~]C0${id}%%`, { prefix: "~", suffix: "%%" }],
    ["AIM before the prefix", `]C0~${id}`, { prefix: "~" }],
    ["lower case, as under Caps Lock", id.toLowerCase(), {}],
  ];
  it.each(table)("%s", (_name, text, scanner) => {
    expect(play(keysOf({ text, gapMs: 5 }), withScanner(scanner)).scans).toEqual([id]);
  });

  it("but nothing that is not there", () => {
    expect(play(keysOf({ text: id, gapMs: 5 }), withScanner({ prefix: "X", suffix: "Y" })).scans).toEqual([id]);
  });
});
