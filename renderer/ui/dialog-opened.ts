/** When the dialog around a choice was opened. */
import { createContext } from "react";

interface Opened {
  readonly atMs: { readonly current: number };
  /** Whether choices count already, for `aria-disabled`; a press is judged by its own time stamp. */
  readonly armed: boolean;
}

/** Read by the choices of a dialog; outside of one they count at once. */
export const DialogOpened = createContext<Opened>({ atMs: { current: 0 }, armed: true });
