/** Extension: the shops that a bank may use (`GET /ext/v1/stores`). */
import { z } from "zod";
import { plainText } from "./client.ts";
import { limitsSchema } from "./errors.ts";
import { example, pageSize } from "./field.ts";

/** Shops on one page of `GET /ext/v1/stores`, at most; 50 by default. */
const storesPerPageMax = 200;

/** Query of `GET /ext/v1/stores`. */
export const storesQuerySchema = z.object({
  after: plainText(64).optional().meta({ description: "The `next` of the page before.", example: example.store }),
  limit: pageSize("Shops on a page.", storesPerPageMax, 50),
});

/** A shop that the bank may use, with its limits as decimal amounts. */
const storeSchema = limitsSchema
  .extend({
    store: z
      .string()
      .meta({ description: "What `POST /ext/v1/withdrawals` takes as `store`.", example: example.store }),
    name: z.string().meta({ description: "What a person calls the shop.", example: example.storeName }),
  })
  .meta({ id: "Store", description: "A shop and what it hands out." });

/** A page of shops; `next` leads to the following one. */
export const storesReplySchema = z
  .object({
    stores: z.array(storeSchema).meta({ description: "In the order of their ids." }),
    next: z
      .string()
      .nullable()
      .meta({ description: "Send it as `after` for the next page; null on the last one.", example: null }),
  })
  .meta({ id: "Stores", description: "A page of shops." });
