import type { z } from "zod";
import type { Service, Terminal } from "../context.ts";
import type { tillSchema } from "../contract/terminal.ts";
import { ServiceError } from "../service-error.ts";
import { one } from "../store/store.ts";
import { limitsOf } from "./limits.ts";
import { merchantById } from "./merchant-store.ts";

/** What a terminal needs to know about its shop (extension). @throws ServiceError `store_unknown` when the shop is gone. */
export const readTill = async (
  { store, clock, options }: Pick<Service, "store" | "clock" | "options">,
  terminal: Terminal,
): Promise<z.infer<typeof tillSchema>> => {
  const merchant = await store.read(() => one(merchantById({ id: terminal.merchantId })));
  if (merchant === undefined) throw new ServiceError("store_unknown");
  const { support_text: text, support_phone: phone } = merchant;
  return {
    ...limitsOf(merchant),
    store_name: merchant.name,
    sca_timeout_seconds: Math.ceil(options.scaTimeoutMs / 1000),
    support: text === null && phone === null ? null : { text, phone },
    server_time: new Date(clock.now()).toISOString(),
    forgot_since: null,
    restored_at: null,
  };
};
