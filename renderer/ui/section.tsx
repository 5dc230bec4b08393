import type { ReactNode } from "react";
import page from "./page.module.css";

/** A part of a page under one heading. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={page.card}>
    <h2>{title}</h2>
    {children}
  </section>
);
