/** Light or dark, as the terminal's settings say, or as the system does. */
import { MantineProvider } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { theme } from "./theme.ts";

const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
const watchSystem = (changed: () => void): (() => void) => {
  darkQuery.addEventListener("change", changed);
  return () => darkQuery.removeEventListener("change", changed);
};

/** Sets the colours for everything inside. */
export const Colors = ({ children }: { readonly children: ReactNode }) => {
  const chosen = useSnapshotStore((store) => store.snapshot?.settings.colorScheme ?? "auto");
  const isSystemDark = useSyncExternalStore(watchSystem, () => darkQuery.matches);
  const scheme = chosen === "auto" ? (isSystemDark ? "dark" : "light") : chosen;
  // No style elements at run time: the content policy allows none. Our own stylesheets hold what they would.
  return (
    <MantineProvider theme={theme} forceColorScheme={scheme} withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  );
};
