import type { en } from "./en.ts";
import { books } from "./it/books.ts";
import { day } from "./it/day.ts";
import { handOut } from "./it/hand-out.ts";
import { header } from "./it/header.ts";
import { history } from "./it/history.ts";
import { manager } from "./it/manager.ts";
import { messages } from "./it/messages.ts";
import { outcomes } from "./it/outcomes.ts";
import { ownService } from "./it/own-service.ts";
import { people } from "./it/people.ts";
import { practice } from "./it/practice.ts";
import { printing } from "./it/printing.ts";
import { program } from "./it/program.ts";
import { scan } from "./it/scan.ts";
import { settings } from "./it/settings.ts";
import { setup } from "./it/setup.ts";
import { withdrawal } from "./it/withdrawal.ts";
import type { Texts } from "./texts.ts";

/** The texts in Italian, in the polite form that shop staff are used to. */
export const it: Texts<typeof en> = {
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
