/** What of a keyboard event tells an Alt code. */
export interface AltKey {
  readonly key: string;
  readonly code: string;
  /** Alt is down. */
  readonly alt: boolean;
}

const digitsMax = 7;
const named: Readonly<Record<number, string>> = { 9: "Tab", 10: "Enter", 13: "Enter" };
const codePointMax = 0x10ffff;

/**
 * Puts characters together that a scanner sends as Alt codes: Alt held down while the digits of the character's number come from the
 * number pad (`Alt` 0 0 6 5 is A). The system would make characters of them on some platforms and in fields alone. Pure.
 */
export class AltCodes {
  #digits = "";

  /** Takes a key that went down; true where it is a digit of an Alt code, which must do nothing else. */
  down({ key, code, alt }: AltKey): boolean {
    if (key === "Alt") {
      this.#digits = "";
      return false;
    }
    const digit = alt ? /^(?:Numpad|Digit)(\d)$/.exec(code)?.[1] : undefined;
    if (digit === undefined) {
      this.#digits = "";
      return false;
    }
    if (this.#digits.length < digitsMax) this.#digits += digit;
    return true;
  }

  /** Takes a key that went up: the character that Alt's release completes (`Enter` or `Tab` for those), or null. */
  up({ key }: Pick<AltKey, "key">): string | null {
    if (key !== "Alt" || this.#digits === "") return null;
    const number = Number(this.#digits);
    this.#digits = "";
    if (number in named) return named[number] ?? null;
    return number >= 32 && number <= codePointMax ? String.fromCodePoint(number) : null;
  }
}
