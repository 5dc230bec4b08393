/**
 * Who may use the terminal over loopback: one-time entry tokens, exchanged for a session that the page sends in a header. All of it
 * is in memory and ends with this program: whoever takes its port afterwards is sent a session that opens nothing any more.
 */
import { createHmac, randomBytes } from "node:crypto";

const entryLifetimeMs = 15 * 60_000;
const entriesMax = 20;
const secretBytes = 32;
/** However much it is used: then the page has to come in again. */
const longestMs = 7 * 24 * 60 * 60_000;
/** After the last use. Long enough for a terminal that sleeps over a long weekend. */
const sessionLifetimeMs = 96 * 60 * 60_000;

/** One-time entry tokens and the sessions that they are exchanged for. */
export type Sessions = ReturnType<typeof openSessions>;

const newSecret = (): string => randomBytes(secretBytes).toString("base64url");

/** @param nowMs never jumps, and counts the time that the machine sleeps. */
export const openSessions = (nowMs: () => number) => {
  const hostKey = newSecret();
  const entries = new Map<string, number>();
  const sessions = new Map<string, { readonly endsAtMs: number; idleAtMs: number }>();

  return {
    /** By what a page knows this program again: given at the entry, and the same until the program ends. */
    hostKey,
    /** A new token for one entry within 15 minutes. */
    issueEntry(): string {
      const oldest = entries.size >= entriesMax ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const token = newSecret();
      entries.set(token, nowMs() + entryLifetimeMs);
      return token;
    },
    /** Spends a token: the session, or null when it is unknown, spent or too old. */
    redeemEntry(token: string): string | null {
      const until = entries.get(token);
      entries.delete(token);
      const now = nowMs();
      if (until === undefined || until < now) return null;
      const session = newSecret();
      sessions.set(session, { endsAtMs: now + longestMs, idleAtMs: now + sessionLifetimeMs });
      return session;
    },
    /** Whether this session was handed out by this program, was used within the last four days and began within seven; it counts as used now. */
    isOpen(session: string): boolean {
      const [found, now] = [sessions.get(session), nowMs()];
      if (found === undefined) return false;
      if (now >= Math.min(found.endsAtMs, found.idleAtMs)) {
        sessions.delete(session);
        return false;
      }
      found.idleAtMs = now + sessionLifetimeMs;
      return true;
    },
    /** The answer to a page's challenge: only who has `hostKey` can give it, and it is good for this `Host` alone. */
    prove: (challenge: string, host: string): string =>
      createHmac("sha256", hostKey).update(`${challenge} ${host}`).digest("hex"),
    /** No session and no entry token that was ever given works any more. */
    endAll(): void {
      sessions.clear();
      entries.clear();
    },
  };
};
