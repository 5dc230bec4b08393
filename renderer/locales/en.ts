import { books } from "./en/books.ts";
import { day } from "./en/day.ts";
import { handOut } from "./en/hand-out.ts";
import { header } from "./en/header.ts";
import { history } from "./en/history.ts";
import { manager } from "./en/manager.ts";
import { messages } from "./en/messages.ts";
import { outcomes } from "./en/outcomes.ts";
import { ownService } from "./en/own-service.ts";
import { people } from "./en/people.ts";
import { practice } from "./en/practice.ts";
import { printing } from "./en/printing.ts";
import { program } from "./en/program.ts";
import { scan } from "./en/scan.ts";
import { settings } from "./en/settings.ts";
import { setup } from "./en/setup.ts";
import { withdrawal } from "./en/withdrawal.ts";

/** The texts in English, by which every other language is measured: leaving one out there is a type error. */
export const en = {
  product: "Tillcash",
  ...header,
  ...program,
  ...withdrawal,
  ...handOut,
  ...outcomes,
  ...setup,
  ...practice,
  ...messages,
  ...printing,
  ...manager,
  ...history,
  ...books,
  ...settings,
  ...ownService,
  people,
  day,
  scan,
};
