/** A scanner set to US on terminals with other layouts: the text must come out whatever the terminal makes of the keys. */

import { describe, expect, it } from "vitest";
import { makeEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { makeEnrolmentCode } from "../../../backend/contract/ids.ts";
import { asUs, foreignLayouts, interpret, pausesOf, usCharacter } from "../../../renderer/scan/keyboard/interpret.ts";
import { seededId } from "../../scan-frames/symbol.ts";
import { typedUnder, usCode } from "../../us-scanner.ts";
import { keysOf, play, usualSettings, withScanner } from "./keystrokes.ts";

const ids = Array.from({ length: 60 }, (_, seed) => seededId(seed + 100));

describe.each(foreignLayouts)("%s", (layout) => {
  it("turns every letter and digit back", () => {
    const all = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    expect(asUs(typedUnder(all, layout), layout)).toBe(all);
  });

  it("reads ids by the key codes", () => {
    for (const id of ids) {
      const keys = keysOf({ text: id, gapMs: 5, layout, end: null });
      expect(interpret(keys, usualSettings, "key codes").text).toBe(id);
      expect(interpret(keys, withScanner({ layout })).text).toBe(id);
    }
  });

  it("reads ids by the table where the events do not say which key it was", () => {
    for (const id of ids) {
      const keys = keysOf({ text: id, gapMs: 5, layout, codes: false, end: null });
      expect(interpret(keys, withScanner({ layout })).text).toBe(id);
    }
  });

  it("without being told the layout, all but the few that read as another id as well", () => {
    const wrong = ids.filter(
      (id) => interpret(keysOf({ text: id, gapMs: 5, layout, end: null }), usualSettings).text !== id,
    );
    expect(wrong.length).toBeLessThanOrEqual(2);
  });

  it("reads ids where the settings name another layout, by the key codes or by the table that fits", () => {
    const said = foreignLayouts.find((other) => other !== layout) ?? "uk";
    const many = [...ids, ...Array.from({ length: 400 }, (_, seed) => seededId(seed + 1_000))];
    const wrong = (codes: boolean) =>
      many.filter(
        (id) =>
          interpret(keysOf({ text: id, gapMs: 5, layout, codes, end: null }), withScanner({ layout: said })).text !==
          id,
      ).length;
    expect(wrong(true)).toBe(0);
    // What held once is tried first, whatever else it reads as.
    const known = (id: string) =>
      interpret(keysOf({ text: id, gapMs: 5, layout, end: null }), usualSettings, "key codes");
    expect(many.filter((id) => known(id).text !== id)).toEqual([]);
    expect(wrong(false)).toBeLessThan(many.length / 10);
  });

  it("takes an AIM identifier off", () => {
    const [id = ""] = ids;
    expect(play(keysOf({ text: `]C0${id}`, gapMs: 5, layout }), withScanner({ layout })).scans).toEqual([id]);
  });
});

describe("keys", () => {
  it("have one place for each character of the US layout", () => {
    for (const character of "0123456789ABCXYZabcxyz-=[];',./`~!@#$%^&*()_+{}:\"<>? ") {
      const place = usCode(character);
      expect(place && usCharacter(place.code, place.shift)).toBe(character);
    }
  });

  it("of the number pad are digits whatever Num Lock makes of them", () => {
    expect(usCharacter("Numpad7", false)).toBe("7");
    expect(usCharacter("Enter", false)).toBeNull();
  });

  it("as a scanner set to the terminal's own layout types them stay as typed", () => {
    for (const id of ids) {
      const keys = [...id].map((key, index) => ({ key, code: "", shift: true, atMs: index }));
      expect(interpret(keys, usualSettings).text).toBe(id);
    }
  });
});

describe("a reading", () => {
  const [id = ""] = ids;
  const read = (text: string, settings = usualSettings) => interpret(keysOf({ text, gapMs: 5, end: null }), settings);

  it("has the symbology that stands before the prefix or behind it", () => {
    const settings = withScanner({ prefix: "~" });
    for (const text of [`]C0~${id}`, `~]C0${id}`])
      expect(read(text, settings)).toMatchObject({ text: id, symbology: "code128", isId: true });
  });

  it("of a symbology without a check of its own counts at its length alone, where the camera looks for it", () => {
    const withCode39 = (fixedLength: number) => ({ ...usualSettings, symbologies: ["code39" as const], fixedLength });
    expect(read(`]A0${id}`, withCode39(16)).isId).toBe(true);
    expect(read(`]A0${id}`, withCode39(20)).isId).toBe(false);
    expect(read(`]A0${id}`).isId).toBe(true);
  });

  it("of another network's id keeps small letters where they are part of it", () => {
    const foreignIds = { lengthMin: 8, lengthMax: 12, alphabet: "alphanumeric", check: "none" } as const;
    expect(read("net12Abc90", { ...usualSettings, foreignIds })).toMatchObject({ text: "net12Abc90", isId: true });
  });

  it("of the provider's link counts, so that it is taken out of a field", () => {
    const code = makeEnrolmentCode(new Uint8Array(11).fill(7));
    const link = makeEnrolmentLink({ serviceUrl: "https://cash.example", code });
    expect(read(link)).toMatchObject({ text: link, isId: true });
    expect(read(link.slice(0, -1)).isId).toBe(false);
  });

  it("of keys that type nothing goes on without them, and is no id", () => {
    const [first, ...rest] = keysOf({ text: "4006381", gapMs: 5, end: null });
    const dead = { key: "Dead", code: "", shift: false, atMs: 1_001 };
    expect(interpret(first ? [first, dead, ...rest] : [], usualSettings)).toMatchObject({
      text: "4006381",
      isId: false,
    });
  });

  it("has the mean pause and the longest", () => {
    const keys = [0, 10, 60].map((atMs) => ({ key: "x", code: "", shift: false, atMs }));
    expect(pausesOf(keys)).toEqual({ meanMs: 30, maxMs: 50 });
  });
});
