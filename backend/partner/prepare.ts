/** What has to be true of the stored banks before the service takes a request. */
import type { Clock } from "../ports.ts";
import { all, one, run, type Store, StoreRefused } from "../store/store.ts";
import { addressProblem } from "./address.ts";
import { keyProblem } from "./key.ts";
import { isSealed, type KeyCipher, plainKeys } from "./key-cipher.ts";
import { allowMerchant, allPartners, everyMerchant, insertPartner, type Partner, replaceKey } from "./partner-store.ts";

interface Prepared {
  /** The bank of PARTNER_ID. */
  readonly partner: { readonly id: string } | null;
  readonly sandbox: boolean;
  readonly keyCipher?: KeyCipher;
  /** Whether keys from before SERVICE_KEY are encrypted now. Default: they stay readable for processes without it. */
  readonly seal?: boolean;
}

/**
 * Adds the bank of PARTNER_ID, allowed every shop, where it is missing, and looks at the addresses and keys of all.
 * @returns how many stored keys could be encrypted and are not.
 * @throws StoreRefused for one that is unsafe outside the sandbox (an older program may have stored it), or unreadable.
 */
export const preparePartners = async (
  store: Store,
  clock: Clock,
  { partner, sandbox, keyCipher = plainKeys, seal = false }: Prepared,
): Promise<number> => {
  const now = clock.now();
  const stored = await store.write(function* () {
    if (partner !== null) {
      const added = yield* one(insertPartner({ id: partner.id, url: null, secret: null, now }));
      if (added !== undefined) yield* run(allowMerchant({ partner: partner.id, merchant: everyMerchant, now }));
    }
    return yield* all(allPartners({}));
  });
  const problems = stored.flatMap((row) => problemsOf(row, sandbox, keyCipher));
  if (problems.length > 0) throw new StoreRefused(problems.join("\n"));
  if (keyCipher === plainKeys) return 0;
  return seal ? plainCount(stored) - (await sealKeys(store, keyCipher)) : plainCount(stored);
};

const keyColumns = ["secret", "previous_secret"] as const;

const plainKeysOf = (row: Partner) =>
  keyColumns.flatMap((column) => {
    const key = row[column];
    return key === null || isSealed(key) ? [] : [{ column, key }];
  });

const plainCount = (rows: readonly Partner[]): number => rows.reduce((sum, row) => sum + plainKeysOf(row).length, 0);

/** Encrypts the keys that were stored before SERVICE_KEY was set; one that changes meanwhile is left. @returns how many. */
export const sealKeys = async (store: Store, keyCipher: KeyCipher): Promise<number> => {
  let sealed = 0;
  for (const row of await store.read(() => all(allPartners({})))) {
    for (const { column, key } of plainKeysOf(row))
      sealed += await store.write(() => run(replaceKey(column, row.id, key, keyCipher.seal(row.id, key))));
  }
  return sealed;
};

const problemsOf = (row: Partner, sandbox: boolean, keyCipher: KeyCipher): string[] => {
  const { id, url, secret, events_url } = row;
  let key: string | null = null;
  try {
    for (const column of keyColumns) if (row[column] !== null) keyCipher.open(id, row[column]);
    key = secret === null || sandbox ? null : keyProblem(keyCipher.open(id, secret), false);
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  if (sandbox) return [];
  const address = url === null ? null : addressProblem(url, false);
  const events = events_url === null ? null : addressProblem(events_url, false);
  return [
    ...(address === null ? [] : [`the address of partner ${id} ${address}: partners set-url ${id} URL`]),
    ...(events === null
      ? []
      : [`the address for events of partner ${id} ${events}: partners set ${id} --events-url URL`]),
    ...(key === null ? [] : [`the key of partner ${id} ${key}: partners rotate ${id}`]),
  ];
};
