/** Light or dark colours, from the terminal's settings or the system. */

import { createTheme, defaultVariantColorsResolver, MantineProvider } from "@mantine/core";
import { useColorScheme } from "@mantine/hooks";
import { t } from "i18next";
import { type ReactNode, useMemo } from "react";
import { useSnapshotStore } from "./snapshot-store.ts";

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

/** Applies the colour scheme to its children. */
export const Colors = ({ children }: { readonly children: ReactNode }) => {
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
