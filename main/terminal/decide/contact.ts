/** What every answer says besides its matter: that the service is there, what its clock shows, whether the credential holds. */
import type { Event } from "../events.ts";
import type { Answer } from "../inputs.ts";
import { httpOf, judge } from "../judge.ts";
import { isFromTwin } from "../partner-id.ts";
import type { Reading } from "../reading.ts";
import type { State, Talk, Withdrawal } from "../state.ts";

export const contactEvents = (state: State, answer: Answer): readonly Event[] => {
  switch (answer.kind) {
    case "silence":
      return [{ type: "service_silent" }];
    case "unauthorized":
      return [
        { type: "service_heard", dateMs: null },
        ...(answer.why === "invalid_client" ? [{ type: "credential_judged", good: false } as const] : []),
      ];
    case "answer": {
      const good = state.credential === "refused" && judge(answer) !== "later" && httpOf(answer) !== 403;
      return [
        { type: "service_heard", dateMs: answer.dateMs },
        ...(good ? [{ type: "credential_judged", good: true } as const] : []),
      ];
    }
  }
};

export const talked = (withdrawal: Withdrawal, talk: Partial<Talk>): Event => ({
  type: "talked",
  withdrawalId: withdrawal.withdrawalId,
  talk,
});

/** A confirm under this device's name that another journal made, since this one exists. */
export const twinEvents = (state: State, reading: Pick<Reading, "partnerId" | "confirmedAtMs">): readonly Event[] => {
  const { device, installation } = state;
  if (device === null || installation === null || typeof reading.partnerId !== "string") return [];
  if (state.sameDeviceElsewhere || (reading.confirmedAtMs ?? 0) < installation.sinceWallMs) return [];
  return isFromTwin(device.deviceId, installation.tag, reading.partnerId) ? [{ type: "same_device_seen" }] : [];
};
