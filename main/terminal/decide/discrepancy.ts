import type { Discrepancy } from "../../../preload/contract.ts";
import type { Event } from "../state/events.ts";
import type { Facts } from "../state/facts.ts";

/** Something about a withdrawal that the books must explain. `http`: the service's status where its refusal is the reason. */
export const discrepancy = (
  of: Facts,
  about: Discrepancy,
  http: number | null = null,
): Extract<Event, { type: "discrepancy" }> => ({
  type: "discrepancy",
  of,
  about,
  http,
});
