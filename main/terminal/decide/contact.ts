/** What every answer says besides its matter: that the service is there, what its clock shows, whether the credential holds. */

import { classifyAnswer, httpOf, isUnsafeService } from "../service/classify-answer.ts";
import type { Reading } from "../service/reading.ts";
import { duplicateWindowMs } from "../state/bounds.ts";
import type { Event } from "../state/events.ts";
import type { Answer } from "../state/inputs.ts";
import { installationOf } from "../state/partner-id.ts";
import { type Moment, type RequestState, type State, serviceNowMs, type Withdrawal } from "../state/state.ts";

/** Whether a silence alone says that the service is away, or only makes it worth asking. */
type Silence = "away" | "doubtful";

/** A repeat about one withdrawal that stays without an answer again: what is lost may be its answers alone. */
export const silenceAbout = (withdrawal: Withdrawal | undefined): Silence =>
  (withdrawal?.requestState.failures ?? 0) > 0 ? "doubtful" : "away";

/** The events that every answer brings, whatever it was about. A silence that is `doubtful` leaves it to the next probe. */
export const contactEvents = (state: State, answer: Answer, silence: Silence = "away"): readonly Event[] => {
  if (answer.ofEarlierKey) return [];
  switch (answer.kind) {
    case "silence":
      return [
        { type: silence === "doubtful" && state.connection === "online" ? "service_doubted" : "service_silent" },
        ...(isUnsafeService(answer) ? [{ type: "credential_checked", verdict: "unsafe" } as const] : []),
      ];
    case "unauthorized":
      return [
        { type: "service_responded", dateMs: null },
        ...(answer.why === "invalid_client" ? [{ type: "credential_checked", verdict: "refused" } as const] : []),
      ];
    case "answer": {
      const good =
        (state.credential === "refused" || state.credential === "unsafe") &&
        classifyAnswer(answer) !== "later" &&
        httpOf(answer) !== 403;
      return [
        { type: "service_responded", dateMs: answer.dateMs },
        ...(good ? [{ type: "credential_checked", verdict: "good" } as const] : []),
      ];
    }
  }
};

/** Changes some fields of how the calls about a withdrawal go. */
export const requestStateChanged = (withdrawal: Withdrawal, requestState: Partial<RequestState>): Event => ({
  type: "request_state_changed",
  withdrawalId: withdrawal.withdrawalId,
  requestState,
});

type Confirm = Pick<Reading, "partnerId" | "confirmedAtMs">;

/**
 * A confirm under this device's name that another terminal made, since this one exists: under another installation's tag, or
 * (a copied journal) under this one's, lately, with an id that is not in this journal. Times are the service's.
 */
export const duplicateDeviceEvents = (
  state: State,
  { partnerId, confirmedAtMs }: Confirm,
  moment: Moment,
): readonly Extract<Event, { type: "duplicate_device_found" }>[] => {
  const { device, installation } = state;
  if (state.sameDeviceElsewhere || device === null || installation === null) return [];
  if (typeof partnerId !== "string" || confirmedAtMs === null) return [];
  const confirmedAgoMs = serviceNowMs(state, moment) - confirmedAtMs;
  if (confirmedAgoMs > moment.wallMs - installation.sinceWallMs) return [];
  const made = installationOf(device.deviceId, partnerId);
  if (made === null) return [];
  const isOwn = made === installation.tag && (confirmedAgoMs > duplicateWindowMs || state.ownIds.has(partnerId));
  return isOwn ? [] : [{ type: "duplicate_device_found" }];
};
