/** A scanner in serial mode that was chosen before, by a port that the test plays: another program may hold it. */
import type { Page } from "@playwright/test";
import { seededId } from "../../scan-frames/symbol.ts";
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

/** They are plugged in from the start, and answer as Chromium's ports do. */
const plugInHeld = (page: Page, count: number) =>
  page.addInitScript((count) => {
    const makePort = () => {
      let out: ReadableStreamDefaultController<Uint8Array> | undefined;
      return {
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
        scan: (text: string) => out?.enqueue(new TextEncoder().encode(text)),
      };
    };
    const ports = Array.from({ length: count }, makePort);
    const serial = Object.assign(new EventTarget(), { getPorts: async () => ports });
    Object.defineProperty(navigator, "serial", { value: serial });
    Object.assign(window, { ports });
  }, count);

const look = <Seen>(page: Page, at: (ports: PlayedPort[]) => Seen): Promise<Seen> =>
  page.evaluate(`(${at})(window.ports)`) as Promise<Seen>;

for (const [name, heldForSeconds, count] of [
  ["a port that another program holds for 2 seconds is read after that", 2, 1],
  ["a port that another program holds for 30 seconds is read after that", 30, 1],
  ["of two scanners of one model that read at the same time both codes are whole", 2, 2],
] as const)
  test(name, async ({ page }) => {
    await page.clock.install();
    await plugInHeld(page, count);
    const till = await openTill(page, screenOf("ready"));
    const tries = () => look(page, (ports) => ports.map((each) => each.tries));
    // What reads scanners is loaded in its own time, whatever the page's clock says.
    await expect.poll(() => page.clock.runFor(100).then(tries)).not.toContain(0);
    await page.clock.runFor(heldForSeconds * 1000);
    await look(page, (ports) => {
      for (const port of ports) port.isHeld = false;
    });
    await page.clock.runFor(15_000);
    await expect.poll(() => look(page, (ports) => ports.every(({ readable }) => readable !== null))).toBe(true);
    const codes = [code, seededId(7)].slice(0, count);
    const half = code.length / 2;
    // In one go: halves that come too far apart are two codes, and the page's clock goes on meanwhile.
    const halves = [codes.map((text) => text.slice(0, half)), codes.map((text) => `${text.slice(half)}\r`)];
    await page.evaluate((halves) => {
      const { ports } = window as unknown as { ports: PlayedPort[] };
      for (const texts of halves) for (const [at, text] of texts.entries()) ports[at]?.scan(text);
    }, halves);
    const scans = () =>
      till.commands.filter(({ type }) => type === "scan").map((command) => "text" in command && command.text);
    await expect.poll(() => page.clock.runFor(1_000).then(() => scans().toSorted())).toEqual([...codes].toSorted());
    const before = await tries();
    await page.clock.runFor(60_000);
    expect(await tries()).toEqual(before);
  });
