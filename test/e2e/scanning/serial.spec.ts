/** A scanner in serial mode that was chosen before, by a port that the test plays: another program may hold it. */
import type { Page } from "@playwright/test";
import { openTill } from "../gallery/fake-till.ts";
import { screenOf } from "../gallery/snapshots.ts";
import { expect, test } from "../stage/shop.ts";
import { code } from "./scanners.ts";

interface PlayedPort {
  isHeld: boolean;
  tries: number;
  readonly readable: object | null;
  scan(text: string): void;
}

/** It is plugged in from the start, and answers as Chromium's ports do. */
const plugInHeld = (page: Page, twins = 0) =>
  page.addInitScript((twins) => {
    let out: ReadableStreamDefaultController<Uint8Array> | undefined;
    const port = {
      isHeld: true,
      tries: 0,
      readable: null as ReadableStream<Uint8Array> | null,
      getInfo: () => ({ usbVendorId: 1, usbProductId: 2 }),
      async open() {
        this.tries += 1;
        if (this.isHeld) throw new DOMException("Failed to open serial port.", "NetworkError");
        if (this.readable !== null) throw new DOMException("The port is already open.", "InvalidStateError");
        this.readable = new ReadableStream({
          start: (controller) => {
            out = controller;
          },
        });
      },
      scan: (text: string) => out?.enqueue(new TextEncoder().encode(`${text}\r`)),
    };
    const serial = Object.assign(new EventTarget(), {
      getPorts: async () => [port, ...Array.from({ length: twins }, () => ({ ...port }))],
    });
    Object.defineProperty(navigator, "serial", { value: serial });
    Object.assign(window, { port });
  }, twins);

const port = <Seen>(page: Page, look: (port: PlayedPort) => Seen): Promise<Seen> =>
  page.evaluate(`(${look})(window.port)`) as Promise<Seen>;

for (const [name, heldForSeconds, twins] of [
  ["a port that another program holds for 2 seconds is read after that", 2, 0],
  ["a port that another program holds for 30 seconds is read after that", 30, 0],
  ["of two scanners of one model one is read", 2, 1],
] as const)
  test(name, async ({ page }) => {
    await page.clock.install();
    await plugInHeld(page, twins);
    const till = await openTill(page, screenOf("ready"));
    const tries = () => port(page, (tried) => tried.tries);
    // What reads scanners is loaded in its own time, whatever the page's clock says.
    await expect.poll(() => page.clock.runFor(100).then(tries)).toBeGreaterThan(0);
    await page.clock.runFor(heldForSeconds * 1000);
    await port(page, (held) => {
      held.isHeld = false;
    });
    await page.clock.runFor(15_000);
    await expect.poll(() => port(page, ({ readable }) => readable !== null)).toBe(true);
    await page.evaluate((text) => (window as unknown as { port: PlayedPort }).port.scan(text), code);
    await expect
      .poll(() => page.clock.runFor(1_000).then(() => till.commands))
      .toContainEqual({ type: "scan", text: code, source: "serial" });
    const before = await tries();
    await page.clock.runFor(60_000);
    expect(await tries()).toBe(before);
  });
