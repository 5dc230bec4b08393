/** Starts the page: finds the bridge, mirrors its snapshots, renders the screens. */
import "@fontsource-variable/figtree/wght.css";
import "./ui/mantine.css";
import "./ui/theme.css";
import "./ui/base.css";
import "./ui/contrast.css";
import { createTheme, defaultVariantColorsResolver, MantineProvider } from "@mantine/core";
import { useColorScheme } from "@mantine/hooks";
import i18next, { t } from "i18next";
import { type ReactNode, StrictMode, useMemo } from "react";
import { createRoot } from "react-dom/client";
import type { Language } from "../preload/choices.ts";
import { App } from "./app.tsx";
import { startTexts } from "./texts/index.ts";
import { findBridge } from "./ui/bridge.ts";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import { formatIn } from "./ui/format.ts";
import { mirrorSnapshots, useSnapshotStore } from "./ui/terminal.tsx";

const theme = createTheme({
  fontFamily: "inherit",
  headings: { fontFamily: "inherit" },
  defaultRadius: "md",
  focusRing: "never",
  respectReducedMotion: true,
  cursorType: "pointer",
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== "filled" || input.color !== input.theme.primaryColor) return colors;
    return { ...colors, background: "var(--accent)", hover: "var(--accent-strong)", color: "var(--on-accent)" };
  },
});

/** Light or dark colours, from the terminal's settings or the system. */
const Colors = ({ children }: { readonly children: ReactNode }) => {
  const chosen = useSnapshotStore((store) => store.snapshot?.settings.colorScheme ?? "auto");
  const system = useColorScheme("light", { getInitialValueInEffect: false });
  const eye = t("people.showTyped");
  const localizedTheme = useMemo(
    () => ({
      ...theme,
      components: {
        ActionIcon: { defaultProps: { size: "var(--control)", variant: "transparent", color: "var(--ink)" } },
        Button: { defaultProps: { size: "md", variant: "default" } },
        PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": eye, size: "md" } } },
        Switch: { defaultProps: { size: "lg" } },
      },
    }),
    [eye],
  );
  // The content policy allows no style elements at run time: our stylesheets hold what they would set.
  return (
    <MantineProvider
      theme={localizedTheme}
      forceColorScheme={chosen === "auto" ? system : chosen}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
};

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
