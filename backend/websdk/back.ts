/** The way back to the bank: `urlBack` of the check-in with what came of it. */
import type { Checkin } from "../checkin/open.ts";
import type { Current } from "./current.ts";

/**
 * Adds `reference` (the bank's own `referenceId`), `outcome` (the status, or `none` when nothing was started) and
 * `transaction_id` (when something was). Null for anything but http and https, whatever the database holds.
 */
export const backHref = (checkin: Checkin, current: Current | null): string | null => {
  if (!URL.canParse(checkin.urlBack)) return null;
  const url = new URL(checkin.urlBack);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  url.searchParams.set("reference", checkin.referenceId);
  url.searchParams.set("outcome", current?.row.status ?? "none");
  if (current !== null) url.searchParams.set("transaction_id", current.row.id);
  return url.href;
};
