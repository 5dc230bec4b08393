/** The bank's server as a client of the real service: signs in when it has to, then calls; null for silence. */
import { type BankCredential, grantOf } from "../bank-credential.ts";
import type { BankCall } from "../customer.ts";

const timeoutMs = 20_000;

/** `onApproval` is called before an approval leaves. */
export const createBankCaller = (
  url: () => string,
  credential: BankCredential,
  onApproval: (transactionId: string) => void,
): BankCall => {
  let token: string | null = null;
  const post = async (path: string, body: unknown, headers: Record<string, string>) => {
    try {
      const answer = await fetch(url() + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: answer.status, body: (await answer.json()) as unknown };
    } catch {
      return null;
    }
  };
  return async (_scope, path, body, idempotencyKey) => {
    if (token === null) {
      const signedIn = await post("/oauth2/authorize", grantOf(credential), {});
      if (signedIn?.status !== 201) return null;
      token = (signedIn.body as { access_token: string }).access_token;
    }
    const approved = /^\/ext\/v1\/withdrawals\/(\w+)\/sca$/.exec(path)?.[1];
    if (approved && (body as { outcome: string }).outcome === "approved") onApproval(approved);
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const answer = await post(path, body, headers);
    if (answer?.status === 401) token = null;
    return answer;
  };
};
