/** Whether another terminal works under the same credential: the store's reconciliation report, where the service has one, tells. */

import { bodyOf, classifyAnswer } from "../service/classify-answer.ts";
import type { Event } from "../state/events.ts";
import { type Answer, accept, type Decision } from "../state/inputs.ts";
import type { Moment, State } from "../state/state.ts";
import { contactEvents, duplicateDeviceEvents } from "./contact.ts";

const linesMax = 10_000;

const linesOf = (body: unknown): readonly unknown[] => {
  if (Array.isArray(body)) return body.slice(0, linesMax);
  if (typeof body !== "object" || body === null) return [];
  const inside = Object.values(body).find(Array.isArray);
  return inside === undefined ? [] : inside.slice(0, linesMax);
};

/**
 * Decides about the store's report: each of its lines under this device's name is compared with this journal's own
 * confirms.
 */
export const decideDuplicateDevice = (state: State, answer: Answer, moment: Moment): Decision => {
  const checked: Event = { type: "duplicate_device_checked" };
  if (classifyAnswer(answer) !== "done") return accept(...contactEvents(state, answer, "doubtful"), checked);
  const duplicates = linesOf(bodyOf(answer)).flatMap((line) => {
    if (typeof line !== "object" || line === null) return [];
    const {
      device_id: device,
      transaction_id_partner: partner,
      confirmed_at: confirmed,
    } = line as Record<string, unknown>;
    if (device !== state.device?.deviceId || typeof partner !== "string" || typeof confirmed !== "string") return [];
    const confirmedAtMs = Date.parse(confirmed);
    return Number.isFinite(confirmedAtMs)
      ? duplicateDeviceEvents(state, { partnerId: partner, confirmedAtMs }, moment)
      : [];
  });
  return accept(...contactEvents(state, answer), ...duplicates.slice(0, 1), checked);
};
