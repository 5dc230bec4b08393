import type { Checkin } from "../checkin/open.ts";
import type { Current } from "./current.ts";
import type { Visit } from "./serve-page.ts";

/** What the routes of the page have in common: the browser that opened this check-in, and where its withdrawal stands. */
export interface Opened {
  readonly visit: Visit;
  readonly checkin: Checkin;
  readonly current: Current | null;
}
