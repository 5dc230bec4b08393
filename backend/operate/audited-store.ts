/** A store for one command: its first write also appends the command to the audit, in the same commit. */
import { createHmac } from "node:crypto";
import { userInfo } from "node:os";
import { appendAudit } from "../access/audit.ts";
import type { ServiceKeys } from "../access/secrets.ts";
import type { Clock } from "../ports.ts";
import type { Store } from "../store/store.ts";

interface Invocation {
  /** `partners set`. */
  readonly name: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  readonly actor: string;
}

/** The operator's name as the system has it; under sudo both names. */
export const operatorName = (): string => {
  const username = systemUser();
  const behind = process.env.SUDO_USER;
  return behind === undefined ? `operator ${username}` : `operator ${behind} as ${username}`;
};

/** A user's id stays out of the audit, which is never erased: the same user shows as the same digest. */
const objectOf = (name: string, words: readonly string[], { audit }: ServiceKeys): string => {
  const [owner = "", user] = words;
  if (!name.startsWith("users ") || user === undefined) return words.join(" ");
  return `${owner} user ${createHmac("sha256", audit).update(user.toLowerCase()).digest("hex").slice(0, 16)}`;
};

/** Records the command's words and flags: no command takes a secret in either. */
export const auditedStore = (
  store: Store,
  keys: ServiceKeys,
  clock: Clock,
  { name, words, flags, actor }: Invocation,
): Store => {
  let isWritten = false;
  const detail = Object.entries(flags).map(([flag, value]) => `--${flag} ${value}`);
  const what = {
    event: name,
    actor,
    address: null,
    object: objectOf(name, words, keys),
    detail: detail.length === 0 ? null : detail.join(" "),
  };
  return {
    ...store,
    async write(unit, about) {
      if (isWritten) return store.write(unit, about);
      const result = await store.write(async (tx) => {
        const inner = await unit(tx);
        // Refused: nothing was changed, and nobody shall read that it was.
        if (inner === null || inner === false) return inner;
        await appendAudit(tx, keys, clock.now(), what);
        return inner;
      });
      isWritten = result !== null && result !== false;
      return result;
    },
  };
};

/** Whose account runs this, as the system knows it; a container's user often has a number alone. */
export const systemUser = (name = (): string => userInfo().username, number = process.getuid?.()): string => {
  try {
    return name();
  } catch {
    return `user ${number ?? "unknown"}`;
  }
};
