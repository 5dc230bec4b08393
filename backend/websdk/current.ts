/** The withdrawal a check-in has led to, also when the process died between starting it and remembering it. */
import { type Checkin, linkCheckin } from "../checkin/open.ts";
import type { Service } from "../context.ts";
import { statement } from "../store/statement.ts";
import { one } from "../store/store.ts";
import { readRow } from "../withdrawals/get.ts";
import type { Row } from "../withdrawals/rows.ts";

export interface Current {
  readonly row: Row;
  readonly shopName: string;
}

const idByKey = statement("websdk_withdrawal_by_key", (db, p: { partner: string; key: string }) =>
  db.selectFrom("withdrawals").select("id").where("partner_id", "=", p.partner).where("idempotency_key", "=", p.key),
);

const shopName = statement("websdk_shop_name", (db, p: { id: string }) =>
  db.selectFrom("merchants").select("name").where("id", "=", p.id),
);

/**
 * One withdrawal for each predecessor: two taps, two tabs or a repeat after a crash all mean the same one. The space
 * keeps it apart from every key that a partner can send.
 */
export const keyAfter = (checkinId: string, before: string): string => `websdk ${checkinId} ${before}`;

export const findCurrent = async (service: Service, checkin: Checkin): Promise<Current | null> => {
  const key = keyAfter(checkin.id, checkin.transactionId ?? "");
  const next = await service.store.read(() => one(idByKey({ partner: checkin.partnerId, key })));
  if (next) await linkCheckin(service, checkin, next.id);
  const id = next?.id ?? checkin.transactionId;
  const row = id === null ? undefined : await readRow(service, id);
  if (row === undefined) return null;
  const shop = await service.store.read(() => one(shopName({ id: row.merchant_id })));
  return { row, shopName: shop?.name ?? row.merchant_id };
};
