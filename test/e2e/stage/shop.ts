/** A whole shop for one test: service, host, till page, the customer's phone, the bank's own view. Cleaned up afterwards. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page, TestInfo } from "@playwright/test";
import { freePort } from "../../free-port.ts";
import { connectDemoBank, type DemoBank } from "./bank-client.ts";
import type { Film } from "./camera-stream.ts";
import type { Child } from "./child.ts";
import { type DesktopTill, desktopObstacle, openBareWindow, startDesktopTill } from "./desktop-till.ts";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy.ts";
import { openPhonePage, type PhonePage, phoneScreen } from "./phone-page.ts";
import { addressFromRunningTill, startService, startTillHost, type TillHost, trainingServiceOf } from "./programs.ts";
import { test as base, silence } from "./quiet-test.ts";
import { setUpByKey } from "./set-up.ts";
import { browserFor, openEnrolled, openInBrowser } from "./till-browser.ts";
import { openTillPage, type TillPage } from "./till-page.ts";

/** What kind of shop; by default a terminal in training, enrolled. */
interface ShopOptions {
  /** The till is enrolled with a service of its own, through a proxy that can break; else training as `npm start` has it. */
  readonly throughProxy?: boolean;
  /** False leaves a till with a service of its own on its set-up form. */
  readonly enrolled?: boolean;
  /** For the service, such as `SCA_TIMEOUT_SECONDS`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly clockJumpMs?: number;
  /** Whether the test may use `hold`. */
  readonly holds?: boolean;
}

/** The running shop. Its pages are opened when they are asked for, all else runs already. */
export interface Shop {
  /** Where the service keeps its database. */
  readonly folder: string;
  readonly serviceUrl: string;
  readonly bank: DemoBank;
  /** Only with `throughProxy`. */
  readonly proxy: FaultyProxy;
  /** Opens the till; with a film, its camera sees that after an empty second. */
  openTill(film?: Film): Promise<TillPage>;
  openPhone(): Promise<PhonePage>;
  /** As a power cut: SIGKILL, then the same command again on the same data. Resolves with the till as it is then. */
  killAndComeIn(till: TillPage): Promise<TillPage>;
  /** The wall clock of the till's program jumps by `clockJumpMs`. */
  jumpClock(): Promise<void>;
  /** The proxy holds what the path starts with, and the till's program waits as long as it may take: its time stands still until the result is called. */
  hold(path: string): () => void;
  /** Runs the same command of the browser host a second time; resolves with the address that it prints. */
  startAgain(): Promise<string>;
  killService(): Promise<void>;
  restartService(): Promise<void>;
}

/** What a test gets from `test` below. */
interface ShopFixtures {
  /** Whether the project is `electron`; its tests are skipped where Electron cannot run, before a browser is started. */
  readonly isDesktop: boolean;
  readonly openShop: (options?: ShopOptions) => Promise<Shop>;
}

const isInElectron = ({ project }: TestInfo): boolean => {
  if (project.name !== "electron") return false;
  const obstacle = desktopObstacle();
  base.skip(obstacle !== null, `Electron: ${obstacle}`);
  return true;
};

/** Playwright photographs the pages of its own browsers alone. */
const keepPicture = async (page: Page | null, { status, expectedStatus, outputPath }: TestInfo): Promise<void> => {
  if (page !== null && status !== expectedStatus)
    await page.screenshot({ path: outputPath("electron.png") }).catch(() => undefined);
};

/** A page in Electron's window. */
export const inBareWindow = async (use: (page: Page) => Promise<void>, testInfo: TestInfo): Promise<void> => {
  const window = await openBareWindow();
  await use(window.page);
  await keepPicture(window.page, testInfo);
  await window.close();
};

/** Playwright's `test` with `openShop`; in the project `electron` the terminal is the desktop program, and `page` lies in Electron's window. */
export const test = base.extend<ShopFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern what a fixture needs.
  isDesktop: ({}, use, testInfo) => use(isInElectron(testInfo)),
  openShop: async ({ isDesktop, browser }, use, testInfo) => {
    const closers: (() => Promise<unknown>)[] = [];
    let till: Page | null = null;
    const openedTill = (page: Page): void => {
      till = page;
    };
    await use((options = {}) => setUpShop(browser, isDesktop, options, closers, openedTill));
    if (isDesktop) await keepPicture(till, testInfo);
    for (const close of closers.reverse()) await close();
  },
  page: ({ isDesktop, page }, use, testInfo) => (isDesktop ? inBareWindow(use, testInfo) : use(page)),
});
export { expect } from "@playwright/test";

/** The usual time to approve is over where a busy machine starts a program again while the customer is asked. */
const patient = { SCA_TIMEOUT_SECONDS: "120" } as const;

const setUpShop = async (
  browser: Browser,
  isDesktop: boolean,
  options: ShopOptions,
  closers: (() => Promise<unknown>)[],
  openedTill: (page: Page) => void,
): Promise<Shop> => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-e2e-"));
  closers.push(async () => rmSync(folder, { recursive: true, force: true }));
  const live = options.throughProxy === true;
  const env = { ...patient, ...options.env };
  // What is killed and starts again listens where it did.
  const [hostPort, servicePort] = [await freePort(), await freePort()];
  let service: Child | null = live ? await startService({ data: folder, port: servicePort, env }) : null;
  closers.push(async () => service?.kill());
  const proxy = service === null ? null : await startFaultyProxy(service.address);
  if (proxy) closers.push(() => proxy.close());

  const standsStillWith = path.join(folder, "stands-still");
  let host: TillHost | null = null;
  let desktop: DesktopTill | null = null;
  const startHost = async (): Promise<TillHost> => {
    host = await startTillHost({
      data: path.join(folder, "till"),
      live,
      port: hostPort,
      env,
      hasQuickPins: true,
      ...(options.clockJumpMs === undefined ? {} : { clockJumpMs: options.clockJumpMs }),
      ...(options.holds === true ? { standsStillWith } : {}),
    });
    return host;
  };
  const startDesktop = async (): Promise<DesktopTill> => {
    const film = path.join(folder, "camera.y4m");
    desktop = await startDesktopTill({ data: path.join(folder, "till"), live, env, film });
    openedTill(desktop.page);
    return desktop;
  };
  if (isDesktop) await startDesktop();
  else await startHost();
  closers.push(async () => {
    await host?.child.kill();
    await desktop?.close();
  });
  const running = (): TillHost => {
    if (!host) throw new Error("the browser host is not running");
    return host;
  };
  const serviceUrl = service?.address ?? (await trainingServiceOf(path.join(folder, "till")));

  const newContext = async (from: Browser, settings: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await from.newContext({ locale: "en-GB", ...settings });
    closers.push(() => context.close());
    return context;
  };

  const proxyInUse = (): FaultyProxy => {
    if (!proxy) throw new Error("this shop has no proxy");
    return proxy;
  };

  return {
    folder,
    serviceUrl,
    bank: await connectDemoBank(serviceUrl),
    get proxy() {
      return proxyInUse();
    },
    openTill: async (film) => {
      if (film) await desktop?.show(film);
      const enrolledWith = proxy && options.enrolled !== false ? proxy.url : null;
      if (desktop) {
        const till = openTillPage(desktop.page);
        if (enrolledWith !== null) await enrollOnScreen(till, enrolledWith);
        return till;
      }
      const from = await browserFor(browser, film, folder, closers);
      const open = enrolledWith === null ? openInBrowser : openEnrolled(enrolledWith);
      const till = await open(running().entry, async (settings) => {
        const viewport = { width: 1024, height: 768 };
        const context = await newContext(from, { viewport, permissions: ["camera"], ...settings });
        // With a film all is as a cashier has it.
        if (!film) await silence(context);
        return context;
      });
      if (enrolledWith !== null) await till.shows("ready");
      return till;
    },
    openPhone: async () => {
      const context = await newContext(browser, { viewport: phoneScreen, deviceScaleFactor: 3, hasTouch: true });
      return openPhonePage(await context.newPage());
    },
    killAndComeIn: async (till) => {
      if (desktop) {
        await desktop.kill();
        return openTillPage((await startDesktop()).page);
      }
      await running().child.kill();
      await startHost();
      await till.page.goto(running().entry);
      return till;
    },
    jumpClock: async () => {
      if (desktop) await desktop.jumpClock(options.clockJumpMs ?? 0);
      else running().child.signal("SIGUSR2");
    },
    hold: (held) => {
      const release = proxyInUse().hold(held);
      writeFileSync(standsStillWith, "");
      return () => {
        rmSync(standsStillWith);
        release();
      };
    },
    startAgain: () => addressFromRunningTill(path.join(folder, "till"), live),
    killService: async () => service?.kill(),
    restartService: async () => {
      service = await startService({ data: folder, port: servicePort, env });
    },
  };
};

/** As a manager does it with the provider's letter. */
const enrollOnScreen = async (till: TillPage, serviceUrl: string): Promise<void> => {
  await till.shows("setup");
  await setUpByKey(till.page, serviceUrl);
  await till.shows("ready");
};
