/** SERVICE_KEY and SERVICE_KEY_BEFORE: which of them a database is under, while one follows the other (docs/operate.md, "Another SERVICE_KEY"). */
import { type Repeated, repeat } from "../background.ts";
import type { Config } from "../config.ts";
import type { ChainKeys, Service } from "../context.ts";
import { createKeyCipher, type KeyCipher, plainKeys } from "../partner/keys.ts";
import type { Random } from "../ports.ts";
import { removeSetting, setSetting, settingByName } from "../store/settings.ts";
import { type Store, StoreRefused, type Tx } from "../store/store.ts";
import { auditKeyInUse } from "./audit.ts";
import { loadKeptServiceKey, loadOrCreateServiceKey, type ServiceKeys, serviceKeysFrom } from "./secrets.ts";

/** Earlier service keys, oldest first, encrypted under the current one, so that it alone opens all that is stored. */
const earlierSetting = "service_keys_before";
/** Names of all keys that were ever set. A generated key is not among them, so a shop that lost its file still starts. */
const givenSetting = "given_service_keys";

/** State of a rotation from one SERVICE_KEY to another. */
interface Rotation {
  /** SERVICE_KEY. */
  readonly to: ServiceKeys;
  /** SERVICE_KEY_BEFORE; null without. */
  readonly before: ServiceKeys | null;
  /** Whether SERVICE_KEY was rotated away before. */
  readonly isBack: boolean;
  /** Stores the earlier keys, in the unit of work that changes over to SERVICE_KEY. */
  noteEarlier(tx: Tx): Promise<void>;
}

/** The keys of one process; where two are set, it uses the one that the database is under. */
export interface KeyRing extends ServiceKeys {
  /** Only where a SERVICE_KEY is given. */
  readonly rotation?: Rotation;
}

type Roots = Pick<Config, "database" | "serviceKey" | "serviceKeyBefore">;

const labelOf = (at: number): string => `service key ${at}`;
const cipherOf = (keys: ServiceKeys, random: Random, others: readonly ServiceKeys[] = []): KeyCipher =>
  createKeyCipher(
    keys.encryption,
    random,
    others.flatMap(({ encryption }) => encryption ?? []),
  );

/** Encrypts banks' keys under the key that is in use at that moment, and reads those under any. */
export const keyCipherOf = (keys: ServiceKeys, random: Random): KeyCipher => {
  if (keys.encryption === null) return plainKeys;
  const now = () => cipherOf(keys, random, keys.others);
  return { seal: (bank, key) => now().seal(bank, key), open: (bank, stored) => now().open(bank, stored) };
};

const openRoots = (sealed: readonly string[], keys: readonly ServiceKeys[], random: Random): readonly string[] => {
  for (const key of keys) {
    try {
      return sealed.map((each, at) => cipherOf(key, random).open(labelOf(at), each));
    } catch {}
  }
  throw new StoreRefused("what is stored of earlier service keys cannot be read with this SERVICE_KEY");
};

const refusal = (keyId: string): StoreRefused =>
  new StoreRefused(
    `this database cannot be read with this SERVICE_KEY: it is under another (${keyId}), and nothing was written. Set SERVICE_KEY to that one, or SERVICE_KEY_BEFORE beside a new SERVICE_KEY; one that is lost for good: service-key rotate --lost`,
  );

const backRefusal = (keyId: string): StoreRefused =>
  new StoreRefused(
    `the audit is under a key (${keyId}) that was rotated away: somebody has put back what it was, and nothing was written. Put back a whole copy of the database, with its settings`,
  );

/**
 * Finds the keys that this process uses.
 * @param isLost go on although nobody has the key any more that the database is under.
 * @throws StoreRefused where the database is under a key that was not set; nothing is written then.
 */
export const openKeyRing = async (
  store: Store,
  { database, serviceKey, serviceKeyBefore }: Roots,
  random: Random,
  isLost = false,
): Promise<KeyRing> => {
  const { headKeyId, sealed, everGiven } = await store.read(async (tx) => ({
    headKeyId: await auditKeyInUse(tx),
    sealed: (await tx.first(settingByName({ name: earlierSetting })))?.value,
    everGiven: (await tx.first(settingByName({ name: givenSetting })))?.value.split(" ") ?? [],
  }));
  if (serviceKey === null) {
    const missing = headKeyId === null ? everGiven[0] : everGiven.find((id) => id === headKeyId);
    if (missing !== undefined)
      throw new StoreRefused(
        `SERVICE_KEY is missing: this database is under one (${missing}), and nothing was written`,
      );
    return serviceKeysFrom(await loadOrCreateServiceKey(store, database, random), false);
  }
  const to = serviceKeysFrom(serviceKey, true);
  const before = serviceKeyBefore === null ? null : serviceKeysFrom(serviceKeyBefore, true);
  const given = before === null ? [to] : [to, before];
  const kept = await loadKeptServiceKey(store, database);
  const idsOf = (keys: readonly ChainKeys[]) => keys.map(({ auditKeyId }) => auditKeyId);
  const made = kept === null ? [] : [serviceKeysFrom(kept, false)];
  let older = made;
  /** Filled with the keys in use by `use`. */
  const ring = { ...to };
  const use = (keys: ServiceKeys): void => {
    const all = new Map([...older, ...given].map((one) => [one.auditKeyId, one]));
    all.delete(keys.auditKeyId);
    Object.assign(ring, keys, { others: [...all.values()] });
  };
  let isRotated = false;
  const under = (id: string | null): ServiceKeys => {
    const found = given.find(({ auditKeyId }) => auditKeyId === id);
    if (isRotated && found && found !== to) throw backRefusal(found.auditKeyId);
    isRotated ||= found === to;
    if (found) use(found);
    else if (id !== null && !isLost && !idsOf(made).includes(id)) throw refusal(id);
    return ring;
  };
  under(headKeyId);
  const earlierRoots = sealed === undefined || isLost ? [] : openRoots(JSON.parse(sealed) as string[], given, random);
  const earlier = earlierRoots.map((root) => serviceKeysFrom(root, true));
  // A whole copy from before the rotation has no earlier keys.
  if (headKeyId !== null && idsOf(earlier).includes(headKeyId)) throw backRefusal(headKeyId);
  older = [...made, ...earlier];
  use(given.find(({ auditKeyId }) => auditKeyId === headKeyId) ?? to);
  const names = [...new Set([...everGiven, ...idsOf(given)])];
  if (names.length > everGiven.length)
    await store.write((tx) => tx.run(setSetting({ name: givenSetting, value: names.join(" ") })));
  const noteEarlier = async (tx: Tx): Promise<void> => {
    if (isLost) await tx.first(removeSetting({ name: earlierSetting }));
    if (isLost || serviceKeyBefore === null) return;
    const roots = [...earlierRoots, serviceKeyBefore].map((root, at) => cipherOf(to, random).seal(labelOf(at), root));
    await tx.run(setSetting({ name: earlierSetting, value: JSON.stringify(roots) }));
  };
  return Object.assign(ring, {
    under,
    rotation: { to, before, isBack: idsOf(earlier).includes(to.auditKeyId), noteEarlier },
  });
};

const lookEveryMs = 5_000;

/**
 * Changes over to SERVICE_KEY soon after `service-key rotate`, where this process has both.
 * @param onRefused called when this process lacks the new key: nobody could verify what it writes from now on.
 */
export const watchServiceKey = (
  { store, clock, log }: Service,
  keys: KeyRing,
  onRefused: (error: StoreRefused) => void,
): Repeated | null =>
  keys.rotation
    ? repeat(clock, 0, async () => {
        const was = keys.auditKeyId;
        try {
          keys.under?.(await store.read(auditKeyInUse));
          if (keys.auditKeyId !== was) log.info({ key: keys.auditKeyId, before: was }, "service key changed");
        } catch (error) {
          if (error instanceof StoreRefused) onRefused(error);
          else log.warn({ err: error }, "the service key in use could not be looked up and will be");
        }
        return lookEveryMs;
      })
    : null;
