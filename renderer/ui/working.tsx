/** The loader of a screen that waits, at the place of the countdown. */
import { Loader } from "@mantine/core";
import classes from "./working.module.css";

/** A spinner, hidden from screen readers. */
export const Working = () => (
  <div className={classes.working} aria-hidden>
    <Loader size={72} color="var(--accent)" />
  </div>
);
