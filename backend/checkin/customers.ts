/** Blocking a partner's customer: check-in then says `blocked` and gives no address. */

import type { Service } from "../context.ts";
import { ServiceError } from "../service-error.ts";
import { run } from "../store/store.ts";
import { blockCustomer, unblockCustomer } from "./checkin-store.ts";

/** A user of a partner; ids are case-insensitive. */
export interface CustomerKey {
  readonly partnerId: string;
  readonly userId: string;
}

/** Blocks a user: he can neither ask for cash nor be confirmed from now on. @returns rows written. */
export const block = ({ store, clock }: Pick<Service, "store" | "clock">, key: CustomerKey): Promise<number> =>
  store.write(function* () {
    return yield* run(blockCustomer({ partner: key.partnerId, user: key.userId, now: clock.now() }));
  });

/** @throws ServiceError `not_found` when the user is not blocked. */
export const unblock = async ({ store }: Pick<Service, "store">, key: CustomerKey): Promise<void> => {
  const changes = await store.write(function* () {
    return yield* run(unblockCustomer({ partner: key.partnerId, user: key.userId }));
  });
  if (changes === 0) throw new ServiceError("not_found", `user ${key.userId} of ${key.partnerId} is not blocked`);
};
