/**
 * Who may use the terminal over loopback: one-time entry tokens, exchanged for a signed session that the page sends in a
 * header. The key is kept beside the journal (mode 0600), so that an open page goes on by itself after the host was started
 * again. It does not keep out who can read this user's files.
 */
import { createHmac, randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isSame } from "../host/same-secret.ts";

const entryLifetimeMs = 15 * 60_000;
const entriesMax = 20;
const keyBytes = 32;
/** However much it is used: then the page has to come in again. */
const longestMs = 7 * 24 * 60 * 60_000;
/** After the last use. Long enough for a terminal that sleeps over a long weekend. */
const sessionLifetimeMs = 96 * 60 * 60_000;
const renewAfterMs = 60 * 60_000;

/** One-time entry tokens and the sessions that they are exchanged for. */
export interface Sessions {
  /** A new token for one entry within 15 minutes. */
  issueEntry(): string;
  /** Spends a token: the session, or null when it is unknown, spent or too old. */
  redeemEntry(token: string): string | null;
  /** Whether this session was handed out by this terminal, and used within the last four days. */
  isOpen(session: string): boolean;
  /** What an open session is to be replaced with; null while it is younger than an hour. */
  renew(session: string): string | null;
  /** No session and no entry token that was ever given works any more. */
  endAll(): void;
}

/** The two clocks of a session, both in milliseconds. */
export interface Clocks {
  /** Never jumps. */
  readonly monotonicMs: () => number;
  /** Goes on while the host is stopped. */
  readonly wallMs: () => number;
}

function loadKey(file: string): Buffer {
  try {
    const kept = readFileSync(file);
    if (kept.length === keyBytes) return kept;
  } catch {
    // Missing on the first start; unreadable means that every open page has to enter again.
  }
  const key = randomBytes(keyBytes);
  try {
    writeFileSync(file, key, { mode: 0o600 });
  } catch {
    // A full disk: open pages have to enter again after the next start.
  }
  return key;
}

const idOf = (session: string): string => session.slice(0, session.indexOf("."));

/** NaN for one of an earlier version, which did not say: such a one has ended. */
const beganMs = (id: string): number => Number.parseInt(id.split("~")[1] ?? "", 36);

/** `keyFile` is created when absent. */
export function openSessions(keyFile: string, { monotonicMs, wallMs }: Clocks): Sessions {
  let key = loadKey(keyFile);
  const entries = new Map<string, number>();
  const sign = (text: string): string => createHmac("sha256", key).update(text).digest("base64url");
  /** @param id a random part, and when the page came in. */
  const sessionFor = (id: string): string => {
    const untilMs = Math.min(wallMs() + sessionLifetimeMs, beganMs(id) + longestMs);
    const text = `${id}.${untilMs.toString(36)}`;
    return `${text}.${sign(text)}`;
  };
  /** When it ends, or null when it was not handed out here. */
  const endOf = (session: string): number | null => {
    const signatureAt = session.lastIndexOf(".");
    const text = session.slice(0, signatureAt);
    if (!isSame(session.slice(signatureAt + 1), sign(text))) return null;
    const untilMs = Number.parseInt(text.slice(text.indexOf(".") + 1), 36);
    return Math.min(untilMs, beganMs(idOf(text)) + longestMs);
  };

  return {
    issueEntry() {
      const oldest = entries.size >= entriesMax ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const token = randomBytes(keyBytes).toString("base64url");
      entries.set(token, monotonicMs() + entryLifetimeMs);
      return token;
    },
    redeemEntry(token) {
      const until = entries.get(token);
      entries.delete(token);
      return until === undefined || until < monotonicMs()
        ? null
        : sessionFor(`${randomBytes(16).toString("base64url")}~${wallMs().toString(36)}`);
    },
    isOpen(session) {
      const until = endOf(session);
      return until !== null && wallMs() < until;
    },
    renew(session) {
      const until = endOf(session);
      const id = idOf(session);
      const isLast = until === beganMs(id) + longestMs;
      const isYoung = until === null || isLast || until - wallMs() > sessionLifetimeMs - renewAfterMs;
      return isYoung ? null : sessionFor(id);
    },
    endAll() {
      rmSync(keyFile, { force: true });
      key = loadKey(keyFile);
      entries.clear();
    },
  };
}
