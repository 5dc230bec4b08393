/** What the service says to the operator's one-time codes (`POST /ext/v1/enrolments`, `POST /ext/v1/manager-resets`). */
import { z } from "zod";
import { type Credential, credentialSchema } from "../../../preload/contract.ts";
import type { ServiceAnswer } from "../ports.ts";
import { isUnsafeService } from "./classify-answer.ts";

/** The credential that a code was worth, or why there is none: `denied` is final for this code. */
export type EnrolmentAnswer =
  | { readonly kind: "redeemed"; readonly credential: Credential }
  | { readonly kind: "refused"; readonly code: "denied" | "unsafe_service" | "wait" | "unreachable" };

const grantedSchema = z.object({ merchant_id: z.string(), device_id: z.string(), password: z.string() });

/** Only a service that speaks this contract says no; whatever else listens there counts as nobody. */
const refusedSchema = z.object({ code: z.enum(["not_found", "validation_failed"]) });

/** Reads status and body; whatever is not of the contract counts as `unreachable`. */
export const readEnrolmentAnswer = (serviceUrl: string, answer: ServiceAnswer): EnrolmentAnswer => {
  if (isUnsafeService(answer)) return { kind: "refused", code: "unsafe_service" };
  if (answer.kind === "silence") return { kind: "refused", code: "unreachable" };
  if (answer.status === 429) return { kind: "refused", code: "wait" };
  if (refusedSchema.safeParse(answer.body).success) return { kind: "refused", code: "denied" };
  const granted = grantedSchema.safeParse(answer.body);
  if (answer.status !== 201 || !granted.success) return { kind: "refused", code: "unreachable" };
  const { merchant_id: merchantId, device_id: deviceId, password: secret } = granted.data;
  const credential = credentialSchema.safeParse({ serviceUrl, merchantId, deviceId, secret });
  return credential.success
    ? { kind: "redeemed", credential: credential.data }
    : { kind: "refused", code: "unreachable" };
};

/** `unreachable` as well where the service has no such call: then the PIN can be reset there only once it has. */
export type ManagerResetAnswer = "accepted" | "denied" | "wait" | "unreachable";

const resetSchema = z.object({ merchant_id: z.string(), device_id: z.string() });

/** Only a 201 that names a terminal lets anybody in; whatever else listens there counts as nobody. */
export const readManagerResetAnswer = (answer: ServiceAnswer): ManagerResetAnswer => {
  if (answer.kind === "silence") return "unreachable";
  if (answer.status === 429) return "wait";
  if (answer.status === 201 && resetSchema.safeParse(answer.body).success) return "accepted";
  return refusedSchema.safeParse(answer.body).success ? "denied" : "unreachable";
};
