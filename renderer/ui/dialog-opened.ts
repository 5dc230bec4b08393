/** How long the dialog around a choice has been up. */
import { createContext } from "react";

interface Opened {
  readonly atMs: { readonly current: number };
  /** For assistive technology; the press itself counts by its own time. */
  readonly armed: boolean;
}

/** For the choices of a dialog; outside of one they count at once. */
export const DialogOpened = createContext<Opened>({ atMs: { current: 0 }, armed: true });
