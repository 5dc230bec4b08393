/** What may follow the words of each command. What a command would not read is refused: it would be lost without a word. */
import { UsageError } from "./arguments.ts";

interface Shape {
  /** The most words after the command's own. */
  readonly words: number;
  readonly flags?: readonly string[];
}

const amounts = ["smallest", "largest", "step"];
const bankPages = ["name", "logo", "color"];

/** By the command's own words, as `commands` has them. */
export const shapes: Readonly<Record<string, Shape>> = {
  "merchants add": { words: 1, flags: ["name", "currency", ...amounts] },
  "merchants set": {
    words: 1,
    flags: ["name", ...amounts, "shop-day", "terminal-hour", "support-text", "support-phone"],
  },
  "merchants disable": { words: 1 },
  "merchants enable": { words: 1 },
  "merchants list": { words: 0 },
  "partners add": { words: 1, flags: ["url"] },
  "partners set-url": { words: 2 },
  "partners set": {
    words: 1,
    flags: ["answers", "events-url", "sca-url", "user-day", "currency", ...bankPages],
  },
  "partners rotate": { words: 1, flags: ["hours", "force"] },
  "partners set-key": { words: 1 },
  "partners encrypt-keys": { words: 0 },
  "partners allow": { words: 2, flags: ["all"] },
  "partners disallow": { words: 2, flags: ["all"] },
  "partners test": { words: 1 },
  "partners list": { words: 0 },
  "credentials add": { words: 3, flags: ["enrol", "scope"] },
  "credentials rotate": { words: 3, flags: ["enrol"] },
  "credentials revoke": { words: 3 },
  "credentials reset-manager": { words: 3 },
  "credentials list": { words: 0 },
  "reports list": { words: 0 },
  "reports close": { words: 1, flags: ["note"] },
  "reports decide": { words: 1, flags: ["outcome", "note"] },
  audit: { words: 0, flags: ["from", "to", "all"] },
  "audit verify": { words: 0, flags: ["expect"] },
  "audit accept": { words: 0, flags: ["note"] },
  backup: { words: 0 },
  restored: { words: 0, flags: ["since", "long-ago", "correct"] },
  "users block": { words: 2 },
  "users unblock": { words: 2 },
  "users erase": { words: 2 },
};

/** @throws UsageError for a word or a flag that the command does not read. */
export const refuseUnread = (name: string, words: readonly string[], flags: Readonly<Record<string, string>>): void => {
  const { words: most, flags: known = [] } = shapes[name] ?? { words: 0 };
  const unread = Object.keys(flags).filter((flag) => !known.includes(flag));
  const spelt = (each: readonly string[]) => each.map((flag) => `--${flag}`).join(", ");
  if (unread.length > 0)
    throw new UsageError(
      `"${name}" does not take ${spelt(unread)}; it takes ${known.length === 0 ? "no flags" : spelt(known)}`,
      unread,
    );
  const extra = words[most];
  if (extra !== undefined)
    throw new UsageError(`"${extra}" is one word too many for "${name}"; put a text with spaces into quotation marks`);
};
