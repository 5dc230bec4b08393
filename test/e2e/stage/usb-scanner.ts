/**
 * A USB scanner in keyboard mode, set to the US layout: real key events, whatever has the focus. They carry the device's own
 * times, as the system's events do, so that a busy test machine does not turn a scanner into a slow typist.
 */

import type { CDPSession, Page } from "playwright";
import type { Layout } from "../../../renderer/scan/keyboard/interpret.ts";
import { typedUnder, usCode } from "../../us-scanner.ts";

/** How the scanner types. */
export interface UsbScan {
  readonly msPerKey: number;
  /** `CR LF`: as a scanner that sends control characters does, Enter and then Control+J. */
  readonly end: "Enter" | "Tab" | "CR LF" | "none";
  /** The till's keyboard layout; US where none is named. */
  readonly layout?: Layout;
}

interface KeyEvent {
  readonly key: string;
  readonly code: string;
  readonly windowsVirtualKeyCode: number;
  readonly modifiers: number;
  readonly text?: string;
}

const [control, shift] = [2, 8];
const enter: KeyEvent = { key: "Enter", code: "Enter", windowsVirtualKeyCode: 13, modifiers: 0, text: "\r" };
const tab: KeyEvent = { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9, modifiers: 0 };
const lineFeed: KeyEvent = { key: "j", code: "KeyJ", windowsVirtualKeyCode: 74, modifiers: control };

const endKeys: Readonly<Record<UsbScan["end"], readonly KeyEvent[]>> = {
  Enter: [enter],
  Tab: [tab],
  "CR LF": [enter, lineFeed],
  none: [],
};

/** Keys that wait for the next one; together they then give two characters. */
const deadKeys: Readonly<Record<Layout, string>> = { us: "", uk: "", de: "^´`", ch: "^¨`", fr: "^¨" };

const keysOf = (text: string, layout: Layout): readonly KeyEvent[] => {
  let waiting = "";
  return [...text].map((character): KeyEvent => {
    const place = usCode(character);
    if (!place) throw new Error(`no key of a US keyboard gives "${character}"`);
    const typed = typedUnder(character, layout);
    const of = {
      code: place.code,
      windowsVirtualKeyCode: character.toUpperCase().charCodeAt(0),
      modifiers: place.shift ? shift : 0,
    };
    if (deadKeys[layout].includes(typed)) {
      waiting = typed;
      return { ...of, key: "Dead" };
    }
    const key = { ...of, key: typed, text: waiting + typed };
    waiting = "";
    return key;
  });
};

const sessions = new WeakMap<Page, Promise<CDPSession>>();

const sessionOf = (page: Page): Promise<CDPSession> => {
  const known = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, known);
  return known;
};

/** Types codes as one scanner does, the next one `pauseMs` after the last key of the one before. */
export const scanInTurnWithUsb = async (
  page: Page,
  texts: readonly string[],
  { msPerKey, end, layout = "us" }: UsbScan,
  pauseMs: number,
): Promise<void> => {
  const session = await sessionOf(page);
  let atMs = 0;
  const events = texts.flatMap((text, index) => {
    if (index > 0) atMs += pauseMs - msPerKey;
    return [...keysOf(text, layout), ...endKeys[end]].map((key) => {
      const event = { ...key, atMs };
      atMs += msPerKey;
      return event;
    });
  });
  // All at once, with the times of the device: as if the page had been busy while the cashier scanned. No event is older than its page.
  const bornAtMs = await page.evaluate(() => performance.timeOrigin);
  const startMs = Math.max(Date.now() - atMs, bornAtMs);
  await Promise.all(
    events.flatMap(({ atMs: sinceStartMs, ...key }) => {
      const timestamp = (startMs + sinceStartMs) / 1_000;
      const down = session.send("Input.dispatchKeyEvent", {
        type: key.text ? "keyDown" : "rawKeyDown",
        ...key,
        timestamp,
      });
      // Letting a character's key go does nothing anywhere; Enter and Tab are let go as they were pressed.
      if (key.key.length === 1) return [down];
      return [down, session.send("Input.dispatchKeyEvent", { type: "keyUp", ...key, timestamp: timestamp + 0.001 })];
    }),
  );
};

/** Types `text`, whatever is wrapped around it, and the ending. */
export const scanWithUsb = (page: Page, text: string, scan: UsbScan): Promise<void> =>
  scanInTurnWithUsb(page, [text], scan, 0);

/** Types `text` and Enter as a scanner does that sends each character as Alt and the digits of its number. */
export const scanWithAltCodes = async (page: Page, text: string, msPerEvent: number): Promise<void> => {
  const session = await sessionOf(page);
  const alt = { key: "Alt", code: "AltLeft", windowsVirtualKeyCode: 18 };
  const events = [...text].flatMap((character) => {
    const digits = [...String(character.charCodeAt(0)).padStart(4, "0")].flatMap((digit) => {
      const key = { key: digit, code: `Numpad${digit}`, windowsVirtualKeyCode: 96 + Number(digit), modifiers: 1 };
      return [
        { type: "rawKeyDown", ...key },
        { type: "keyUp", ...key },
      ] as const;
    });
    return [{ type: "rawKeyDown", ...alt, modifiers: 1 }, ...digits, { type: "keyUp", ...alt, modifiers: 0 }] as const;
  });
  const all = [...events, { type: "keyDown", ...enter } as const, { type: "keyUp", ...enter } as const];
  const bornAtMs = await page.evaluate(() => performance.timeOrigin);
  const startMs = Math.max(Date.now() - all.length * msPerEvent, bornAtMs);
  await Promise.all(
    all.map((event, index) =>
      session.send("Input.dispatchKeyEvent", { ...event, timestamp: (startMs + index * msPerEvent) / 1_000 }),
    ),
  );
};
