/** Starts the page: finds the bridge, mirrors its snapshots, renders the screens. */
import "@fontsource-variable/figtree/wght.css";
import "./ui/mantine.css";
import "./ui/theme.css";
import "./ui/base.css";
import "./ui/contrast.css";
import i18next from "i18next";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Language } from "../preload/choices.ts";
import { App } from "./app.tsx";
import { startTexts } from "./texts/index.ts";
import { findBridge } from "./ui/bridge.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import { formatIn } from "./ui/format.ts";
import { mirrorSnapshots, useSnapshotStore } from "./ui/snapshot-store.ts";
import { Colors } from "./ui/theme.tsx";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");

const bridge = findBridge();
mirrorSnapshots(bridge);
await startTexts().catch((error: unknown) => {
  // Without its texts the page goes on saying that it did not start, and begins anew once a program that had ended is back.
  bridge.watchConnection((state) => {
    if (state === "connected" && useSnapshotStore.getState().wasDisconnected) window.location.reload();
  });
  throw error;
});
const page = createRoot(root);
/** Texts and numbers are of the moment when they are drawn: another language draws the page anew. */
const draw = (): void => {
  formatIn(i18next.language as Language);
  page.render(
    <StrictMode>
      <Colors>
        <ErrorBoundary>
          <App bridge={bridge} />
        </ErrorBoundary>
      </Colors>
    </StrictMode>,
  );
};
i18next.on("languageChanged", draw);
draw();
