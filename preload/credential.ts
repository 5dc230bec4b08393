/** The access key of a terminal. */
import { z } from "zod";

const shortText = z.string().max(200);

/** The access key of a terminal: what a person types once, and what the host keeps, encrypted where the machine can. */
export const credentialSchema = z.object({
  /** Base address of the service. */
  serviceUrl: z.string().min(1).max(2048),
  merchantId: shortText.min(1),
  deviceId: shortText.min(1),
  secret: z.string().min(1).max(256),
});
/** The access key, checked. */
export type Credential = Readonly<z.infer<typeof credentialSchema>>;
