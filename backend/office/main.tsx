/** Starts the page in the system's colour scheme. */
import "@fontsource-variable/figtree/wght.css";
import "./styles.css";
import { createTheme, defaultVariantColorsResolver, MantineProvider } from "@mantine/core";
import { useColorScheme } from "@mantine/hooks";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const theme = createTheme({
  fontFamily: "inherit",
  headings: { fontFamily: "inherit" },
  focusRing: "never",
  respectReducedMotion: true,
  cursorType: "pointer",
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    if (input.variant !== "filled") return colors;
    return { ...colors, background: "var(--accent)", hover: "var(--accent-strong)", color: "var(--on-accent)" };
  },
  components: { Button: { defaultProps: { variant: "default" } } },
});

const Page = () => {
  const scheme = useColorScheme("light", { getInitialValueInEffect: false });
  // The content policy forbids style elements, so our stylesheet defines these variables.
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
      <App />
    </MantineProvider>
  );
};

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
