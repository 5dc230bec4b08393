/** The whole flow with the client that hey-api made. */
import { createClient } from "./generated/hey-api/client/index.ts";
import * as sdk from "./generated/hey-api/sdk.gen.ts";
import type { WithdrawalRequest } from "./generated/hey-api/types.gen.ts";
import { bank, checkin, order, type Played, terminal } from "./played.ts";

const signedIn = (baseUrl: string, token: string) => ({
  client: createClient({ baseUrl, auth: token }),
  throwOnError: true as const,
});

/** Plays bank and terminal at `baseUrl`; what it saw is compared by the test. */
export const play = async (baseUrl: string): Promise<Played> => {
  const anybody = { client: createClient({ baseUrl }), throwOnError: true as const };
  const bankToken = await sdk.getToken({ ...anybody, body: bank });
  const tillToken = await sdk.authorize({ ...anybody, body: terminal });
  const app = signedIn(baseUrl, bankToken.data.access_token);
  const till = signedIn(baseUrl, tillToken.data.access_token);

  const ask = (key: string, body: WithdrawalRequest = order) =>
    sdk.requestWithdrawal({ ...app, headers: { "idempotency-key": key }, body });
  const stores = await sdk.listStores(app);
  const begun = await ask("hey-api-1");
  const repeated = await ask("hey-api-1");
  const transaction_id = begun.data.transaction_id;
  const path = { id: transaction_id };
  const seen = await sdk.getTransaction({ ...till, query: { id: transaction_id } });
  const confirm = { transaction_id, transaction_id_partner: "hey-api-1" };
  const confirmed = await sdk.confirmTransaction({ ...till, body: confirm });
  const approved = await sdk.resolveSca({ ...app, path, body: { outcome: "approved" } });
  const settled = await sdk.getWithdrawal({ ...app, path, query: { wait: 20, status: "settling" } });
  const linked = await sdk.linkTransaction({ ...till, body: { transaction_id } });
  const history = await sdk.getTransactionEvents({ ...app, path });
  const report = await sdk.getReconciliation(app);
  const csv = await sdk.getReconciliationCsv(app);

  const headers = { "idempotency-key": "hey-api-2" };
  const lenient = { ...app, throwOnError: false as const, headers };
  // @ts-expect-error: an amount is a decimal string, never a number
  const refused = await sdk.requestWithdrawal({ ...lenient, body: { ...order, amount: 900 } });
  // @ts-expect-error: codes are a closed list
  if (refused.error?.code === "no_such_code") throw new Error("not in the list");
  const tooMuch = await sdk.requestWithdrawal({ ...lenient, body: { ...order, amount: "900.00" } });
  if (!tooMuch.error) throw new Error("900.00 was granted");

  const instant = await ask("hey-api-4", { ...order, amount: "50.08" });
  const paid = { id: instant.data.transaction_id };
  const kept = { transaction_id: paid.id, transaction_id_partner: "hey-api-4" };
  await sdk.confirmTransaction({ ...till, body: kept });
  await sdk.getWithdrawal({ ...app, path: paid, query: { wait: 20, status: "settling" } });
  const undelivered = await sdk.declareUndelivered({ ...till, path: paid, body: { reason: "till_short" } });
  const second = await ask("hey-api-5");
  const rejected = await sdk.rejectTransaction({ ...till, body: { transaction_id: second.data.transaction_id } });
  const third = await ask("hey-api-6");
  const canceled = await sdk.cancelWithdrawal({ ...app, path: { id: third.data.transaction_id } });
  const page = await sdk.partnerCheckin({ ...app, body: checkin });
  const user = await sdk.createUser({ ...app, body: { id: "user-of-hey-api" } });

  return {
    id: transaction_id,
    stores: stores.data.stores.map(({ store }) => store),
    repeatedId: repeated.data.transaction_id,
    statuses: [seen, confirmed, approved, settled, linked].map(({ data }) => data.status),
    history: history.data.events.map(({ to }) => to),
    finding: report.data.lines.find((line) => line.transaction_id === transaction_id)?.finding,
    csvHeader: csv.data.split("\r\n")[0],
    refusal: { code: tooMuch.error.code, largest: tooMuch.error.limits?.amount_max },
    undelivered: undelivered.data.status,
    rejected: rejected.data.status,
    canceled: canceled.data.status,
    destination: page.data.destination_url ?? null,
    user: user.data.id,
  };
};
