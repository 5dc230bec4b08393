/** Runs the operator's commands on the database that the settings name. */
import { existsSync } from "node:fs";
import { serviceKeyFile } from "../access/secrets.ts";
import { systemClock, systemRandom } from "../adapters.ts";
import { parseCommandSettings } from "../config.ts";
import type { Clock } from "../ports.ts";
import { prepareDatabase } from "../prepare-database.ts";
import type { DatabaseAddress } from "../store/database-url.ts";
import { openStore } from "../store/open.ts";
import { lockForService } from "../store/service-lock.ts";
import { isOlderFile } from "../store/starts.ts";
import { type CommandLine, shapes, UsageError } from "./arguments.ts";
import { auditedStore, operatorName } from "./audited-store.ts";
import { restoreBackup, showRestored } from "./backups.ts";
import { commands } from "./commands.ts";
import type { CommandOutput } from "./context.ts";
import { finishCutOffRestore } from "./restore.ts";

/** @throws UsageError for a word or flag that the command does not take. */
const refuseUnread = (name: string, words: readonly string[], flags: Readonly<Record<string, string>>): void => {
  const { words: most, flags: known = [] } = shapes[name] ?? { words: 0 };
  const unread = Object.keys(flags).filter((flag) => !known.includes(flag));
  const spelt = (each: readonly string[]) => each.map((flag) => `--${flag}`).join(", ");
  if (unread.length > 0)
    throw new UsageError(
      `"${name}" does not take ${spelt(unread)}; it takes ${known.length === 0 ? "no flags" : spelt(known)}`,
      unread,
    );
  const extra = words[most];
  if (extra !== undefined)
    throw new UsageError(`"${extra}" is one word too many for "${name}"; put a text with spaces into quotation marks`);
};

/** Whether the installation's own key is there; while a machine is being set up it may be missing. */
const hasServiceKey = (serviceKey: string | null, database: DatabaseAddress): boolean =>
  serviceKey !== null || (database.kind === "sqlite" && existsSync(serviceKeyFile(database.path)));

/** Commands allowed before the service's first start. */
const setUp = ["merchants add", "merchants import", "partners add"];

/** @throws UsageError for a missing database: a new, empty one would tell the other commands that all is well. */
const refuseMissing = (name: string, database: DatabaseAddress): void => {
  if (database.kind !== "sqlite" || database.path === ":memory:" || existsSync(database.path)) return;
  if (!setUp.includes(name))
    throw new UsageError(
      `there is no database ${database.path}: start the service, or name another one in DATABASE_URL`,
    );
};

const unknownCommand = (words: readonly string[]): string => {
  const names = [...Object.keys(commands), "restore", "migrate"];
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
  const command = commands[name];
  // On a closed database, which may be missing or damaged.
  const isRestore = words[0] === "restore";
  const isMigrate = name === "migrate";
  if (command === undefined && !isRestore && !isMigrate) throw new UsageError(unknownCommand(words));
  if (isRestore) refuseUnread("restore", words.slice(1), flags);
  else refuseUnread(name, words.slice(2), flags);
  const isKeyLost = name === "service-key rotate" && flags.lost !== undefined;
  const isRestoring = name === "restored" && flags.since !== undefined && flags.correct === undefined;
  const parsed = parseCommandSettings(settings);
  if ("problems" in parsed) throw new UsageError(parsed.problems.join("\n"));
  if (isMigrate) return migrate(parsed.database, machine, flags.plan !== undefined);
  const done = isRestore ? await restoreBackup(parsed, words.slice(1), flags, machine) : undefined;
  if (done !== undefined && !hasServiceKey(parsed.serviceKey, parsed.database))
    return [
      {
        ...done,
        ended: "when the service starts",
        next: "start the service: its log says which payments to compare with the banks",
      },
    ];
  await finishCutOffRestore(parsed.database, false);
  refuseMissing(name, parsed.database);
  using marking = new DisposableStack();
  // Until an older file is marked, another program would take what is written to it for the log of the newer one.
  if (parsed.database.kind === "sqlite" && isOlderFile(parsed.database.path))
    marking.adopt(lockForService(parsed.database.path), (lock) => lock.release());
  const opened = await openStore(parsed.databaseUrl, machine);
  let stopReadingTime = (): void => {};
  try {
    const prepared = await prepareDatabase(opened, parsed, machine, { isKeyLost, isRestoring });
    marking.dispose();
    stopReadingTime = prepared.stopReadingTime;
    const { restored, clock, keys, keyCipher } = prepared;
    if (command === undefined) return [{ ...done, ...(restored === null ? {} : showRestored(restored)) }];
    if (restored !== null)
      process.stderr.write(
        `the database is a copy that was put back: what was open in it is ended\n${table([showRestored(restored)])}\n`,
      );
    const invocation = { name, words: words.slice(2), flags, actor: operatorName() };
    const store = auditedStore(prepared.store, keys, clock, invocation);
    const { publicUrl, database, backups, partner, partnerSecret, proxy } = parsed;
    const given = { publicUrl, database, backups, partner, partnerSecret, proxy };
    const world = { store, clock, random: systemRandom, keys, keyCipher };
    return await command({ ...given, ...world }, words.slice(2), flags);
  } finally {
    stopReadingTime();
    await opened.close();
  }
};

/** `migrate`, for use before a rollout, as a service's start does not migrate PostgreSQL. Progress goes to stderr. */
const migrate = async (database: DatabaseAddress, clock: Clock, onlyPlan: boolean): Promise<CommandOutput> => {
  if (database.kind === "sqlite") return [{ nothing: "the service's start migrates an SQLite database by itself" }];
  const { migrateFleet } = await import("../store/postgres.ts");
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const steps = await migrateFleet(database, clock, { onlyPlan, report });
  return steps.map((step) => ({ step, state: onlyPlan ? "to do" : "done" }));
};

/** Longer rows are easier to read as a list. */
const lineMax = 160;

/** Formats rows as a table, or a single long row as a list. */
export const table = (rows: CommandOutput): string => {
  const columns = Object.keys(rows[0] ?? {});
  // Values may come from strangers, so control characters are removed.
  const cell = (row: CommandOutput[number], column: string) => String(row[column] ?? "-").replace(/\p{C}/gu, "?");
  const [only] = rows;
  if (
    only !== undefined &&
    rows.length === 1 &&
    columns.map((column) => cell(only, column)).join("  ").length > lineMax
  ) {
    const width = Math.max(...columns.map((column) => column.length));
    return columns.map((column) => `${column.padEnd(width)}  ${cell(only, column)}`).join("\n");
  }
  const widths = columns.map((column) => Math.max(column.length, ...rows.map((row) => cell(row, column).length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(columns), ...rows.map((row) => line(columns.map((column) => cell(row, column))))].join("\n");
};
