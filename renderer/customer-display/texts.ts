/** What the customer's display says. A kind of moment or an outcome without its words does not compile. */

import type { Language } from "../../preload/choices.ts";
import de from "../texts/de/customer-display.json" with { type: "json" };
import en from "../texts/en/customer-display.json" with { type: "json" };
import fr from "../texts/fr/customer-display.json" with { type: "json" };
import it from "../texts/it/customer-display.json" with { type: "json" };

/** All languages at once: they are small, and none has to be waited for. A language without its words is a type error. */
export const customerTexts: Readonly<Record<Language, typeof en>> = { en, de, fr, it };
