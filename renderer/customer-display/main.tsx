/** Starts the customer's display. */
import "@fontsource-variable/figtree/wght.css";
import "../ui/tokens.css";
import "../ui/base.css";
import "../ui/contrast.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { CustomerView } from "../../preload/contract.ts";
import { systemLanguage } from "../texts/index.ts";
import { listen } from "./customer-bridge.ts";
import { Display, type LatestView } from "./display.tsx";

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
