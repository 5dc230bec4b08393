/** All examples of the API reference: one withdrawal as each call shows it. Loaded only with the document. */
import { callExchanges } from "./calls.ts";
import type { Exchanges } from "./exchange.ts";
import { otherExchanges } from "./others.ts";
import { reportExchanges } from "./reports.ts";
import { webhookExchanges } from "./webhooks.ts";
import type { Timing, WithdrawalStory } from "./withdrawal.ts";

/** By the id of the call or of the webhook. @param publicUrl where the service is reached. */
export const allExchanges = (story: WithdrawalStory, timing: Timing, publicUrl: string): Exchanges => ({
  ...callExchanges(story),
  ...reportExchanges(story),
  ...otherExchanges(timing, publicUrl),
  ...webhookExchanges(story, timing),
});
