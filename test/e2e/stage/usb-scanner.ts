/** A USB scanner in keyboard mode: real key events at the speed of the device, whatever has the focus. */
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

/** Types `text` and the ending. Keys leave in the device's time and do not wait for the page. */
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
  const sent: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (const [index, key] of all.entries()) {
    const waitMs = startMs + index * msPerKey - performance.now();
    if (waitMs > 0) await new Promise((done) => setTimeout(done, waitMs));
    sent.push(session.send("Input.dispatchKeyEvent", { type: "keyDown", ...key }));
    sent.push(session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key }));
  }
  await Promise.all(sent);
  await session.detach();
};

const shiftModifier = 8;
