/** What a person types to connect a terminal, checked before anything is sent. */
import { isEnrolmentCode, normalizeTypedId } from "../../backend/contract/ids.ts";
import { isServiceUrl } from "../../backend/contract/service-url.ts";
import type { ConnectMethod } from "./method-step.tsx";
import type { Enrolment } from "./use-connect.ts";

/** The form as typed. */
export interface ConnectForm {
  readonly code: string;
  readonly serviceUrl: string;
  readonly secret: string;
  readonly merchantId: string;
  readonly deviceId: string;
}

/** A field of the form. */
export type ConnectField = keyof ConnectForm;

/** The fields of each method, in the order in which they are typed. */
export const fieldsOf: Readonly<Record<ConnectMethod, readonly ConnectField[]>> = {
  code: ["code", "serviceUrl"],
  key: ["serviceUrl", "secret", "merchantId", "deviceId"],
};

/** The access key is sent as typed; the other fields without blanks at their ends. */
const trimmed = (form: ConnectForm): ConnectForm => ({
  code: normalizeTypedId(form.code),
  serviceUrl: form.serviceUrl.trim(),
  secret: form.secret,
  merchantId: form.merchantId.trim(),
  deviceId: form.deviceId.trim(),
});

/** What is wrong with a field; null: nothing. */
export const faultOf = (form: ConnectForm, field: ConnectField): "missing" | "url" | "codeWrong" | null => {
  const value = trimmed(form)[field];
  if (value === "") return "missing";
  if (field === "serviceUrl" && !isServiceUrl(value)) return "url";
  return field === "code" && !isEnrolmentCode(value) ? "codeWrong" : null;
};

/** The command of a form without faults. */
export const enrolmentOf = (form: ConnectForm, method: ConnectMethod): Enrolment => {
  const { code, serviceUrl, secret, merchantId, deviceId } = trimmed(form);
  return method === "code"
    ? { type: "enroll_by_code", serviceUrl, code }
    : { type: "enroll", serviceUrl, merchantId, deviceId, secret };
};
