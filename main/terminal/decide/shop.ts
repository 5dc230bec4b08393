/** The shop's profile from the service: name, limits, support contact. A service without the extension sends none. */
import { bodyOf, classifyAnswer } from "../service/classify-answer.ts";
import { readRestore, readShop } from "../service/reading-shop.ts";
import type { Event } from "../state/events.ts";
import { type Answer, accept, type Decision } from "../state/inputs.ts";
import type { State } from "../state/state.ts";
import { contactEvents } from "./contact.ts";

/** @param merchantId whose shop was asked about: another may be enrolled meanwhile. */
export const decideShop = (state: State, merchantId: string, answer: Answer): Decision => {
  const contact = contactEvents(state, answer, "doubtful");
  if (state.device?.merchantId !== merchantId) return accept(...contact);
  const reading = classifyAnswer(answer) === "done" ? readShop(bodyOf(answer), merchantId) : null;
  const clock: readonly Event[] =
    reading?.serverTimeMs == null ? [] : [{ type: "service_responded", dateMs: reading.serverTimeMs }];
  return accept(...contact, ...clock, {
    type: "shop_read",
    profile: reading?.profile ?? null,
    restore: reading === null ? null : readRestore(bodyOf(answer)),
  });
};
