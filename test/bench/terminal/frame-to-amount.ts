/** From the first camera frame that shows the phone to the amount painted. One film, so one browser, for each sample. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type Page } from "@playwright/test";
import { findChromium } from "../../chromium.ts";
import type { DemoBank } from "../../e2e/stage/bank-client.ts";
import { drawSymbol, writeCameraStream } from "../../e2e/stage/camera-stream.ts";
import { startTillHost } from "../../e2e/stage/programs.ts";

/** In the symbol's upper quiet zone the commands of the film is darker than this, the phone brighter; 0 to 255. */
const phoneBrightness = 215;

/** Runs in the page before anything else: remembers when the first frame with the phone came, and waits for the amount. */
const watch = (brightness: number): void => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const state = { seenMs: 0, amountMs: 0 };
  Object.assign(window, { benchState: state });
  const onFrame = (video: HTMLVideoElement): void => {
    if (state.seenMs > 0 || !context) return;
    const { videoWidth: width, videoHeight: height } = video;
    context.drawImage(video, width * 0.47, height * 0.235, width * 0.06, height * 0.03, 0, 0, 8, 8);
    const { data } = context.getImageData(0, 0, 8, 8);
    let sum = 0;
    for (let at = 0; at < data.length; at += 4) sum += data[at] ?? 0;
    if (sum / 64 > brightness) state.seenMs = performance.now();
    else video.requestVideoFrameCallback(() => onFrame(video));
  };
  let video: HTMLVideoElement | null = null;
  new MutationObserver(() => {
    const found = document.querySelector("video");
    if (found && found !== video) {
      video = found;
      found.requestVideoFrameCallback(() => onFrame(found));
    }
    if (state.amountMs > 0 || !document.querySelector("[data-amount]")) return;
    state.amountMs = -1;
    requestAnimationFrame(() =>
      setTimeout(() => {
        state.amountMs = performance.now();
      }),
    );
  }).observe(document, { childList: true, subtree: true });
};

const readState = (page: Page): Promise<{ seenMs: number; amountMs: number }> =>
  page.evaluate(() => (window as unknown as { benchState: { seenMs: number; amountMs: number } }).benchState);

/** The till's film loops: when the phone came before the till looked, the next round is as good. */
const readMaxMs = 30_000;

/** Milliseconds of `count` samples, each with a host and a browser of its own. */
export const measureFrames = async (
  startBank: (serviceUrl: string) => Promise<DemoBank>,
  trainingServiceOf: (data: string) => Promise<string>,
  symbology: "code128" | "qr",
  count: number,
): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const folder = mkdtempSync(path.join(tmpdir(), "tillcash-bench-"));
    const host = await startTillHost({ data: path.join(folder, "till"), live: false });
    const bank = await startBank(await trainingServiceOf(path.join(folder, "till")));
    const { transaction_id: id } = await bank.request("50.00");
    const film = path.join(folder, "camera.y4m");
    const tiltDegrees = 3 - (index % 7);
    writeCameraStream(film, drawSymbol(symbology, id), { seed: index + 1, noise: 7, tiltDegrees, framesPerSecond: 30 });
    const browser = await chromium.launch({
      ...(await findChromium()),
      args: [
        "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream",
        `--use-file-for-fake-video-capture=${film}`,
      ],
    });
    try {
      const page = await browser.newPage({ viewport: { width: 1024, height: 768 }, permissions: ["camera"] });
      await page.addInitScript(watch, phoneBrightness);
      await page.goto(host.entry);
      await page.locator("[data-amount]").waitFor({ timeout: readMaxMs });
      await page.waitForTimeout(200);
      const { seenMs, amountMs } = await readState(page);
      if (seenMs > 0 && amountMs > seenMs) times.push(amountMs - seenMs);
    } finally {
      await browser.close();
      await host.child.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return times;
};
