/** Scanners that send each character as the digits of its number, while Alt is held down. */
import { describe, expect, it } from "vitest";
import type { PressedKey } from "../../../renderer/scan/keyboard/detector.ts";
import { AltCodes } from "../../../renderer/scan/keyboard/listen.ts";
import { seededId } from "../../scan-frames/symbol.ts";
import { play } from "./keystrokes.ts";

const id = seededId(23);

/** What comes of Alt, the digits of one number, and Alt's release. */
const typed = (digits: string, pad = "Numpad"): string | null => {
  const codes = new AltCodes();
  codes.down({ key: "Alt", code: "AltLeft", altKey: true });
  for (const digit of digits) codes.down({ key: digit, code: `${pad}${digit}`, altKey: true });
  return codes.up({ key: "Alt" });
};

describe("an Alt code", () => {
  it.each([
    ["0065", "A"],
    ["65", "A"],
    ["0048", "0"],
    ["00228", "ä"],
    ["8364", "€"],
    ["0013", "Enter"],
    ["009", "Tab"],
    ["0007", null],
    ["", null],
    ["9999999", null],
  ])("%s is %s", (digits, expected) => {
    expect(typed(digits)).toBe(expected);
  });

  it("may come from the digits above the letters", () => {
    expect(typed("0088", "Digit")).toBe("X");
  });

  it("takes only digits that come while Alt is down, and only those of one hold", () => {
    const codes = new AltCodes();
    expect(codes.down({ key: "6", code: "Numpad6", altKey: false })).toBe(false);
    expect(codes.up({ key: "Alt" })).toBeNull();
    codes.down({ key: "Alt", code: "AltLeft", altKey: true });
    expect(codes.down({ key: "6", code: "Numpad6", altKey: true })).toBe(true);
    // Alt and a letter is a shortcut: what came before it is forgotten.
    expect(codes.down({ key: "f", code: "KeyF", altKey: true })).toBe(false);
    expect(codes.up({ key: "Alt" })).toBeNull();
  });
});

describe("a scanner that sends Alt codes", () => {
  /** The characters as the listener makes them, each with the time of Alt's release. */
  const keys = (text: string, eventMs: number, inField: boolean): readonly PressedKey[] => {
    const codes = new AltCodes();
    let atMs = 1000;
    return [...[...text].map((character) => character.codePointAt(0) ?? 0), 13].map((number) => {
      codes.down({ key: "Alt", code: "AltLeft", altKey: true });
      const digits = String(number).padStart(4, "0");
      for (const digit of digits) codes.down({ key: digit, code: `Numpad${digit}`, altKey: true });
      atMs += eventMs * (2 + 2 * digits.length);
      const key = codes.up({ key: "Alt" }) ?? "";
      return { key, code: "", shift: false, atMs, repeat: false, modified: false, inField, held: () => null };
    });
  };

  it.each([
    [1, false],
    [2, false],
    [2, true],
    [4, true],
  ])("is heard at %i ms an event (in a field: %s)", (eventMs, inField) => {
    expect(play(keys(id, eventMs, inField)).scans).toEqual([id]);
  });
});
