import { describe, expect, test } from "vitest";
import { hashPin, isPinOf, noTries, remainingMs, reserveTry, type Tries } from "../../../main/people/pins.ts";
import { isGoodPin } from "../../../preload/choices.ts";

const afterTries = (count: number, wallMs = 0): Tries =>
  Array.from({ length: count }).reduce<Tries>((tries) => reserveTry(tries, wallMs), noTries);

describe("wrong PINs in a row", () => {
  test.each([
    [4, 0],
    [5, 30_000],
    [6, 60_000],
    [9, 480_000],
    [10, 900_000],
    [5_000, 900_000],
  ])("%i of them cost %i ms", (count, waitMs) => {
    expect(remainingMs(afterTries(count), 0)).toBe(waitMs);
  });

  test("end with the time, not before", () => {
    const tries = afterTries(5, 1_000);
    expect(remainingMs(tries, 30_999)).toBe(1);
    expect(remainingMs(tries, 31_000)).toBe(0);
  });

  test("a clock that is put back makes nobody wait longer than that", () => {
    expect(remainingMs(afterTries(5, 365 * 86_400_000), 0)).toBe(30_000);
  });
});

describe("a PIN", () => {
  test.each(["482915", "90210553", "135798642013"])("%s is good enough for a manager", (pin) => {
    expect(isGoodPin(pin, "manager")).toBe(true);
  });

  test.each(["4829", "48291", "000000", "123456", "987654", "901234", "121212", "123123", "112211"])(
    "%s is not",
    (pin) => {
      expect(isGoodPin(pin, "manager")).toBe(false);
    },
  );

  test("of a cashier may have four digits", () => {
    expect(isGoodPin("4829", "cashier")).toBe(true);
    for (const pin of ["1234", "1111", "482"]) expect(isGoodPin(pin, "cashier"), pin).toBe(false);
  });
});

test("a PIN is kept as what 32 MiB of scrypt make of it, and is right for itself alone", async () => {
  const kept = await hashPin("482915");
  expect(kept).toMatchObject({ N: 32_768, r: 8, p: 3 });
  expect(JSON.stringify(kept)).not.toContain("482915");
  expect(await isPinOf(kept, "482915")).toBe(true);
  expect(await isPinOf(kept, "482916")).toBe(false);
  expect((await hashPin("482915")).salt).not.toBe(kept.salt);
});
