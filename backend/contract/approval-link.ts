/** The link that leads a customer into the bank's app (`partners set --sca-url`): a template, and what may be one. */
import { isLoopbackHost } from "./service-url.ts";

/** Becomes the withdrawal's id. */
const idPlace = "{transaction_id}";
const lengthMax = 2_048;

/** What browsers run or read themselves, or what is no way to an app. */
const refusedSchemes: ReadonlySet<string> = new Set([
  ...["javascript:", "vbscript:", "data:", "blob:", "file:", "filesystem:", "about:", "view-source:", "jar:"],
  ...["chrome:", "chrome-extension:", "moz-extension:", "resource:", "ftp:", "ws:", "wss:", "mailto:", "tel:", "sms:"],
]);

const fill = (template: string, id: string): string => template.replaceAll(idPlace, id);

/**
 * Whether a template is a way to an app: https, http on this very machine, or the app's own scheme, with the place for the id behind
 * scheme and host. Visible ASCII without quotes and angle brackets alone, so that every reader finds the same scheme in it.
 */
export const isApprovalTemplate = (template: string): boolean => {
  if (!template.includes(idPlace) || template.length > lengthMax || !/^[\x21-\x7e]+$/.test(template)) return false;
  const [one, other] = [fill(template, "0"), fill(template, "1")];
  if (/["'`<>\\{}]/.test(one) || !URL.canParse(one) || !URL.canParse(other)) return false;
  const { protocol, hostname, username, password } = new URL(one);
  if (protocol !== new URL(other).protocol || hostname !== new URL(other).hostname) return false;
  if (username !== "" || password !== "" || refusedSchemes.has(protocol)) return false;
  return protocol !== "http:" || isLoopbackHost(hostname);
};

/** The link of one withdrawal; null where the bank has set none, or one that must not be followed. */
export const approvalLink = (template: string | null, transactionId: string): string | null =>
  template === null || !isApprovalTemplate(template) ? null : fill(template, encodeURIComponent(transactionId));
