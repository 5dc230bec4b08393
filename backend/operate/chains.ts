/** Commands for a head office's credential: the shops that it sees. */
import { appendAudit } from "../access/audit.ts";
import { addCredential, type CredentialKey, credentialByDevice, officeDevice } from "../access/credentials.ts";
import { createSecretHasher } from "../access/secrets.ts";
import { recordSettings } from "../access/setting-entries.ts";
import type { Scope } from "../contract/scopes.ts";
import { addShopToChain, removeShopFromChain, shopsOfChain } from "../merchants/chains.ts";
import { merchantById } from "../merchants/merchants.ts";
import type { Tx } from "../store/store.ts";
import { type CommandLine, UsageError } from "./arguments.ts";
import { operatorName } from "./audited-store.ts";
import type { CommandContext } from "./context.ts";
import { checked, idSchema } from "./words.ts";

const shopList = (text: string): readonly string[] => text.split(/[ ,]/).filter((word) => word !== "");

/** Makes shops a chain's, or takes them away, with an audit entry for each actual change. @throws UsageError for an unknown shop. */
const changeShops = async (
  { keys, clock }: CommandContext,
  tx: Tx,
  chain: string,
  shops: readonly string[],
  isAdded: boolean,
) => {
  const actor = operatorName();
  for (const shop of new Set(shops)) {
    if ((await tx.first(merchantById({ id: shop }))) === undefined) throw new UsageError(`there is no shop ${shop}`);
    const names = { chain, shop };
    const rows = await tx.run(isAdded ? addShopToChain({ ...names, now: clock.now() }) : removeShopFromChain(names));
    if (rows === 0) continue;
    const entry = { event: `chain shop ${isAdded ? "added" : "removed"}`, actor, address: null, detail: null };
    await appendAudit(tx, keys, clock.now(), { ...entry, object: `chain ${chain} shop ${shop}` });
    await recordSettings(tx, keys, clock.now(), [[["chain_merchants", chain, shop], isAdded ? {} : null]]);
  }
};

/** `credentials add chain`: replaces all of the chain's shops by the named ones. @throws UsageError without shops. */
export const addChain = async (
  on: CommandContext,
  key: CredentialKey,
  granted: readonly Scope[],
  shops: string | undefined,
) => {
  const named = shopList(shops ?? "");
  if (named.length === 0) throw new UsageError("which shops? name it as: credentials add chain NAME --shops SHOP,SHOP");
  const password = await addCredential(on, createSecretHasher(on.random), key, granted, undefined, async (tx) => {
    const before = (await tx.all(shopsOfChain({ chain: key.ownerId }))).map(({ id }) => id);
    const gone = before.filter((shop) => !named.includes(shop));
    await changeShops(on, tx, key.ownerId, gone, false);
    await changeShops(on, tx, key.ownerId, named, true);
  });
  return { scope: granted.join(" "), shops: named.join(" "), password };
};

/** `credentials shops`: changes a chain's shops, and lists them. @throws UsageError where there is no such chain. */
export const changeChain = async (
  on: CommandContext,
  name: string | undefined,
  { add, remove }: CommandLine["flags"],
) => {
  const form = "credentials shops CHAIN [--add SHOP,SHOP] [--remove SHOP,SHOP]";
  const chain = checked(idSchema("the CHAIN"), name, form);
  const key: CredentialKey = { kind: "chain", ownerId: chain, deviceId: officeDevice };
  if ((await on.store.read((tx) => tx.first(credentialByDevice(key)))) === undefined)
    throw new UsageError(`there is no chain ${chain}; add it with: credentials add chain ${chain} --shops SHOP,SHOP`);
  if (add !== undefined || remove !== undefined)
    await on.store.write(async (tx) => {
      await changeShops(on, tx, chain, shopList(add ?? ""), true);
      await changeShops(on, tx, chain, shopList(remove ?? ""), false);
    });
  const shops = await on.store.read((tx) => tx.all(shopsOfChain({ chain })));
  return shops.map(({ id, name }) => ({ chain, shop: id, name }));
};
