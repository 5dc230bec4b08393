/** The whole flow with openapi-fetch, over the types that openapi-typescript made. */
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi-typescript/schema.ts";
import { bank, checkin, order, type Played, terminal } from "./played.ts";

/** The body of a success, or the refusal as an error. */
const must = async <Data>(reply: Promise<{ data?: Data; error?: unknown }>): Promise<Data> => {
  const { data, error } = await reply;
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
};

const signedIn = (baseUrl: string, token: string) =>
  createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });

/** Plays bank and terminal at `baseUrl`; what it saw is compared by the test. */
export const play = async (baseUrl: string): Promise<Played> => {
  const anybody = createClient<paths>({ baseUrl });
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const grant = { ...bank, scope: "", device_type: "client" } as const;
  const bankToken = await must(anybody.POST("/oauth2/token", { body: grant, headers: form }));
  const tillToken = await must(anybody.POST("/oauth2/authorize", { body: terminal }));
  const [app, till] = [signedIn(baseUrl, bankToken.access_token), signedIn(baseUrl, tillToken.access_token)];

  const ask = (key: string, body: components["schemas"]["WithdrawalRequest"] = order) =>
    app.POST("/ext/v1/withdrawals", { params: { header: { "idempotency-key": key } }, body });
  const { stores } = await must(app.GET("/ext/v1/stores"));
  const begun = await must(ask("openapi-fetch-1"));
  const repeated = await must(ask("openapi-fetch-1"));
  const transaction_id = begun.transaction_id;
  const seen = await must(till.GET("/transaction", { params: { query: { id: transaction_id } } }));
  const confirm = { transaction_id, transaction_id_partner: "openapi-fetch-1" };
  const confirmed = await must(till.POST("/transaction/confirm", { body: confirm }));
  const path = { id: transaction_id };
  const approved = await must(
    app.POST("/ext/v1/withdrawals/{id}/sca", { params: { path }, body: { outcome: "approved" } }),
  );
  const held = { path, query: { wait: 20, status: "settling" } } as const;
  const settled = await must(app.GET("/ext/v1/withdrawals/{id}", { params: held }));
  const linked = await must(till.POST("/transaction/link", { body: { transaction_id } }));
  const history = await must(app.GET("/ext/v1/transactions/{id}/events", { params: { path } }));
  const report = await must(app.GET("/ext/v1/reconciliation"));
  const csv = await must(app.GET("/ext/v1/reconciliation.csv", { parseAs: "text" }));

  // @ts-expect-error: an amount is a decimal string, never a number
  const refused = await ask("openapi-fetch-2", { ...order, amount: 900 });
  // @ts-expect-error: codes are a closed list
  if (refused.error?.code === "no_such_code") throw new Error("not in the list");
  const tooMuch = await ask("openapi-fetch-3", { ...order, amount: "900.00" });
  if (!tooMuch.error) throw new Error("900.00 was granted");

  const instant = await must(ask("openapi-fetch-4", { ...order, amount: "50.08" }));
  const kept = { transaction_id: instant.transaction_id, transaction_id_partner: "openapi-fetch-4" };
  await must(till.POST("/transaction/confirm", { body: kept }));
  const paid = { id: instant.transaction_id };
  const waiting = { path: paid, query: { wait: 20, status: "settling" } } as const;
  await must(app.GET("/ext/v1/withdrawals/{id}", { params: waiting }));
  const undelivered = await must(
    till.POST("/ext/v1/transactions/{id}/undelivered", { params: { path: paid }, body: { reason: "till_short" } }),
  );
  const second = await must(ask("openapi-fetch-5"));
  const rejected = await must(till.POST("/transaction/reject", { body: { transaction_id: second.transaction_id } }));
  const third = await must(ask("openapi-fetch-6"));
  const canceled = await must(
    app.POST("/ext/v1/withdrawals/{id}/cancel", { params: { path: { id: third.transaction_id } } }),
  );
  const page = await must(app.POST("/api/v7/partnerCheckin", { body: checkin }));
  const user = await must(
    app.POST("/api/v2/users", { body: { id: "user-of-openapi-fetch", isAutoUpdateEnabled: false } }),
  );

  return {
    id: transaction_id,
    stores: stores.map(({ store }) => store),
    repeatedId: repeated.transaction_id,
    statuses: [seen, confirmed, approved, settled, linked].map(({ status }) => status),
    history: history.events.map(({ to }) => to),
    finding: report.lines.find((line) => line.transaction_id === transaction_id)?.finding,
    csvHeader: csv.split("\r\n")[0],
    refusal: { code: tooMuch.error.code, largest: tooMuch.error.limits?.amount_max },
    undelivered: undelivered.status,
    rejected: rejected.status,
    canceled: canceled.status,
    destination: page.destination_url ?? null,
    user: user.id,
  };
};
