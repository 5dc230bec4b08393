/** Whether help lies over the screen, and what the manager's area says it is about. */
import { useWindowEvent } from "@mantine/hooks";
import { useEffect } from "react";
import { create } from "zustand";
import { isShortcut } from "../ui/shortcuts.ts";
import type { HelpPlace } from "./sections.ts";

interface HelpStore {
  readonly isOpen: boolean;
  /** The manager's tab; null while that area is closed. */
  readonly tabPlace: HelpPlace | null;
}

/** State of the help, on this page alone. */
export const useHelpStore = create<HelpStore>(() => ({ isOpen: false, tabPlace: null }));

/** Opens help about what is in front. */
export const openHelp = (): void => useHelpStore.setState({ isOpen: true });
/** Closes help. */
export const closeHelp = (): void => useHelpStore.setState({ isOpen: false });

/** Says which tab is in front, for as long as the caller is shown. */
export const useTabPlace = (tabPlace: HelpPlace): void =>
  useEffect(() => {
    useHelpStore.setState({ tabPlace });
    return () => useHelpStore.setState({ tabPlace: null });
  }, [tabPlace]);

/** The shortcut opens help and closes it; over another question it does nothing, and the browser's own help never comes. */
export const useHelpKey = (): void =>
  useWindowEvent("keydown", (event) => {
    if (!isShortcut("help", event.key)) return;
    event.preventDefault();
    if (event.repeat) return;
    if (useHelpStore.getState().isOpen) closeHelp();
    else if (document.querySelector("[role=dialog]") === null) openHelp();
  });
