/** Keys that type nothing: a scanner types, and what it types must reach the terminal as a barcode. */
type SilentKey = "Enter" | "Escape" | `F${number}`;

/** Every keyboard shortcut, as values of `KeyboardEvent.key`. Keys belong to a place of the action bar, whatever action is there. */
export const shortcuts = {
  main: ["Enter", "F9"],
  /** The main action where Enter, which people press by habit, must do nothing. */
  mainDeliberate: ["F9"],
  second: ["Escape", "F8"],
  /** The second action where Escape, which closes dialogs, must do nothing. */
  secondDeliberate: ["F8"],
  third: ["F7"],
  typeCode: ["F2"],
  /** Opens the help about the current screen, and closes it. */
  help: ["F1"],
  close: ["Escape"],
  submit: ["Enter"],
} as const satisfies Readonly<Record<string, readonly SilentKey[]>>;

/** Name of a shortcut. */
export type Shortcut = keyof typeof shortcuts;

const keyNames: Readonly<Record<string, string>> = { Escape: "Esc" };

/** The keys of a shortcut as a button shows them. */
export const shortcutText = (shortcut: Shortcut): string =>
  shortcuts[shortcut].map((key) => keyNames[key] ?? key).join(" · ");

/** Whether a key belongs to a shortcut. */
export const isShortcut = (shortcut: Shortcut, key: string): boolean =>
  (shortcuts[shortcut] as readonly string[]).includes(key);
