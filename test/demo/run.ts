/**
 * `npm run demo`: plays the whole job without a display, on the built programs and a Chromium of our own, and leaves numbered
 * screenshots of till and phone and a short `report.html` in `out/demo/`.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, Page } from "@playwright/test";
import en from "../../renderer/texts/en/screens.json" with { type: "json" };
import { readFlags } from "../../tools/command-line.ts";
import { findChromium } from "../chromium.ts";
import type { TillPage } from "../e2e/stage/till-page.ts";
import { root } from "../runner/run-program.ts";
import { reportHtml, type Shot } from "./report.ts";

const folder = path.join(root, "out", "demo");
const tillScreen = { width: 1024, height: 768 } as const;
/** A camera needs a moment, a busy machine a little more. */
const patienceMs = 30_000;
/** What moves on its own (a screen fading in) has come to rest. */
const restMs = 500;

readFlags(
  "Usage: npm run demo\n\nPlays the whole job without a display; out/demo/report.html and its pictures show it.",
  {},
);
// Flags are refused without Playwright and the stage.
const { chromium } = await import("@playwright/test");
const { connectDemoBank } = await import("../e2e/stage/bank-client.ts");
const { writeCameraStream } = await import("../e2e/stage/camera-stream.ts");
const { openPhonePage, phoneScreen } = await import("../e2e/stage/phone-page.ts");
const { startTillHost, trainingServiceOf } = await import("../e2e/stage/programs.ts");
const { openTillPage } = await import("../e2e/stage/till-page.ts");
const startedMs = performance.now();
const shots: Shot[] = [];
const shoot = async (
  page: Page,
  device: Shot["device"],
  name: string,
  caption: string,
  waitMs = restMs,
): Promise<void> => {
  await page.waitForTimeout(waitMs);
  const file = `${String(shots.length + 1).padStart(2, "0")}-${device}-${name}.png`;
  await page.screenshot({ path: path.join(folder, file) });
  shots.push({ file, device, caption, atMs: performance.now() - startedMs });
  console.log(`  ${file.padEnd(34)} ${caption}`);
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(path.join(tmpdir(), "tillcash-demo-"));
const found = await findChromium();
const host = await startTillHost({ data: path.join(data, "till"), live: false });
const browsers: Browser[] = [];

const launch = async (args: readonly string[] = []): Promise<Browser> => {
  const browser = await chromium.launch({ ...found, args: [...args] });
  browsers.push(browser);
  return browser;
};

try {
  const serviceUrl = await trainingServiceOf(path.join(data, "till"));
  const bank = await connectDemoBank(serviceUrl);
  const customers = await (await launch()).newContext({
    viewport: phoneScreen,
    deviceScaleFactor: 2,
    hasTouch: true,
    locale: "en-GB",
  });
  const phonePage = await customers.newPage();
  const phone = openPhonePage(phonePage);
  console.log("A customer wants 50.00 EUR; the camera reads the phone.");
  await phonePage.goto(`${serviceUrl}/sandbox`);
  await shoot(phonePage, "phone", "sandbox", "The sandbox: one tap starts a withdrawal");
  await phone.request(`${serviceUrl}/sandbox`, "50.00");
  await shoot(phonePage, "phone", "code", "The customer shows the code");

  const film = path.join(data, "camera.y4m");
  writeCameraStream(film, await phone.picture("code128"), { noise: 7, tiltDegrees: 5 });
  const camera = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];
  const tillBrowser = await launch([...camera, `--use-file-for-fake-video-capture=${film}`]);
  const shop = await tillBrowser.newContext({ viewport: tillScreen, permissions: ["camera"], locale: "en-GB" });
  const tillPage = await shop.newPage();
  await tillPage.goto(host.entry);
  const till: TillPage = openTillPage(tillPage);
  await tillPage.locator("[data-testid=camera][data-state=live]").waitFor({ timeout: patienceMs });
  await tillPage.waitForFunction(() => (document.querySelector("video")?.currentTime ?? 0) > 0.1);
  await shoot(tillPage, "till", "ready", "The till is ready; the camera looks", 0);
  await till.shows("review", patienceMs);
  await shoot(tillPage, "till", "review", "The code is read: the cashier sees the amount");
  await till.press(en.review.confirm);
  await till.shows("approval", patienceMs);
  await shoot(tillPage, "till", "waiting", "Confirmed: the till waits for the customer, 35 seconds at most");
  await phone.shows("awaiting_sca", patienceMs);
  await shoot(phonePage, "phone", "asked", "The phone asks the customer to approve");
  await phonePage.getByRole("link", { name: "Open the bank app" }).click();
  await shoot(phonePage, "phone", "sca", "The bank app shows amount and shop");
  await phonePage.getByRole("button", { name: "Approve" }).click();
  await till.shows("payable", patienceMs);
  await shoot(tillPage, "till", "payable", "Paid by the bank: the one screen that offers cash");
  await till.press(en.payable.ok);
  await till.shows("counting", patienceMs);
  await shoot(tillPage, "till", "counting", "The drawer is open, and the amount stays while the cash is counted");
  await till.press(en.opening.handedOut);
  await till.shows("done", patienceMs);
  await shoot(tillPage, "till", "done", "The cash was handed over, the service knows");
  await phonePage.getByRole("link", { name: "Back to the withdrawal" }).click();
  await phone.shows("linked", patienceMs);
  await shoot(phonePage, "phone", "received", "The phone says so, too");

  console.log("What goes wrong in a shop.");
  await till.shows("ready", patienceMs);
  await till.scanAnywhere("4006381333931");
  await till.toast("not_an_id");
  await shoot(tillPage, "till", "wrong-barcode", "An article's barcode is refused without a request");

  const denied = await bank.request("70.00");
  await till.scanAnywhere(denied.transaction_id);
  await till.press(en.review.confirm);
  await till.shows("approval", patienceMs);
  await bank.decideSca(denied.transaction_id, "denied");
  await till.showsEnd("sca_denied", patienceMs);
  await shoot(tillPage, "till", "denied", "The customer refuses: no cash");
  await till.press(en.ended.nextCustomer);

  const short = await bank.request("480.08");
  await till.scan(short.transaction_id);
  await till.press(en.review.confirm);
  await till.shows("payable", patienceMs);
  await till.press(en.payable.notHandedOut);
  await shoot(tillPage, "till", "why-not", "Paid, but the till is short: the cashier says why");
  await till.press(en.notHandedOut.till_short);
  await till.showsEnd("not_handed_out", patienceMs);
  await shoot(tillPage, "till", "not-handed-out", "The payment is due back and stands in the report");
  await till.press(en.ended.nextCustomer);

  const open = await bank.request("120.08");
  await till.scan(open.transaction_id);
  await till.press(en.review.confirm);
  await till.shows("payable", patienceMs);
  console.log("The program dies with cash on offer, and is started again.");
  const port = Number(new URL(host.entry).port);
  await host.child.kill();
  const again = await startTillHost({ data: path.join(data, "till"), live: false, port });
  try {
    // A page's session ends with its program: the new one is let in by the address that it printed.
    await tillPage.goto(again.entry);
    await till.shows("recovered", patienceMs);
    await shoot(tillPage, "till", "recovered", "After a power cut the till is where the cashier was");
    await till.handOver();
    await till.shows("done", patienceMs);
    await till.shows("ready", patienceMs);
    const service = await connectDemoBank(await trainingServiceOf(path.join(data, "till")));
    writeFileSync(path.join(folder, "report.html"), reportHtml(shots, [...(await service.report()).values()]));
  } finally {
    await again.child.stop();
  }
  console.log(`\n${shots.length} screenshots and report.html in ${path.relative(process.cwd(), folder)}/`);
} catch (error) {
  console.error(error);
  console.error(host.child.output());
  process.exitCode = 1;
} finally {
  for (const browser of browsers) await browser.close();
  await host.child.kill();
  rmSync(data, { recursive: true, force: true });
}
