/** The sandbox's demo data (conventions, "Sandbox"); it exists only with the sandbox on. */

import { addCredential, credentialByDevice } from "../access/credentials.ts";
import { createSecretHasher } from "../access/secrets.ts";
import { type Change, recordSettings } from "../access/setting-entries.ts";
import type { Service } from "../context.ts";
import { insertMerchant } from "../merchants/merchants.ts";
import { sandboxPartnerId } from "../partner/keys.ts";
import { allowMerchant, everyMerchant, insertPartner } from "../partner/partners.ts";
import { ServiceError } from "../service-error.ts";

/** The sandbox's shop (conventions, "The service's address and how it starts"). */
export const demoShop = {
  id: "demo-shop",
  name: "Demo Shop",
  currency: "EUR",
  amount_min: 1_000,
  amount_max: 50_000,
  amount_step: 1,
} as const;

/** The demo terminal's published credential. */
export const demoTill = {
  key: { kind: "terminal", ownerId: demoShop.id, deviceId: "till-1" },
  secret: "till-secret",
} as const;
/** The sandbox bank's published credential. */
export const demoBank = {
  key: { kind: "client", ownerId: sandboxPartnerId, deviceId: "server-1" },
  secret: "bank-secret",
} as const;

/** A cheap hash, since these secrets are public; a slow one would double training's start time. */
const publishedCost = { N: 2, r: 1, p: 1 } as const;

/** Adds missing demo data; existing data, such as a rotated or revoked secret, is kept. */
export const seedDemo = async (service: Service): Promise<void> => {
  const secrets = createSecretHasher(service.random, publishedCost);
  const now = service.clock.now();
  const missing = await service.store.write(async (tx) => {
    const [bankId, made]: [string, Change[]] = [demoBank.key.ownerId, []];
    if (await tx.first(insertMerchant({ ...demoShop, now }))) made.push([["merchants", demoShop.id], demoShop]);
    if (await tx.first(insertPartner({ id: bankId, url: null, secret: null, now }))) {
      await tx.run(allowMerchant({ partner: bankId, merchant: everyMerchant, now }));
      made.push([["partners", bankId], {}], [["partner_merchants", bankId, everyMerchant], {}]);
    }
    await recordSettings(tx, service.keys, now, made);
    const till = await tx.first(credentialByDevice(demoTill.key));
    const bank = await tx.first(credentialByDevice(demoBank.key));
    return [...(till === undefined ? [demoTill] : []), ...(bank === undefined ? [demoBank] : [])];
  });
  for (const { key, secret } of missing) {
    try {
      await addCredential(service, secrets, key, undefined, secret);
    } catch (error) {
      // Another process on the same database was faster.
      if (!(error instanceof ServiceError && error.code === "validation_failed")) throw error;
    }
  }
};
