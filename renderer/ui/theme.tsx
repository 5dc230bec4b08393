/** Light or dark colours, from the terminal's settings or the system. */

import { createTheme, defaultVariantColorsResolver, MantineProvider } from "@mantine/core";
import { t } from "i18next";
import { type ReactNode, useMemo, useSyncExternalStore } from "react";
import { useSnapshotStore } from "./snapshot-store.ts";

/** Mantine's theme. */
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

const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
const watchSystem = (changed: () => void): (() => void) => {
  darkQuery.addEventListener("change", changed);
  return () => darkQuery.removeEventListener("change", changed);
};

/** Applies the colour scheme to its children. */
export const Colors = ({ children }: { readonly children: ReactNode }) => {
  const chosen = useSnapshotStore((store) => store.snapshot?.settings.colorScheme ?? "auto");
  const isSystemDark = useSyncExternalStore(watchSystem, () => darkQuery.matches);
  const scheme = chosen === "auto" ? (isSystemDark ? "dark" : "light") : chosen;
  const eye = t("people.showTyped");
  const localizedTheme = useMemo(
    () => ({
      ...theme,
      components: {
        Button: { defaultProps: { size: "md", variant: "default" } },
        PasswordInput: { defaultProps: { visibilityToggleButtonProps: { "aria-label": eye } } },
      },
    }),
    [eye],
  );
  // The content policy allows no style elements at run time: our stylesheets hold what they would set.
  return (
    <MantineProvider
      theme={localizedTheme}
      forceColorScheme={scheme}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
};
