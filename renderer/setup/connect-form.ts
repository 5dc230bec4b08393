/** What a person types to connect a terminal, checked before anything is sent. */
import { isEnrolmentCode, normalizeTypedId } from "../../backend/contract/ids.ts";
import { isServiceUrl } from "../../backend/contract/service-url.ts";
import type { Way } from "./method-step.tsx";
import type { Enrolment } from "./use-connect.ts";

/** What has been typed to connect the terminal. */
export interface ConnectForm {
  readonly code: string;
  readonly serviceUrl: string;
  readonly secret: string;
  readonly merchantId: string;
  readonly deviceId: string;
}

/** A field of the form. */
export type ConnectField = keyof ConnectForm;

/** The fields of each way, in the order in which they are typed. */
export const fieldsOf: Readonly<Record<Way, readonly ConnectField[]>> = {
  code: ["code", "serviceUrl"],
  key: ["serviceUrl", "secret", "merchantId", "deviceId"],
};

/** A key is kept as it was typed; all else has no blanks at its ends. */
const cleaned = (form: ConnectForm): ConnectForm => ({
  code: normalizeTypedId(form.code),
  serviceUrl: form.serviceUrl.trim(),
  secret: form.secret,
  merchantId: form.merchantId.trim(),
  deviceId: form.deviceId.trim(),
});

/** What is wrong with a field; null when it can be sent. */
export const faultOf = (form: ConnectForm, field: ConnectField): "missing" | "url" | "codeWrong" | null => {
  const value = cleaned(form)[field];
  if (value === "") return "missing";
  if (field === "serviceUrl" && !isServiceUrl(value)) return "url";
  return field === "code" && !isEnrolmentCode(value) ? "codeWrong" : null;
};

/** The command for a form without faults. */
export const enrolmentOf = (form: ConnectForm, way: Way): Enrolment => {
  const { code, serviceUrl, secret, merchantId, deviceId } = cleaned(form);
  return way === "code"
    ? { type: "enroll_by_code", serviceUrl, code }
    : { type: "enroll", serviceUrl, merchantId, deviceId, secret };
};
