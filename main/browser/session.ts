/**
 * Who may use the till over loopback: one-time entry tokens, exchanged for a cookie. The key is kept beside the journal
 * (mode 0600), so that an open page goes on by itself after the host was started again.
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";

const entryLifetimeMs = 15 * 60_000;
const entriesMax = 20;
const keyBytes = 32;

export interface Sessions {
  /** A new token for one entry within 15 minutes. */
  issueEntry(): string;
  /** Spends a token: the cookie's value, or null when it is unknown, spent or too old. */
  enter(token: string): string | null;
  /** Whether this cookie's value was handed out by this till. */
  isOpen(cookie: string | undefined): boolean;
}

function loadKey(file: string): Buffer {
  try {
    const kept = readFileSync(file);
    if (kept.length === keyBytes) return kept;
  } catch {
    // Missing on the first start; unreadable means that every open page has to enter again.
  }
  const key = randomBytes(keyBytes);
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

/** `keyFile` is created when absent; `monotonicMs` is a clock that never jumps. */
export function openSessions(keyFile: string, monotonicMs: () => number): Sessions {
  const key = loadKey(keyFile);
  const entries = new Map<string, number>();
  const sign = (id: string): string => createHmac("sha256", key).update(id).digest("base64url");

  return {
    issueEntry() {
      const oldest = entries.size >= entriesMax ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const token = randomBytes(keyBytes).toString("base64url");
      entries.set(token, monotonicMs() + entryLifetimeMs);
      return token;
    },
    enter(token) {
      const until = entries.get(token);
      entries.delete(token);
      if (until === undefined || until < monotonicMs()) return null;
      const id = randomBytes(16).toString("base64url");
      return `${id}.${sign(id)}`;
    },
    isOpen(cookie) {
      const [id, signature, ...rest] = cookie?.split(".") ?? [];
      if (!id || !signature || rest.length > 0) return false;
      const wanted = Buffer.from(sign(id));
      const given = Buffer.from(signature);
      return wanted.length === given.length && timingSafeEqual(wanted, given);
    },
  };
}
