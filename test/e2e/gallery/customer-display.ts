/** The customer's display in a browser: the test pushes the views that the host would send. */
import type { Page } from "playwright";
import { customerViewOf } from "../../../main/customer-display/customer-view.ts";
import type { Language } from "../../../preload/choices.ts";
import type { CustomerView } from "../../../preload/customer-view.ts";
import { builtPages } from "./fake-till.ts";
import { dressed, gallery } from "./snapshots.ts";

/** From a small pole display to a large screen, and one that stands upright. */
export const displaySizes = [
  { width: 800, height: 480 },
  { width: 1024, height: 600 },
  { width: 1920, height: 1080 },
  { width: 768, height: 1024 },
] as const;

/** One view of the display, with what the page is to say is going on. */
interface CustomerPicture {
  readonly name: string;
  readonly view: CustomerView;
}

/** A view of every kind of moment and of every outcome, in one language and scheme. */
export const customerPictures = (language: Language, scheme: "light" | "dark"): readonly CustomerPicture[] => {
  const pictures = new Map<string, CustomerPicture>();
  for (const { snapshot } of gallery) {
    const view = customerViewOf(dressed(snapshot, language, scheme));
    const { moment } = view;
    const name = `customer-${moment.kind === "ended" ? `ended-${moment.outcome}` : moment.kind}`;
    if (!pictures.has(name)) pictures.set(name, { name, view });
  }
  const review = pictures.get("customer-review");
  const approve = pictures.get("customer-approve");
  if (!review || !approve) throw new Error("the gallery shows no review or no approval");
  const { moment } = approve.view;
  const money = { amount: "1500.00", currency: "CHF" };
  return [
    ...pictures.values(),
    { name: "customer-approve-offline", view: { ...approve.view, offline: true } },
    {
      name: "customer-approve-large",
      view: {
        ...approve.view,
        shop: "Kaufhaus am Hauptbahnhof GmbH & Co. KG",
        training: true,
        moment: { ...moment, money },
      },
    } as CustomerPicture,
    {
      name: "customer-approve-over",
      view: { ...approve.view, moment: { ...moment, countdown: { totalMs: 35_000, remainingMs: 0 } } },
    } as CustomerPicture,
  ];
};

/** A display that is open. */
interface ShownDisplay {
  push(view: CustomerView): Promise<void>;
  /** Cuts its connection; only over `events`. */
  cut(): Promise<void>;
}

interface DisplayWindow {
  pushView(view: unknown): void;
  cutViews(): void;
}

/** Opens the built display; it shows that it hears nothing until a view is pushed. @param over the desktop's bridge, or the host's events */
export const openCustomerDisplay = async (page: Page, over: "bridge" | "events" = "bridge"): Promise<ShownDisplay> => {
  await page.addInitScript((isBridge: boolean) => {
    const listeners = new Set<(view: unknown) => void>();
    const hostKey = "of-this-display";
    localStorage.setItem("till-host-key", hostKey);
    /** As the host proves that it answers. */
    const proofOf = async (init: RequestInit): Promise<string> => {
      const text = new TextEncoder();
      const way = { name: "HMAC", hash: "SHA-256" };
      const key = await crypto.subtle.importKey("raw", text.encode(hostKey), way, false, ["sign"]);
      const asked = `${new Headers(init.headers).get("till-challenge")} ${location.host}`;
      const signed = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(asked)));
      return [...signed].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    };
    /** The host's events: a stream that ends where the connection is cut. */
    const events = async (_: string, init: RequestInit): Promise<Response> => {
      const { readable, writable } = new TransformStream<string, string>();
      const writer = writable.getWriter();
      const listener = (view: unknown): void => {
        if (view !== null) return void writer.write(`data: ${JSON.stringify(view)}\n\n`);
        listeners.delete(listener);
        void writer.close();
      };
      listeners.add(listener);
      const headers = { "till-proof": await proofOf(init) };
      return new Response(readable.pipeThrough(new TextEncoderStream()), { headers });
    };
    const pushView = (view: unknown): void => {
      for (const listener of listeners) listener(view);
    };
    const bridge = { subscribe: (listener: (view: unknown) => void) => listeners.add(listener) };
    Object.assign(window, { pushView, cutViews: () => pushView(null), fetch: events });
    if (isBridge) Object.assign(window, { customer: bridge });
  }, over === "bridge");
  await page.goto(`${await builtPages()}/customer-display.html`);
  await page.locator("[data-moment=disconnected]").waitFor();
  return {
    push: (view) =>
      page.evaluate(async (next) => {
        (window as unknown as DisplayWindow).pushView(next);
        // It draws in a turn of its own.
        await new Promise((resolve) => {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = resolve;
          port2.postMessage(null);
        });
      }, view),
    cut: () => page.evaluate(() => (window as unknown as DisplayWindow).cutViews()),
  };
};

/** Runs in the page. What is cut off, sticks out, can be pressed, or is too small to read from a metre away. */
export const displayFaults = (): string[] => {
  const faults: string[] = [];
  const slackPx = 1.5;
  if (document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight)
    faults.push("the page scrolls");
  if (document.querySelector("button, a, input, select, textarea, [tabindex], [onclick]"))
    faults.push("can be pressed");
  const body = document.querySelector("main")?.getBoundingClientRect();
  for (const element of document.querySelectorAll("h1, p, h1 *, p *")) {
    const box = element.getBoundingClientRect();
    const name = `"${(element.textContent ?? "").trim().slice(0, 40)}"`;
    if (!element.textContent?.trim()) continue;
    if (
      box.left < -slackPx ||
      box.right > innerWidth + slackPx ||
      box.top < -slackPx ||
      box.bottom > innerHeight + slackPx
    )
      faults.push(`${name} sticks out of the page`);
    if (body && element.closest("main") && (box.top < body.top - slackPx || box.bottom > body.bottom + slackPx))
      faults.push(`${name} sticks out of its place`);
    if (element.scrollWidth > element.clientWidth + slackPx && element.clientWidth > 0)
      faults.push(`${name} is cut off`);
    if (Number.parseFloat(getComputedStyle(element).fontSize) < 15) faults.push(`${name} is too small`);
  }
  const amount = document.querySelector("[data-amount]");
  if (amount && Number.parseFloat(getComputedStyle(amount).fontSize) < 72) faults.push("the amount is too small");
  return faults;
};
