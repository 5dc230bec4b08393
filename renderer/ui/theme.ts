/** Mantine in our colours: its variables come from our tokens, in stylesheets alone, so that a strict content policy holds. */
import { createTheme, defaultVariantColorsResolver } from "@mantine/core";

/** Mantine's theme. */
export const theme = createTheme({
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
