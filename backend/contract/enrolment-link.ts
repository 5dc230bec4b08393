/** What the QR code of an enrolment holds: `tillcash:enrol?url=…&code=…` (conventions, "Extensions"). */
import { isEnrolmentCode, normalizeTypedId } from "./ids.ts";
import { isServiceUrl } from "./service-url.ts";

const prefix = "tillcash:enrol?";

/** What a terminal needs to enrol itself: where the service is, and the code it redeems there. */
export interface EnrolmentLink {
  /** Base address of the service. */
  readonly serviceUrl: string;
  /** Twelve characters, the last one a check character. */
  readonly code: string;
}

/** The text of the QR code: both fields percent-encoded, nothing is checked. */
export const makeEnrolmentLink = ({ serviceUrl, code }: EnrolmentLink): string =>
  `${prefix}url=${encodeURIComponent(serviceUrl)}&code=${encodeURIComponent(code)}`;

/** Null for any other text, and for a link whose address or code is invalid. */
export const readEnrolmentLink = (text: string): EnrolmentLink | null => {
  if (!text.startsWith(prefix)) return null;
  const fields = new URLSearchParams(text.slice(prefix.length));
  const serviceUrl = fields.get("url") ?? "";
  const code = normalizeTypedId(fields.get("code") ?? "");
  return isServiceUrl(serviceUrl) && isEnrolmentCode(code) ? { serviceUrl, code } : null;
};
