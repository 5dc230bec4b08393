/**
 * A USB scanner in keyboard mode: real key events, whatever has the focus. They carry the device's own times, as the system's
 * events do, so that a busy test machine does not turn a scanner into a slow typist.
 */
import type { Page } from "playwright";

export interface UsbScan {
  readonly msPerKey: number;
  readonly end: "Enter" | "Tab" | "none";
}

const endKeys = {
  Enter: { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Tab: { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9 },
} as const;

const digitOrLetter = /^[0-9A-Z]$/;

/** Types `text` and the ending. */
export const scanWithUsb = async (page: Page, text: string, { msPerKey, end }: UsbScan): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  const keys = [...text].map((character) => ({
    key: character,
    code: /\d/.test(character) ? `Digit${character}` : `Key${character}`,
    windowsVirtualKeyCode: character.charCodeAt(0),
    text: character,
    modifiers: /[A-Z]/.test(character) ? shiftModifier : 0,
  }));
  const all = end === "none" ? keys : [...keys, { ...endKeys[end], modifiers: 0 }];
  if (!keys.every((key) => digitOrLetter.test(key.key))) throw new Error(`a scanner types digits and letters: ${text}`);
  // All at once, with the times of the device: as if the page had been busy while the cashier scanned.
  const startMs = Date.now() - all.length * msPerKey;
  await Promise.all(
    all.flatMap((key, index) => {
      const timestamp = (startMs + index * msPerKey) / 1_000;
      return [
        session.send("Input.dispatchKeyEvent", { type: "keyDown", ...key, timestamp }),
        session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key, timestamp: timestamp + 0.001 }),
      ];
    }),
  );
  await session.detach();
};

const shiftModifier = 8;
