/** The office page's calls of the service's API, with the chain's token. */
import type { z } from "zod";
import type { storesReplySchema, withdrawalsReplySchema } from "../contract/client.ts";
import type { transactionEventsSchema } from "../contract/history.ts";
import type { storeTotalsSchema } from "../contract/reconciliation.ts";
import type { terminalsSchema } from "../contract/terminal.ts";

/** A page of withdrawals. */
export type Withdrawals = z.infer<typeof withdrawalsReplySchema>;
/** One withdrawal of a page. */
export type Withdrawal = Withdrawals["withdrawals"][number];
/** A page of terminals. */
export type Terminals = z.infer<typeof terminalsSchema>;
/** A page of the chain's shops. */
export type Stores = z.infer<typeof storesReplySchema>;
/** A withdrawal's history. */
export type Story = z.infer<typeof transactionEventsSchema>;
/** Totals of a period by shop. */
export type Day = z.infer<typeof storeTotalsSchema>;

/** A failure with a message for the user. */
export class ApiProblem extends Error {
  /** The token has ended, so the user must sign in again. */
  readonly isSignedOut: boolean;

  constructor(message: string, isSignedOut = false) {
    super(message);
    this.isSignedOut = isSignedOut;
  }
}

const unreachable = "The service does not answer. Check the connection and try again.";

const request = async (path: string, init: RequestInit): Promise<Response> => {
  // Relative to the page, so that a proxy may serve both under a path.
  const answer = await fetch(`../${path}`, { ...init, cache: "no-store", redirect: "error" }).catch(() => null);
  if (answer === null || answer.status === 502 || answer.status === 504) throw new ApiProblem(unreachable);
  return answer;
};

const wait = (answer: Response): string => {
  const seconds = Number(answer.headers.get("retry-after") ?? 1);
  return `Too many tries. Wait ${seconds} ${seconds === 1 ? "second" : "seconds"}, then try again.`;
};

/** Exchanges the chain's key for a token. @throws ApiProblem. */
export const signIn = async (chain: string, password: string): Promise<string> => {
  const body = { grant_type: "client_credentials", merchant_id: chain, device_id: "office", device_type: "chain" };
  const answer = await request("oauth2/authorize", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, password, scope: "" }),
  });
  if (answer.status === 429) throw new ApiProblem(wait(answer));
  if (answer.status === 400 || answer.status === 401)
    throw new ApiProblem("The name or the key is wrong. Ask whoever runs the service.");
  if (!answer.ok) throw new ApiProblem(unreachable);
  const { access_token } = (await answer.json()) as { access_token: string };
  return access_token;
};

/** Makes a GET call; parameters without a value are left out. @throws ApiProblem. */
export const read = async (
  token: string,
  path: string,
  query: Readonly<Record<string, string | null | undefined>> = {},
) => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
  const answer = await request(`ext/v1/${path}${search}`, { headers: { authorization: `Bearer ${token}` } });
  if (answer.status === 401) throw new ApiProblem("Your sign-in has ended. Sign in again.", true);
  if (answer.status === 429) throw new ApiProblem(wait(answer));
  if (answer.status === 404) throw new ApiProblem("There is no such withdrawal in your shops.");
  if (answer.status === 400) throw new ApiProblem("The service does not take this. Check the shop and the days.");
  if (!answer.ok) throw new ApiProblem(answer.status === 403 ? "This key may not read that." : unreachable);
  return answer;
};

/** As `read`, parsed as JSON. */
export const readJson = async <T>(...call: Parameters<typeof read>): Promise<T> => {
  const answer = await read(...call);
  return (await answer.json().catch(() => {
    throw new ApiProblem(unreachable);
  })) as T;
};
