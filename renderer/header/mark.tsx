import classes from "./header.module.css";

/** The product's sign: a cash drawer with a note coming out of it. */
export const Mark = () => (
  <svg className={classes.mark} viewBox="0 0 40 40" aria-hidden>
    <title>Tillcash</title>
    <rect x="11" y="3" width="18" height="20" rx="2.5" fill="none" stroke="currentColor" strokeWidth="3" />
    <circle cx="20" cy="12.5" r="3.6" fill="currentColor" />
    <path d="M4 20h32v13a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4z" fill="currentColor" />
    <path d="M14.5 29h11" stroke="var(--head)" strokeWidth="3" strokeLinecap="round" />
  </svg>
);
