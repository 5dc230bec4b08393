/** The operator's commands. They work beside a running service, on the same database. */
import { existsSync } from "node:fs";
import { loadOrCreateServiceKey, serviceKeyFile, serviceKeysFrom } from "../access/secrets.ts";
import { elapsedMs, systemClock, systemRandom } from "../adapters.ts";
import { finishCutOffRestore } from "../backups/restore.ts";
import { type CommandSettings, parseCommandSettings } from "../config.ts";
import { createKeyCipher } from "../partner/keys.ts";
import type { Clock } from "../ports.ts";
import { createDatabaseClock, type DatabaseClock } from "../store/database-clock.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { openStore } from "../store/open.ts";
import { applyPendingRestore } from "../withdrawals/apply-restore.ts";
import { endUncertain } from "../withdrawals/end-future.ts";
import { type CommandLine, UsageError } from "./arguments.ts";
import { auditedStore, operatorName } from "./audited-store.ts";
import { restoreBackup, showRestored } from "./backups.ts";
import { commands } from "./commands.ts";
import type { CommandOutput } from "./context.ts";
import { refuseUnread } from "./shapes.ts";

type FileCommand = (database: DatabaseAddress, words: readonly string[]) => Promise<CommandOutput[number]>;

/** On a database that nobody has open: there may be none yet, or one that cannot be opened. */
const fileCommands: Readonly<Record<string, FileCommand>> = { restore: restoreBackup };

/** Whether what is chained would be chained under the installation's own key: on a machine that is being set up it may come later. */
const hasServiceKey = ({ serviceKey, database }: Pick<CommandSettings, "serviceKey" | "database">): boolean =>
  serviceKey !== null || (database.kind === "sqlite" && existsSync(serviceKeyFile(database.path)));

/** Names what there is instead: the commands of the same group, or all groups. */
const unknownCommand = (words: readonly string[]): string => {
  const names = [...Object.keys(commands), ...Object.keys(fileCommands)];
  const ofGroup = names.filter((name) => name.startsWith(`${words[0]} `));
  if (ofGroup.length === 0)
    return `there is no command "${words.slice(0, 2).join(" ")}"; there are ${[...new Set(names.map((name) => name.split(" ")[0]))].join(", ")}`;
  const complaint =
    words.length === 1 ? `"${words[0]}" needs one word more` : `there is no command "${words[0]} ${words[1]}"`;
  return `${complaint}; there are: ${ofGroup.join(", ")}`;
};

/**
 * What a command changes is in the audit, in the same commit.
 * @param machine this machine's clock; on PostgreSQL the database's time counts, as in the service.
 * @throws UsageError, ServiceError or StoreRefused, each with a sentence for the person at the keyboard.
 */
export const manage = async (
  { words, settings, flags }: CommandLine,
  machine: Clock = systemClock,
): Promise<CommandOutput> => {
  const name = words.slice(0, 2).join(" ");
  const [command, fileCommand] = [commands[name], fileCommands[words[0] ?? ""]];
  if (command === undefined && fileCommand === undefined) throw new UsageError(unknownCommand(words));
  if (command !== undefined) refuseUnread(name, words.slice(2), flags);
  const parsed = parseCommandSettings(settings);
  if ("problems" in parsed) throw new UsageError(parsed.problems.join("\n"));
  const done = await fileCommand?.(parsed.database, words.slice(1));
  if (done !== undefined && !hasServiceKey(parsed)) return [{ ...done, ended: "when the service starts" }];
  await finishCutOffRestore(parsed.database, false);
  const store = await openStore(parsed.databaseUrl, machine);
  let shared: DatabaseClock | null = null;
  try {
    const root = parsed.serviceKey ?? (await loadOrCreateServiceKey(store, parsed.database, systemRandom));
    const keys = serviceKeysFrom(root, parsed.serviceKey !== null);
    const endAll = (now: number) => endUncertain({ keys }, now);
    if (store.dialect === "postgres") shared = await createDatabaseClock(store, machine, elapsedMs, endAll);
    const [checked, clock] = [shared?.checkedStore ?? store, shared ?? machine];
    const restored = await applyPendingRestore({ store: checked, clock, keys });
    if (command === undefined) return [{ ...done, ...(restored === null ? {} : showRestored(restored)) }];
    const keyCipher = createKeyCipher(keys.encryption, systemRandom);
    const audited = auditedStore(checked, keys, clock, {
      name,
      words: words.slice(2),
      flags,
      actor: operatorName(),
    });
    const on = {
      store: audited,
      clock,
      random: systemRandom,
      keys,
      isKeyGiven: parsed.serviceKey !== null,
      publicUrl: parsed.publicUrl,
      database: parsed.database,
      backups: parsed.backups,
      partner: parsed.partner,
      partnerSecret: parsed.partnerSecret,
      proxy: parsed.proxy,
      keyCipher,
    };
    return await command(on, words.slice(2), flags);
  } finally {
    shared?.stop();
    await store.close();
  }
};

/** Columns side by side, as a person reads them. */
export const table = (rows: CommandOutput): string => {
  const columns = Object.keys(rows[0] ?? {});
  // Some of it was chosen by strangers: nothing of it may steer the operator's screen.
  const cell = (row: CommandOutput[number], column: string) => String(row[column] ?? "-").replace(/\p{C}/gu, "?");
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => cell(row, column).length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(columns), ...rows.map((row) => line(columns.map((column) => cell(row, column))))].join("\n");
};
