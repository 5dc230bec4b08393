/** What has to be true of the stored banks before the service takes a request. */

import { type Repeated, repeat } from "../background.ts";
import type { Service } from "../context.ts";
import type { Clock } from "../ports.ts";
import { all, one, run, type Store, StoreRefused } from "../store/store.ts";
import { partnerProblems } from "./bound-partners.ts";
import { isSealed, type KeyCipher, plainKeys } from "./keys.ts";
import { allowMerchant, allPartners, everyMerchant, insertPartner, type Partner, replaceKey } from "./partner-store.ts";

interface Prepared {
  /** The bank of PARTNER_ID. */
  readonly partner: { readonly id: string } | null;
  readonly keyCipher?: KeyCipher;
  /** Whether keys from before SERVICE_KEY are encrypted now. Default: they stay readable for processes without it. */
  readonly seal?: boolean;
}

/**
 * Adds the bank of PARTNER_ID, allowed every shop, where it is missing.
 * @returns how many stored keys could be encrypted and are not.
 * @throws StoreRefused where none of the encrypted keys can be read: then SERVICE_KEY is missing, or another installation's.
 */
export const preparePartners = async (
  store: Store,
  clock: Clock,
  { partner, keyCipher = plainKeys, seal = false }: Prepared,
): Promise<number> => {
  const now = clock.now();
  const stored = await store.write(function* () {
    if (partner !== null) {
      const added = yield* one(insertPartner({ id: partner.id, url: null, secret: null, now }));
      if (added !== undefined) yield* run(allowMerchant({ partner: partner.id, merchant: everyMerchant, now }));
    }
    return yield* all(allPartners({}));
  });
  refuseOtherServiceKey(stored, keyCipher);
  if (keyCipher === plainKeys) return 0;
  return seal ? plainCount(stored) - (await sealKeys(store, keyCipher)) : plainCount(stored);
};

const keyColumns = ["secret", "previous_secret"] as const;

/** One key that cannot be read was damaged, and stops its bank alone (`partnerProblems`). */
const refuseOtherServiceKey = (rows: readonly Partner[], keyCipher: KeyCipher): void => {
  const unread: string[] = [];
  for (const row of rows) {
    for (const column of keyColumns) {
      const key = row[column];
      if (key === null || !isSealed(key)) continue;
      try {
        keyCipher.open(row.id, key);
        return;
      } catch (error) {
        unread.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  if (unread.length > 0) throw new StoreRefused([...new Set(unread)].join("\n"));
};

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

const everyMs = 60_000;

/** Says at the start, and when it is new, which banks cannot be called because of what is stored of them; counts them each minute. */
export const watchPartners = async (service: Service): Promise<Repeated> => {
  const { store, clock, log, telemetry, options } = service;
  let known = new Set<string>();
  const look = async (): Promise<number> => {
    try {
      const rows = await store.read(() => all(allPartners({})));
      const bad = rows.map((row) => ({ id: row.id, problems: partnerProblems(row.id, row, options) }));
      const problems = bad.flatMap((each) => each.problems.map((problem) => ({ id: each.id, problem })));
      for (const { id, problem } of problems)
        if (!known.has(problem)) log.error({ partner: id }, `this bank is not called: ${problem}`);
      known = new Set(problems.map(({ problem }) => problem));
      telemetry.unusablePartners(new Set(problems.map(({ id }) => id)).size);
    } catch (error) {
      log.warn({ err: error }, "the banks could not be looked at and will be again");
    }
    return everyMs;
  };
  await look();
  return repeat(clock, everyMs, look);
};
