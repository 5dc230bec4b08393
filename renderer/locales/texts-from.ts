import type * as english from "./areas/en.ts";
import type { Texts } from "./texts.ts";

/** One language's texts from its areas. Which stand at the top and which under their own name is said here, for all languages. */
export const textsFrom = (areas: Texts<typeof english>) => ({
  product: "Tillcash",
  ...areas.header,
  ...areas.program,
  ...areas.withdrawal,
  ...areas.handOut,
  ...areas.outcomes,
  ...areas.setup,
  ...areas.practice,
  ...areas.messages,
  ...areas.printing,
  ...areas.manager,
  ...areas.history,
  ...areas.books,
  ...areas.settings,
  ...areas.ownService,
  ...areas.updates,
  people: areas.people,
  day: areas.day,
  scan: areas.scan,
});

/** All texts of one language, as `t` finds them. */
export type AllTexts = ReturnType<typeof textsFrom>;
