/** Calls of the API for the bench: signed in as the demo till and the demo bank. */
import { Connection, type Reply, requestBytes } from "./load.ts";

/** Access tokens of the demo shop's terminal and of the demo bank. */
export interface Signed {
  readonly till: string;
  readonly bank: string;
}

const signIn = async (connection: Connection, fields: Record<string, string>): Promise<string> => {
  const body = { grant_type: "client_credentials", scope: "", ...fields };
  const reply = await connection.send(requestBytes("POST", "/oauth2/authorize", null, body));
  return (JSON.parse(reply.text) as { access_token: string }).access_token;
};

/** Fetches both tokens from the service on a port of this machine. */
export const signInAll = async (port: number): Promise<Signed> => {
  const connection = new Connection(port);
  const till = { merchant_id: "demo-shop", device_id: "till-1", device_type: "terminal", password: "till-secret" };
  const bank = { merchant_id: "demo-bank", device_id: "server-1", device_type: "client", password: "bank-secret" };
  const signed = { till: await signIn(connection, till), bank: await signIn(connection, bank) };
  connection.close();
  return signed;
};

let keys = 0;

/** The answer; throws for another status. */
export const expectStatus = (reply: Reply, status: number): { transaction_id: string; status: string } => {
  if (reply.status !== status) throw new Error(`${reply.status} instead of ${status}: ${reply.text}`);
  return JSON.parse(reply.text);
};

/** `ready`. */
export const placeOrder = async (connection: Connection, { bank }: Signed, scaRequired: boolean): Promise<string> => {
  const body = { user_id: "u", amount: "50.00", currency: "EUR", store: "demo-shop", sca_required: scaRequired };
  const headers = { "Idempotency-Key": `bench-${process.pid}-${keys++}` };
  const bytes = requestBytes("POST", "/ext/v1/withdrawals", bank, body, headers);
  return expectStatus(await connection.send(bytes), 201).transaction_id;
};

/** At least `count` of them, made over several connections at once. */
export const placeOrders = async (
  connections: readonly Connection[],
  signed: Signed,
  count: number,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  await Promise.all(
    connections.map(async (connection) => {
      while (ids.length < count) ids.push(await placeOrder(connection, signed, true));
    }),
  );
  return ids;
};

/** Confirms under the withdrawal's own id as the terminal's id. Throws unless it is answered 201. */
export const confirm = async (connection: Connection, { till }: Signed, id: string): Promise<void> => {
  const body = { transaction_id: id, transaction_id_partner: id };
  expectStatus(await connection.send(requestBytes("POST", "/transaction/confirm", till, body)), 201);
};

/** Create, get, confirm, Settle order answered, link: five calls of ours and two to the bank. */
export const wholeWithdrawal = async (connection: Connection, signed: Signed): Promise<void> => {
  const id = await placeOrder(connection, signed, false);
  expectStatus(await connection.send(requestBytes("GET", `/transaction?id=${id}`, signed.till)), 200);
  await confirm(connection, signed, id);
  const wait = requestBytes("GET", `/transaction?id=${id}&wait=25&status=settling`, signed.till);
  const { status } = expectStatus(await connection.send(wait), 200);
  if (status !== "settled") throw new Error(`${id} is ${status}`);
  expectStatus(
    await connection.send(requestBytes("POST", "/transaction/link", signed.till, { transaction_id: id })),
    201,
  );
};
