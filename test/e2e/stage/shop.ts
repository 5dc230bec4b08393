/** A whole shop for one test: service, host, till page, the customer's phone, the bank's own view. Cleaned up afterwards. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Browser, type BrowserContext, test as base, chromium } from "@playwright/test";
import { findChromium } from "../../chromium.ts";
import { connectDemoBank, type DemoBank } from "./bank-client.ts";
import { type Film, writeFilm } from "./camera-stream.ts";
import type { Child } from "./child.ts";
import { type DesktopTill, desktopObstacle, startDesktopTill } from "./desktop-till.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { openPhonePage, type PhonePage, phoneScreen } from "./phone-page.ts";
import { addressFromRunningTill, startService, startTillHost, type TillHost, trainingServiceOf } from "./programs.ts";
import { setUpByKey } from "./set-up.ts";
import { openTillPage, type TillPage } from "./till-page.ts";

/** What kind of shop; by default a terminal in training, enrolled. */
export interface ShopOptions {
  /** The till is enrolled with a service of its own, through a proxy that can break; else training as `npm start` has it. */
  readonly throughProxy?: boolean;
  /** False leaves a till with a service of its own on its set-up form. */
  readonly enrolled?: boolean;
  /** For the service, such as `SCA_TIMEOUT_SECONDS`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clockJumpMs?: number;
}

/** The running shop. Its pages are opened when they are asked for, all else runs already. */
export interface Shop {
  /** Where the service keeps its database. */
  readonly folder: string;
  readonly serviceUrl: string;
  readonly bank: DemoBank;
  /** Only with `throughProxy`. */
  readonly proxy: FaultyProxy;
  readonly host: () => TillHost;
  /** Opens the till; with a film, its camera sees that after an empty second. */
  openTill(film?: Film): Promise<TillPage>;
  openPhone(): Promise<PhonePage>;
  /** As a power cut: SIGKILL, then the same command again on the same data. An open page finds its till again. */
  killAndRestartHost(): Promise<void>;
  /** Runs the same command a second time; resolves with the address that it prints. */
  startAgain(): Promise<string>;
  killService(): Promise<void>;
  restartService(): Promise<void>;
}

const fakeCamera = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"];

/** What a test gets from `test` below. */
export interface ShopFixtures {
  readonly openShop: (options?: ShopOptions) => Promise<Shop>;
}

/** Playwright's `test` with `openShop`; in the project `electron` the terminal is the desktop program. */
export const test = base.extend<ShopFixtures>({
  openShop: async ({ browser }, use, testInfo) => {
    const isDesktop = testInfo.project.name === "electron";
    const obstacle = isDesktop ? desktopObstacle() : null;
    base.skip(obstacle !== null, `Electron: ${obstacle}`);
    const closers: (() => Promise<unknown>)[] = [];
    await use((options = {}) => setUpShop(browser, isDesktop, options, closers));
    for (const close of closers.reverse()) await close();
  },
});
export { expect } from "@playwright/test";

const setUpShop = async (
  browser: Browser,
  isDesktop: boolean,
  options: ShopOptions,
  closers: (() => Promise<unknown>)[],
): Promise<Shop> => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-e2e-"));
  closers.push(async () => rmSync(folder, { recursive: true, force: true }));
  const live = options.throughProxy === true;
  let service: Child | null = live
    ? await startService({ data: folder, ...(options.env ? { env: options.env } : {}) })
    : null;
  closers.push(async () => service?.kill());
  const servicePort = service === null ? 0 : Number(new URL(service.address).port);
  const proxy = service === null ? null : await startFaultyProxy(service.address);
  if (proxy) closers.push(() => proxy.close());

  let host: TillHost | null = null;
  let desktop: DesktopTill | null = null;
  const startHost = async (port: number): Promise<TillHost> => {
    host = await startTillHost({
      data: path.join(folder, "till"),
      live,
      port,
      env: { ...options.env },
      ...(options.clockJumpMs === undefined ? {} : { clockJumpMs: options.clockJumpMs }),
    });
    return host;
  };
  if (isDesktop) {
    const film = path.join(folder, "camera.y4m");
    desktop = await startDesktopTill({ data: path.join(folder, "till"), live, env: { ...options.env }, film });
  } else await startHost(0);
  closers.push(async () => {
    await host?.child.kill();
    await desktop?.close();
  });
  const running = (): TillHost => {
    if (!host) throw new Error("the browser host is not running");
    return host;
  };
  const serviceUrl = service?.address ?? (await trainingServiceOf(path.join(folder, "till")));

  const newContext = async (from: Browser, settings: Parameters<Browser["newContext"]>[0]): Promise<BrowserContext> => {
    const context = await from.newContext({ locale: "en-GB", ...settings });
    closers.push(() => context.close());
    return context;
  };

  return {
    folder,
    serviceUrl,
    bank: await connectDemoBank(serviceUrl),
    get proxy() {
      if (!proxy) throw new Error("this shop has no proxy");
      return proxy;
    },
    host: running,
    openTill: async (film) => {
      if (film) await desktop?.show(film);
      const till = desktop
        ? openTillPage(await desktop.page())
        : await openInBrowser(await browserFor(browser, film, folder, closers), running().entry, newContext);
      if (proxy && options.enrolled !== false) await enroll(till, proxy.url);
      return till;
    },
    openPhone: async () => {
      const context = await newContext(browser, { viewport: phoneScreen, deviceScaleFactor: 3, hasTouch: true });
      return openPhonePage(await context.newPage());
    },
    killAndRestartHost: async () => {
      const port = Number(new URL(running().entry).port);
      await running().child.kill();
      await startHost(port);
    },
    startAgain: () => addressFromRunningTill(path.join(folder, "till"), live),
    killService: async () => service?.kill(),
    restartService: async () => {
      service = await startService({ data: folder, port: servicePort, ...(options.env ? { env: options.env } : {}) });
    },
  };
};

/** Chromium's fake camera plays one file for its whole life: a film needs a browser of its own. */
const browserFor = async (
  shared: Browser,
  film: Film | undefined,
  folder: string,
  closers: (() => Promise<unknown>)[],
): Promise<Browser> => {
  if (!film) return shared;
  const file = path.join(folder, "camera.y4m");
  writeFilm(file, film);
  const own = await chromium.launch({
    ...(await findChromium()),
    args: [...fakeCamera, `--use-file-for-fake-video-capture=${file}`],
  });
  closers.push(() => own.close());
  return own;
};

const openInBrowser = async (
  browser: Browser,
  entry: string,
  newContext: (from: Browser, settings: Parameters<Browser["newContext"]>[0]) => Promise<BrowserContext>,
): Promise<TillPage> => {
  const context = await newContext(browser, { viewport: { width: 1024, height: 768 }, permissions: ["camera"] });
  const page = await context.newPage();
  await page.goto(entry);
  return openTillPage(page);
};

/** As a manager does it with the provider's letter. */
const enroll = async (till: TillPage, serviceUrl: string): Promise<void> => {
  await till.shows("setup");
  await setUpByKey(till.page, serviceUrl);
  await till.shows("ready");
};
