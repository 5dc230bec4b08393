import type { en } from "./en.ts";
import { books } from "./fr/books.ts";
import { day } from "./fr/day.ts";
import { handOut } from "./fr/hand-out.ts";
import { header } from "./fr/header.ts";
import { history } from "./fr/history.ts";
import { manager } from "./fr/manager.ts";
import { messages } from "./fr/messages.ts";
import { outcomes } from "./fr/outcomes.ts";
import { ownService } from "./fr/own-service.ts";
import { people } from "./fr/people.ts";
import { practice } from "./fr/practice.ts";
import { printing } from "./fr/printing.ts";
import { program } from "./fr/program.ts";
import { scan } from "./fr/scan.ts";
import { settings } from "./fr/settings.ts";
import { setup } from "./fr/setup.ts";
import { withdrawal } from "./fr/withdrawal.ts";
import type { Texts } from "./texts.ts";

/** The texts in French, in the polite form that shop staff are used to. */
export const fr: Texts<typeof en> = {
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
