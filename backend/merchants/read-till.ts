import type { z } from "zod";
import type { Service, Terminal } from "../context.ts";
import type { tillSchema } from "../contract/terminal.ts";
import { ServiceError } from "../service-error.ts";
import { headInCopy, readRestores } from "../store/restores.ts";
import { limitsOf, merchantById } from "./merchant-store.ts";

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString();

/** What a terminal needs to know about its shop (extension). @throws ServiceError `store_unknown` when the shop is gone. */
export const readTill = async (
  { store, clock, options }: Pick<Service, "store" | "clock" | "options">,
  terminal: Terminal,
): Promise<z.infer<typeof tillSchema>> => {
  const now = clock.now();
  const { merchantId, deviceId } = terminal;
  const { merchant, restores, keptHead } = await store.read(async (tx) => {
    const found = await readRestores(tx, now);
    const restoredAt = found.first_restored_at;
    return {
      merchant: await tx.first(merchantById({ id: merchantId })),
      restores: found,
      keptHead:
        restoredAt === null ? null : await tx.first(headInCopy({ merchant: merchantId, device: deviceId, restoredAt })),
    };
  });
  if (merchant === undefined) throw new ServiceError("store_unknown");
  const { support_text: text, support_phone: phone } = merchant;
  return {
    ...limitsOf(merchant),
    store_name: merchant.name,
    sca_timeout_seconds: Math.ceil(options.scaTimeoutMs / 1000),
    support: text === null && phone === null ? null : { text, phone },
    server_time: timeOf(now),
    forgot_since: restores.forgot_since === null ? null : timeOf(restores.forgot_since),
    restored_at: restores.restored_at === null ? null : timeOf(restores.restored_at),
    kept_head: keptHead ?? null,
  };
};
