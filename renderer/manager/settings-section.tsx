import type { ReactNode } from "react";
import type { Draft, DraftField } from "./draft.ts";
import classes from "./manager.module.css";

/** What each section of the settings is given. */
export interface DraftProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  readonly faults: ReadonlySet<DraftField>;
}

/** Some settings under one heading. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={classes.section}>
    <h2>{title}</h2>
    {children}
  </section>
);
