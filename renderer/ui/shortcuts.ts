/** Every key of the screens, named as `KeyboardEvent.key` does. A key belongs to a place of the action bar, whatever stands there. */
export const shortcuts = {
  main: ["Enter", "F9"],
  /** The main action where Enter, the key of habit, must answer nothing. */
  mainDeliberate: ["F9"],
  second: ["Escape", "F8"],
  /** The second action where Escape, the key that closes things, must answer nothing. */
  secondDeliberate: ["F8"],
  third: ["F7"],
  typeCode: ["F2"],
  /** Opens help about what is in front, and closes it. */
  help: ["F1"],
  /** Closes the manager's area. */
  close: ["Escape"],
  /** Ends the typing of a code in its field. */
  submit: ["Enter"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A shortcut by what it is for. */
export type Shortcut = keyof typeof shortcuts;

const keyNames: Readonly<Record<string, string>> = { Escape: "Esc" };

/** The keys of a shortcut as they are printed on a button. */
export const shortcutText = (shortcut: Shortcut): string =>
  shortcuts[shortcut].map((key) => keyNames[key] ?? key).join(" · ");

/** Whether a key belongs to a shortcut. */
export const isShortcut = (shortcut: Shortcut, key: string): boolean =>
  (shortcuts[shortcut] as readonly string[]).includes(key);
