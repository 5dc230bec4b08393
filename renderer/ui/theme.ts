/** Mantine in our colours. Its variables come from our stylesheets alone, as the content policy demands. */
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
