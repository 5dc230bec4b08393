/** Mantine in our colours: its variables come from our tokens, in stylesheets alone, so that a strict content policy holds. */
import { createTheme } from "@mantine/core";

export const theme = createTheme({
  fontFamily: "inherit",
  headings: { fontFamily: "inherit" },
  defaultRadius: "md",
  focusRing: "never",
  respectReducedMotion: true,
  cursorType: "pointer",
});
