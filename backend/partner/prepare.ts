/** What has to be true of the stored banks before the service takes a request. */
import type { Clock } from "../ports.ts";
import { all, one, run, type Store, StoreRefused } from "../store/store.ts";
import { addressProblem } from "./address.ts";
import { keyProblem } from "./key.ts";
import { isSealed, type KeyCipher, plainKeys } from "./key-cipher.ts";
import {
  allowMerchant,
  allPartners,
  everyMerchant,
  insertPartner,
  type Partner,
  updatePartner,
} from "./partner-store.ts";

interface Prepared {
  /** The bank of PARTNER_ID. */
  readonly partner: { readonly id: string } | null;
  readonly sandbox: boolean;
  readonly keyCipher?: KeyCipher;
}

/**
 * Adds the bank of PARTNER_ID, allowed every shop, where it is missing; looks at the addresses and keys of all, and seals
 * the keys that were stored before SERVICE_KEY was set.
 * @throws StoreRefused for one that is unsafe outside the sandbox (an older program may have stored it), or unreadable.
 */
export const preparePartners = async (
  store: Store,
  clock: Clock,
  { partner, sandbox, keyCipher = plainKeys }: Prepared,
): Promise<void> => {
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
  if (keyCipher !== plainKeys) await sealPlain(store, stored, keyCipher);
};

const keysOf = ({ secret, previous_secret }: Partner) => ({ secret, previous_secret });

const sealPlain = async (store: Store, stored: readonly Partner[], keyCipher: KeyCipher): Promise<void> => {
  for (const row of stored) {
    const plain = Object.entries(keysOf(row)).filter(([, key]) => key !== null && !isSealed(key));
    if (plain.length === 0) continue;
    const sealed = Object.fromEntries(plain.map(([column, key]) => [column, keyCipher.seal(row.id, key ?? "")]));
    await store.write(() => one(updatePartner(row.id, sealed)));
  }
};

const problemsOf = (row: Partner, sandbox: boolean, keyCipher: KeyCipher): string[] => {
  const { id, url, secret, events_url } = row;
  let key: string | null = null;
  try {
    for (const each of Object.values(keysOf(row))) if (each !== null) keyCipher.open(id, each);
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
