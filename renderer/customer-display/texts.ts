/** What the customer's display says. A kind of moment or an outcome without its words does not compile. */

import type { Language } from "../../preload/choices.ts";
import type { CustomerMoment, Outcome } from "../../preload/contract.ts";
import de from "../texts/de/customer-display.json" with { type: "json" };
import en from "../texts/en/customer-display.json" with { type: "json" };
import fr from "../texts/fr/customer-display.json" with { type: "json" };
import it from "../texts/it/customer-display.json" with { type: "json" };

/** What is going on, and what to do now. */
export interface Words {
  readonly title: string;
  readonly next: string;
}

interface CustomerTexts {
  readonly moments: Readonly<Record<Exclude<CustomerMoment["kind"], "ended">, Words>>;
  readonly ended: Readonly<Record<Outcome, Words>>;
  /** The time to approve is over, and the end is not known yet. */
  readonly timeOver: Words;
  /** The display has no connection to the terminal. */
  readonly disconnected: Words;
  readonly training: string;
  readonly noConnection: string;
}

/** All languages at once: they are small, and none has to be waited for. A language without its words is a type error. */
export const customerTexts: Readonly<Record<Language, CustomerTexts>> = { en, de, fr, it };
