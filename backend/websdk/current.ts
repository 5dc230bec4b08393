/** The withdrawal a check-in has led to, also when the process died between starting it and remembering it. */
import { type Checkin, linkCheckin } from "../checkin/open.ts";
import type { Service } from "../context.ts";
import { approvalLink } from "../contract/approval-link.ts";
import { merchantById } from "../merchants/merchant-store.ts";
import { partnerById } from "../partner/partners.ts";
import { readRow } from "../withdrawals/get.ts";
import { type ShownRow, withdrawalIdByKey } from "../withdrawals/store.ts";
import type { Visit } from "./serve-page.ts";

/** The withdrawal that a check-in has led to. */
export interface Current {
  readonly row: ShownRow;
  readonly shopName: string;
  /** The link into the bank's app where the customer approves; null for a bank that has set none. */
  readonly approvalHref: string | null;
}

/**
 * One withdrawal for each predecessor: two taps, two tabs or a repeat after a crash all mean the same one. The space
 * keeps it apart from every key that a partner can send.
 */
export const keyAfter = (checkinId: string, before: string): string => `websdk ${checkinId} ${before}`;

/** The withdrawal of a check-in; null before the customer has asked for one. */
export const findCurrent = async (service: Service, checkin: Checkin): Promise<Current | null> => {
  const key = keyAfter(checkin.id, checkin.transactionId ?? "");
  const next = await service.store.read((tx) => tx.first(withdrawalIdByKey({ partner: checkin.partnerId, key })));
  if (next) await linkCheckin(service, checkin, next.id);
  const id = next?.id ?? checkin.transactionId;
  const row = id === null ? undefined : await readRow(service, id);
  if (row === undefined) return null;
  const { shop, partner } = await service.store.read(async (tx) => {
    const shop = await tx.first(merchantById({ id: row.merchant_id }));
    const partner = await tx.first(partnerById({ id: row.partner_id }));
    return { shop, partner };
  });
  const shopName = row.store_name ?? shop?.name ?? row.merchant_id;
  return { row, shopName, approvalHref: approvalLink(partner?.sca_url ?? null, row.id) };
};

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

/** What the routes of the page have in common: the browser that opened this check-in, and where its withdrawal stands. */
export interface Opened {
  readonly visit: Visit;
  readonly checkin: Checkin;
  readonly current: Current | null;
}
