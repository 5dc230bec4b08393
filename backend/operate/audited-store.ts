/** Audits operators' commands: a store whose first write also appends the command, and the log of what was appended. */
import { createHmac } from "node:crypto";
import { userInfo } from "node:os";
import { appendAudit, auditPage } from "../access/audit.ts";
import type { ServiceKeys } from "../access/secrets.ts";
import { type Repeated, watch } from "../background.ts";
import type { Service } from "../context.ts";
import type { Clock, Log } from "../ports.ts";
import { setSetting, settingByName } from "../store/settings.ts";
import type { Store } from "../store/store.ts";
import { foldedId } from "../store/user-key.ts";

interface Invocation {
  /** `partners set`. */
  readonly name: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
  readonly actor: string;
}

/** The operator's system user; under sudo both names. */
export const operatorName = (): string => {
  const username = systemUser();
  const behind = process.env.SUDO_USER;
  return behind === undefined ? `operator ${username}` : `operator ${behind} as ${username}`;
};

/** Replaces a user's id by a digest, since the audit is never erased. */
const objectOf = (name: string, words: readonly string[], { audit }: ServiceKeys): string => {
  const [owner = "", user] = words;
  if (!name.startsWith("users ") || user === undefined) return words.join(" ");
  return `${owner} user ${createHmac("sha256", audit).update(foldedId(user)).digest("hex").slice(0, 16)}`;
};

/** A store that audits the command with its words and flags, none of which is ever a secret. */
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
        // The unit refused and changed nothing, so nothing is audited.
        if (inner === null || inner === false) return inner;
        await appendAudit(tx, keys, clock.now(), what);
        return inner;
      });
      isWritten = result !== null && result !== false;
      return result;
    },
  };
};

/** Number of the newest audit entry that was logged. */
const loggedSetting = "audit_logged";
const lookEveryMs = 5_000;
const entriesPerLookMax = 1_000;

/** Logs what operators' commands have written into the audit, in one process of a fleet: a restored database may have lost it. */
export const watchCommands = (service: Pick<Service, "store" | "clock" | "log" | "owns">): Repeated => {
  /** What this process has logged up to: whoever writes the database could say there that it was more. */
  let logged = Number.POSITIVE_INFINITY;
  return watch(service, lookEveryMs, "the audit could not be read and will be again", async () => {
    const isOurs = service.owns("audit log");
    logged = isOurs ? await logCommands(service.store, service.log, logged) : Number.POSITIVE_INFINITY;
  });
};

/** @returns the number of the last entry that was logged. */
const logCommands = async (store: Store, log: Log, logged: number): Promise<number> => {
  const { after, entries } = await store.read(async (tx) => {
    const after = Math.min(logged, Number((await tx.first(settingByName({ name: loggedSetting })))?.value ?? 0));
    const page = auditPage({ after, from: 0, until: Number.MAX_SAFE_INTEGER, limit: entriesPerLookMax });
    return { after, entries: await tx.all(page) };
  });
  for (const { seq, event, actor, object, detail } of entries)
    if (actor.startsWith("operator ")) log.info({ entry: seq, event, actor, object, detail }, "audit");
  const newest = entries.at(-1);
  if (newest) await store.write((tx) => tx.run(setSetting({ name: loggedSetting, value: String(newest.seq) })));
  return newest?.seq ?? after;
};

/** The account that runs this; a container's user may have a number only. */
export const systemUser = (name = (): string => userInfo().username, number = process.getuid?.()): string => {
  try {
    return name();
  } catch {
    return `user ${number ?? "unknown"}`;
  }
};
