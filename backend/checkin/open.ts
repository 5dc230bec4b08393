/** The page's side of a check-in: its address works once and turns into a session of the browser that opened it. */
import type { Tokens } from "../access/tokens.ts";
import type { Service } from "../context.ts";
import type { RowOf } from "../store/schema.ts";
import { addCustomer, checkinBySession, customerByKey, linkCheckinRow, openCheckinRow } from "./checkin-store.ts";

/** The page goes on this long after it was opened: an order's life and time to look at its end. */
export const checkinSessionMs = 60 * 60_000;

/** An opened check-in, as the customer's pages use it; `balance` in minor units. */
export interface Checkin {
  readonly id: string;
  readonly partnerId: string;
  readonly referenceId: string;
  readonly brand: string;
  readonly userId: string;
  /** In minor units of `currency`; caps what can be asked. */
  readonly balanceMinor: number;
  readonly currency: string;
  readonly urlBack: string;
  /** The withdrawal it has led to. */
  readonly transactionId: string | null;
}

type Stored = Pick<Service, "store" | "clock">;

const fromRow = (row: RowOf<"checkins">): Checkin => ({
  id: row.id,
  partnerId: row.partner_id,
  referenceId: row.reference_id,
  brand: row.brand,
  userId: row.user_id,
  balanceMinor: row.balance,
  currency: row.currency,
  urlBack: row.url_back,
  transactionId: row.transaction_id,
});

/**
 * Opens the page of `destination_url`: once, within 10 minutes. The customer counts as `active` from then on.
 * @returns the check-in and the session secret for the browser's cookie; `null` when the address is wrong, used or late.
 */
export const openCheckin = (
  { store, clock, random }: Pick<Service, "store" | "clock" | "random">,
  tokens: Pick<Tokens, "hash">,
  checkinId: string,
  linkToken: string,
): Promise<{ readonly checkin: Checkin; readonly session: string } | null> => {
  const session = Buffer.from(random.bytes(32)).toString("base64url");
  const now = clock.now();
  return store.write(async (tx) => {
    const row = await tx.first(
      openCheckinRow({ id: checkinId, token: tokens.hash(linkToken), session: tokens.hash(session), now }),
    );
    if (row === undefined) return null;
    const customer = await tx.first(customerByKey({ partner: row.partner_id, user: row.user_id }));
    if (customer !== undefined && customer.blocked_at !== null) return null;
    await tx.run(addCustomer({ partner: row.partner_id, user: row.user_id, now }));
    return { checkin: fromRow(row), session };
  });
};

/** The check-in that this browser opened; `null` when it did not, when it was too long ago, or the user is blocked. */
export const findCheckin = (
  { store, clock }: Stored,
  tokens: Pick<Tokens, "hash">,
  checkinId: string,
  session: string,
): Promise<Checkin | null> =>
  store.read(async (tx) => {
    const openedAfter = clock.now() - checkinSessionMs;
    const row = await tx.first(checkinBySession({ id: checkinId, session: tokens.hash(session), openedAfter }));
    if (row === undefined) return null;
    const customer = await tx.first(customerByKey({ partner: row.partner_id, user: row.user_id }));
    return customer === undefined || customer.blocked_at === null ? fromRow(row) : null;
  });

/**
 * Remembers the withdrawal that the page asked for, so that a reload shows it again.
 * @returns false when another tab of the same browser was faster.
 */
export const linkCheckin = ({ store }: Stored, checkin: Checkin, transactionId: string): Promise<boolean> =>
  store.write(async (tx) => {
    const before = checkin.transactionId ?? "";
    return (await tx.run(linkCheckinRow({ id: checkin.id, transaction: transactionId, before }))) === 1;
  });
