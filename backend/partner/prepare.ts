/** What has to be true of the stored banks before the service takes a request. */
import type { Clock } from "../ports.ts";
import { all, one, run, type Store, StoreRefused } from "../store/store.ts";
import { addressProblem } from "./address.ts";
import { keyProblem } from "./key.ts";
import { allowMerchant, allPartners, everyMerchant, insertPartner, type Partner } from "./partner-store.ts";

/**
 * Adds the bank of PARTNER_ID, allowed every shop, where it is missing, and looks at the addresses and keys of all.
 * @throws StoreRefused for one that is unsafe outside the sandbox: it may have been stored by an older program.
 */
export const preparePartners = async (
  store: Store,
  clock: Clock,
  { partner, sandbox }: { readonly partner: { readonly id: string } | null; readonly sandbox: boolean },
): Promise<void> => {
  const now = clock.now();
  const stored = await store.write(function* () {
    if (partner !== null) {
      const added = yield* one(insertPartner({ id: partner.id, url: null, secret: null, now }));
      if (added !== undefined) yield* run(allowMerchant({ partner: partner.id, merchant: everyMerchant, now }));
    }
    return yield* all(allPartners({}));
  });
  const problems = sandbox ? [] : stored.flatMap(problemsOf);
  if (problems.length > 0) throw new StoreRefused(problems.join("\n"));
};

const problemsOf = ({ id, url, secret, events_url }: Partner): string[] => {
  const address = url === null ? null : addressProblem(url, false);
  const events = events_url === null ? null : addressProblem(events_url, false);
  const key = secret === null ? null : keyProblem(secret, false);
  return [
    ...(address === null ? [] : [`the address of partner ${id} ${address}: partners set-url ${id} URL`]),
    ...(events === null
      ? []
      : [`the address for events of partner ${id} ${events}: partners set ${id} --events-url URL`]),
    ...(key === null ? [] : [`the key of partner ${id} ${key}: partners rotate ${id}`]),
  ];
};
