/** Starts the customer's display. */
import "@fontsource-variable/figtree/wght.css";
import "../ui/theme.css";
import "../ui/base.css";
import "../ui/contrast.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { CustomerBridge, CustomerView } from "../../preload/contract.ts";
import { systemLanguage } from "../texts/index.ts";
import { readEvents } from "../ui/bridge.ts";
import { formatIn } from "../ui/format.ts";
import { Display, type LatestView } from "./display.tsx";

declare global {
  interface Window {
    readonly customer?: CustomerBridge;
  }
}

const reconnectMs = 1000;
const eventsPath = "/customer-display/events";

/** @param show null: the connection is lost, and what was shown last may be wrong. */
const listen = (show: (view: CustomerView | null) => void): void => {
  if (window.customer) {
    window.customer.subscribe(show);
    return;
  }
  const open = (): void => {
    readEvents(
      eventsPath,
      (data) => show(JSON.parse(data) as CustomerView),
      () => {
        show(null);
        window.setTimeout(open, reconnectMs);
      },
    );
  };
  open();
};

const container = document.getElementById("root");
if (!container) throw new Error("customer-display.html has no #root");
const root = createRoot(container);

const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
let latest: LatestView = { view: null, atMs: 0, language: systemLanguage() };
let scheme: CustomerView["colorScheme"] = "auto";

const draw = (): void => {
  const isDark = scheme === "auto" ? systemDark.matches : scheme === "dark";
  document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";
  document.documentElement.lang = latest.language;
  formatIn(latest.language);
  root.render(
    <StrictMode>
      <Display latest={latest} />
    </StrictMode>,
  );
};

systemDark.addEventListener("change", draw);
draw();
listen((view) => {
  latest = { view, atMs: performance.now(), language: view?.language ?? latest.language };
  scheme = view?.colorScheme ?? scheme;
  draw();
});
