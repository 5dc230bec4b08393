/** What the service says about a terminal's shop (conventions, `GET /ext/v1/till`). */
import { z } from "zod";
import { scaTimeoutBounds } from "../backend/contract/sca.ts";

const shortText = z.string().min(1).max(200);

/** A shop as the service describes it; null where it says nothing. */
export const shopProfileSchema = z.object({
  merchantId: shortText,
  /** What a person calls the shop. */
  name: shortText,
  /** Amounts that can be withdrawn here, as the wire's decimal strings. */
  limits: z.object({ currency: z.string(), min: z.string(), max: z.string(), step: z.string() }).nullable(),
  /** How long the service waits for the customer's approval. */
  scaTimeoutSeconds: z.int().min(scaTimeoutBounds.min).max(scaTimeoutBounds.max).nullable(),
  /** Contact for cashiers. */
  support: z.object({ text: shortText.nullable(), phone: shortText.nullable() }).nullable(),
});
/** A shop as the service describes it. */
export type ShopProfile = Readonly<z.infer<typeof shopProfileSchema>>;
