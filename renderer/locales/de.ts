import { books } from "./de/books.ts";
import { day } from "./de/day.ts";
import { handOut } from "./de/hand-out.ts";
import { header } from "./de/header.ts";
import { history } from "./de/history.ts";
import { manager } from "./de/manager.ts";
import { messages } from "./de/messages.ts";
import { outcomes } from "./de/outcomes.ts";
import { ownService } from "./de/own-service.ts";
import { people } from "./de/people.ts";
import { practice } from "./de/practice.ts";
import { printing } from "./de/printing.ts";
import { program } from "./de/program.ts";
import { scan } from "./de/scan.ts";
import { settings } from "./de/settings.ts";
import { setup } from "./de/setup.ts";
import { withdrawal } from "./de/withdrawal.ts";
import type { en } from "./en.ts";
import type { Texts } from "./texts.ts";

/** The texts in German, in the polite form that shop staff are used to. */
export const de: Texts<typeof en> = {
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
