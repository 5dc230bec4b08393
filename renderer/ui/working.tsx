/** The terminal works, nobody has to do anything. Stands where the countdown stands on other screens. */
import { Loader } from "@mantine/core";
import classes from "./working.module.css";

/** Something that turns while the terminal works. */
export const Working = () => (
  <div className={classes.working} aria-hidden>
    <Loader size={72} color="var(--accent)" />
  </div>
);
