/**
 * The built screens with a till program that the test plays: it pushes snapshots and answers commands. The files are served
 * to the page by the test itself, under the content policy that the hosts use.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Disposable, Page } from "playwright";
import type { Command, Reply, Snapshot } from "../../../preload/contract.ts";

/** Where the built screens lie; `RENDERER_OUT` names another build. */
export const builtRenderer = path.resolve(process.env.RENDERER_OUT ?? "out/renderer");

const contentPolicy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; font-src 'self'; " +
  "connect-src 'self'; worker-src 'self'; media-src 'self' blob:; base-uri 'none'; form-action 'none'";
const customerPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'";

/** By the ending of a built file. */
const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
};

declare global {
  interface Window {
    pushSnapshot(snapshot: Snapshot): void;
  }
}

/** The terminal's program as the test plays it. */
export interface FakeTill {
  readonly commands: Command[];
  push(snapshot: Snapshot): Promise<void>;
  /** Pushes it as a screen of its own, under this step, and resolves once the page shows it. */
  show(snapshot: Snapshot, step: string): Promise<void>;
  /** What the next commands are answered with; until called, all succeed. */
  answer(reply: (command: Command) => Reply | Promise<Reply>): void;
}

let serving: Promise<string> | undefined;
const read = new Map<string, Promise<Buffer | null>>();

/** A built file, read once. */
const builtFile = (name: string): Promise<Buffer | null> => {
  const known = read.get(name) ?? readFile(path.join(builtRenderer, name)).catch(() => null);
  read.set(name, known);
  return known;
};

/**
 * Where the built pages are, for all tests of this process: `/` and `/customer-display.html`. A server, as each file of a page that
 * Playwright itself answers costs three processes something.
 */
export const builtPages = (): Promise<string> => {
  serving ??= (async () => {
    const server = createServer(async ({ url = "/" }, response) => {
      const { pathname } = new URL(url, "http://localhost");
      const name = pathname === "/" ? "/index.html" : pathname;
      const body = await builtFile(name);
      response.writeHead(body === null ? 404 : 200, {
        "content-type": contentTypes[path.extname(name)] ?? "application/octet-stream",
        // Their names change with what is in them; a page that is loaded again finds them compiled.
        ...(name.startsWith("/assets/") && { "cache-control": "public, max-age=31536000, immutable" }),
        "content-security-policy": name === "/customer-display.html" ? customerPolicy : contentPolicy,
      });
      response.end(body);
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    server.unref();
    return `http://localhost:${(server.address() as AddressInfo).port}`;
  })();
  return serving;
};

/** One call and no polling: tests show thousands of screens. */
const showStep = (page: Page, snapshot: Snapshot): Promise<void> => {
  const { screen, settings } = snapshot;
  // The set-up form is loaded on demand; until it is there the starting screen stands in for it.
  const tone = screen.kind === "starting" ? "" : ":not([data-tone=starting])";
  return page.evaluate(
    async ([next, selector]) => {
      await new Promise<void>((resolve, reject) => {
        setTimeout(() => reject(new Error(`The page does not show ${selector}.`)), 90_000);
        const observer = new MutationObserver(() => look());
        const look = (): void => {
          if (!document.querySelector(selector)) return;
          observer.disconnect();
          resolve();
        };
        observer.observe(document, { subtree: true, childList: true, attributes: true });
        window.pushSnapshot(next);
        look();
      });
      // What the page does right after it has drawn is done as well.
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(null);
      });
    },
    [snapshot, `html[lang=${settings.language}] [data-step="${screen.step}"]${tone}`] as const,
  );
};

/** What a page that was opened before has of the test of then. */
const openedWith = new WeakMap<Page, readonly Disposable[]>();

/** Opens the built screens in `page` and resolves when they show `first`. */
export const openTill = async (page: Page, first: Snapshot): Promise<FakeTill> => {
  for (const one of openedWith.get(page) ?? []) await one.dispose();
  const commands: Command[] = [];
  let answer = (_command: Command): Reply | Promise<Reply> => ({ ok: true });
  const binding = await page.exposeFunction("sendToTest", (command: Command) => {
    commands.push(command);
    return answer(command);
  });
  const program = await page.addInitScript((initial: Snapshot) => {
    const listeners = new Set<(snapshot: Snapshot) => void>();
    let latest = initial;
    window.pushSnapshot = (snapshot) => {
      latest = snapshot;
      for (const listener of listeners) listener(snapshot);
    };
    const sendToTest = (window as unknown as { sendToTest(command: Command): Promise<Reply> }).sendToTest;
    Object.defineProperty(window, "till", {
      value: {
        dispatch: (command: Command) => sendToTest(command),
        subscribe: (listener: (snapshot: Snapshot) => void) => {
          listeners.add(listener);
          listener(latest);
          return () => listeners.delete(listener);
        },
      },
    });
  }, first);
  openedWith.set(page, [binding, program]);
  await page.goto(await builtPages());
  await page.locator("main").waitFor();
  return {
    commands,
    push: (snapshot) => page.evaluate((next) => window.pushSnapshot(next), snapshot),
    show: (snapshot, step) => showStep(page, { ...snapshot, screen: { ...snapshot.screen, step } }),
    answer: (reply) => {
      answer = reply;
    },
  };
};
