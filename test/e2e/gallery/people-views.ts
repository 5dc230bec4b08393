/** Who may be at the counter, as the host would say it. */
import type { PeopleView } from "../../../preload/contract.ts";

/** Nobody has set a PIN, and none is asked for: training. */
export const openToAll: PeopleView = {
  managers: "none",
  guarded: false,
  locked: false,
  isAwaitingService: false,
  cashier: null,
  manager: null,
  list: [],
};

/** One of the list; `waitMs` after wrong tries. */
export const person = (code: string, name: string, waitMs = 0) => {
  const role = code.startsWith("M") ? ("manager" as const) : ("cashier" as const);
  return { code, name, role, waitMs, language: null };
};

/** A shop where cashiers sign in, and nobody is there. */
export const staffed: PeopleView = {
  managers: "set",
  guarded: true,
  locked: true,
  isAwaitingService: false,
  cashier: null,
  manager: null,
  list: [
    person("M1", "Ida Berg"),
    person("C2", "Bo"),
    person("C3", "Anna-Katharina von Wittgenstein"),
    person("C4", "Jo"),
  ],
};
