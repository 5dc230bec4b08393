import * as english from "./areas/en.ts";
import { textsFrom } from "./texts-from.ts";

/** The texts in English. */
export const en = textsFrom(english);
