/** `Authorization: Bearer …` (RFC 6750) to a session. Answers without a promise while the token is known. */
import { scopesOfKind } from "../access/credentials.ts";
import type { Session, Tokens } from "../access/tokens.ts";
import type { Client, Terminal } from "../context.ts";
import type { Scope } from "../contract/scopes.ts";
import { ServiceError } from "../service-error.ts";

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

const unauthenticated = (detail: string) => new ServiceError("unauthenticated", detail);

/** @throws ServiceError `unauthenticated`, or `insufficient_scope` when the token has none of `scopes`. */
export const authenticate = (
  tokens: Tokens,
  header: string | undefined,
  scopes: readonly Scope[],
): Session | Promise<Session> => {
  if (header === undefined) throw unauthenticated("The Authorization header is missing");
  const token = bearer.exec(header)?.[1];
  if (token === undefined) throw unauthenticated("The Authorization header is not of the form: Bearer <ACCESS_TOKEN>");
  const found = tokens.find(token);
  return found instanceof Promise ? found.then((session) => allow(session, scopes)) : allow(found, scopes);
};

const allow = (session: Session | null, scopes: readonly Scope[]): Session => {
  if (session === null) throw unauthenticated("The access token is unknown, expired or revoked");
  if (!session.scopes.some((scope) => scopes.includes(scope)))
    throw new ServiceError("insufficient_scope", lackOf(session, scopes));
  return session;
};

/** Names the scopes alone that a credential of this kind can have. */
const lackOf = ({ kind }: Session, scopes: readonly Scope[]): string => {
  const possible = scopes.filter((scope) => scopesOfKind[kind].includes(scope));
  if (possible.length === 0) return `This call is not for a ${kind}'s token`;
  return `This call needs the scope ${possible.join(" or ")}`;
};

/** @throws ServiceError `insufficient_scope` for a client's token. */
export const terminalOf = (session: Session, requestId?: string): Terminal => {
  if (session.kind !== "terminal") throw new ServiceError("insufficient_scope", "This call needs a terminal's token");
  return { merchantId: session.ownerId, deviceId: session.deviceId, requestId };
};

/** @throws ServiceError `insufficient_scope` for a terminal's token. */
export const clientOf = (session: Session, requestId?: string): Client => {
  if (session.kind !== "client") throw new ServiceError("insufficient_scope", "This call needs a client-level token");
  return { partnerId: session.ownerId, requestId };
};
