/** A scanner set to US on terminals with other layouts: the text must come out whatever the terminal makes of the keys. */

import { describe, expect, it } from "vitest";
import { asUs, foreignLayouts, interpret, usCharacter } from "../../../renderer/scan/keyboard/interpret.ts";
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
