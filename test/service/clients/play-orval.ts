/** The whole flow with the functions that orval made, over the global fetch. */
import * as api from "./generated/orval/client.ts";
import { bank, checkin, order, type Played, terminal } from "./played.ts";

/** The body of a success; a refusal is told apart by its status, which the types know. */
const must = async <Reply extends { status: number; data: unknown }>(
  reply: Promise<Reply>,
): Promise<Extract<Reply, { status: 200 | 201 }>["data"]> => {
  const { status, data } = await reply;
  if (status !== 200 && status !== 201) throw new Error(JSON.stringify(data));
  return data;
};

const signedIn = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

/** Plays bank and terminal at the address that the client was made for; what it saw is compared by the test. */
export const play = async (): Promise<Played> => {
  const app = signedIn((await must(api.getToken(bank))).access_token);
  const till = signedIn((await must(api.authorize(terminal))).access_token);

  const ask = (key: string, body: api.WithdrawalRequest = order) =>
    api.requestWithdrawal(body, { "idempotency-key": key }, app);
  const { stores } = await must(api.listStores({}, app));
  const begun = await must(ask("orval-1"));
  const repeated = await must(ask("orval-1"));
  const transaction_id = begun.transaction_id;
  const seen = await must(api.getTransaction({ id: transaction_id }, till));
  const confirm = { transaction_id, transaction_id_partner: "orval-1" };
  const confirmed = await must(api.confirmTransaction(confirm, till));
  const approved = await must(api.resolveSca(transaction_id, { outcome: "approved" }, app));
  const settled = await must(api.getWithdrawal(transaction_id, { wait: 20, status: "settling" }, app));
  const linked = await must(api.linkTransaction({ transaction_id }, till));
  const history = await must(api.getTransactionEvents(transaction_id, app));
  const report = await must(api.getReconciliation({}, app));
  const csv = await must(api.getReconciliationCsv({}, app));

  // @ts-expect-error: an amount is a decimal string, never a number
  const refused = await ask("orval-2", { ...order, amount: 900 });
  // @ts-expect-error: codes are a closed list
  if (refused.status === 400 && refused.data.code === "no_such_code") throw new Error("not in the list");
  const tooMuch = await ask("orval-3", { ...order, amount: "900.00" });
  if (tooMuch.status === 201) throw new Error("900.00 was granted");

  const instant = await must(ask("orval-4", { ...order, amount: "50.08" }));
  const kept = { transaction_id: instant.transaction_id, transaction_id_partner: "orval-4" };
  await must(api.confirmTransaction(kept, till));
  await must(api.getWithdrawal(kept.transaction_id, { wait: 20, status: "settling" }, app));
  const undelivered = await must(api.declareUndelivered(kept.transaction_id, { reason: "till_short" }, till));
  const second = await must(ask("orval-5"));
  const rejected = await must(api.rejectTransaction({ transaction_id: second.transaction_id }, till));
  const third = await must(ask("orval-6"));
  const canceled = await must(api.cancelWithdrawal(third.transaction_id, app));
  const page = await must(api.partnerCheckin(checkin, app));
  const user = await must(api.createUser({ id: "user-of-orval" }, {}, app));

  return {
    id: transaction_id,
    stores: stores.map(({ store }) => store),
    repeatedId: repeated.transaction_id,
    statuses: [seen, confirmed, approved, settled, linked].map(({ status }) => status),
    history: history.events.map(({ to }) => to),
    finding: report.lines.find((line) => line.transaction_id === transaction_id)?.finding,
    csvHeader: csv.split("\r\n")[0],
    refusal: { code: tooMuch.data.code, largest: tooMuch.data.limits?.amount_max },
    undelivered: undelivered.status,
    rejected: rejected.status,
    canceled: canceled.status,
    destination: page.destination_url ?? null,
    user: user.id,
  };
};
