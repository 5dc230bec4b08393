/** Restores: when this database was replaced by a copy, and since when it may lack data. */

import { type Kysely, sql } from "kysely";
import { dayMs } from "../contract/times.ts";
import type { Database, RowOf } from "./schema.ts";
import { removeSetting, setSetting, settingByName } from "./settings.ts";
import { statement, type Tx } from "./store.ts";

/** The setting in a copy with the time when it was begun, epoch milliseconds. */
export const copiedAtSetting = "copied_at";
/** The setting in a restored copy that says from which file and by whom. */
export const restoredFromSetting = "restored_from";

/** An older copy that was served: banks may have been told otherwise since then, of what was requested until `knownUntil`. */
export type ToldSince = { readonly since: number; readonly knownUntil: number };

/** What the setting `restoredFromSetting` says. */
export interface RestoredFrom {
  /** The copy's file; null where only its time is known. */
  readonly copy?: string | null;
  /** The operator's name; null: unknown, as the service found the restore at its start. */
  readonly by?: string | null;
  /** The database had itself been restored from an older copy, or from several. */
  readonly told?: readonly ToldSince[];
  /** The database in place could not be read, so `told` may lack some. */
  readonly isUnread?: boolean;
}

/** Parses that setting; releases before wrote times alone in `told`, or one in `toldSince`. */
export const readRestoredFrom = (text = "{}"): RestoredFrom => {
  type Written = Omit<RestoredFrom, "told"> & {
    readonly told?: readonly (ToldSince | number)[];
    readonly toldSince?: number | null;
  };
  const { toldSince = null, told = toldSince === null ? [] : [toldSince], ...from } = JSON.parse(text) as Written;
  return { ...from, told: told.map((each) => (typeof each === "number" ? { since: each, knownUntil: each } : each)) };
};

/** What that setting says in a database that the command `restored` was about to end what is open in. */
export const leftToCommand = "{}";

/** The setting in a restored copy with the restores of the databases in whose place it came. */
export const restoresBeforeSetting = "restores_before";
/** The setting with the time of a restore that is being applied. */
const restoringAtSetting = "restoring_at";

/** The setting with what processes have found of their commits (`lost-commits.ts`). */
export const lookedSetting = "looked_for_commits";
/** The same for a statement that acts by it. */
export const lookedNow = sql<string | null>`(select value from settings where name = ${sql.lit(lookedSetting)})`.as(
  "looked",
);

/** The audit's event of a restore. */
export const restoredEvent = "database restored";
/** The audit's event of the correction of the newest restore's time. */
export const correctedEvent = "restore corrected";

/** How long terminals are asked to repeat their reports after a restore. */
const repeatsWithinMs = 90 * dayMs;

/** A row of `restores`. */
export type Restore = RowOf<"restores">;

/** A restore as later ones know it. `known_until`: the newest request in its copy, where that is after `forgot_since`, as a clock was wrong. */
export type PastRestore = Restore & { readonly known_until?: number };

/** What the setting `restoresBeforeSetting` says. */
export const readPastRestores = (text = "[]") => JSON.parse(text) as readonly PastRestore[];

const settingOf = async (tx: Tx, name: string) => (await tx.first(settingByName({ name })))?.value;

const pastRestores = async (tx: Tx) => readPastRestores(await settingOf(tx, restoresBeforeSetting));
const writePastRestores = (tx: Tx, all: readonly PastRestore[]) =>
  tx.run(setSetting({ name: restoresBeforeSetting, value: JSON.stringify(all) }));

/** Notes how far the copy of a restore knew, for the copy that comes in its place some day. */
export const keepKnownUntil = async (tx: Tx, restore: Required<PastRestore>): Promise<void> => {
  if (restore.known_until > restore.forgot_since) await writePastRestores(tx, [...(await pastRestores(tx)), restore]);
};

/** The same restore with its corrected times. Where nothing was noted, its copy knew of no request after the wrong one. */
export const correctPastRestore = async (tx: Tx, wrong: Restore, right: Restore): Promise<void> => {
  const all = await pastRestores(tx);
  const noted = all.find((each) => each.restored_at === wrong.restored_at);
  if (noted !== undefined)
    await writePastRestores(
      tx,
      all.filter((each) => each !== noted),
    );
  await keepKnownUntil(tx, { ...right, known_until: noted?.known_until ?? wrong.forgot_since });
};

/** Locks the mark of a copy until the commit; no row comes back where another process has applied the restore. */
export const holdMark = statement("restore_mark_hold", (db) =>
  db
    .updateTable("settings")
    .set({ value: sql<string>`value` })
    .where("name", "in", [copiedAtSetting, restoredFromSetting])
    .returning("name"),
);

/** Records a restore. */
export const insertRestore = statement("restore_insert", (db, p: Restore) =>
  db.insertInto("restores").values({ restored_at: p.restored_at, forgot_since: p.forgot_since }),
);

/** The newest restore. */
export const newestRestore = statement("restore_newest_row", (db) =>
  db.selectFrom("restores").select(["restored_at", "forgot_since"]).orderBy("restored_at", "desc").limit(1),
);

/** Restores lie so far apart that no status event after one has the number of an event before it (`eventSequenceAfterRestore`). */
const apartMs = 10_000;

/**
 * The time of a restore that is being applied, and when it goes on after an interruption no earlier one: later than all before it, also
 * of the databases in whose place the copy came, since a clock may have been wrong then.
 */
export const beginRestore = async (tx: Tx, now: number): Promise<number> => {
  const before = await pastRestores(tx);
  const all = [(await tx.first(newestRestore({})))?.restored_at ?? 0, ...before.map((each) => each.restored_at)];
  const at = Math.max(now, Number((await settingOf(tx, restoringAtSetting)) ?? 0), Math.max(...all) + apartMs);
  await tx.run(setSetting({ name: restoringAtSetting, value: String(at) }));
  return at;
};

/**
 * The time of the restore that is being applied, for a unit that goes on with it: another process that does so too waits for the commit.
 * Null: it has been applied, and what is open now came after it.
 */
export const restoreUnderWay = async (tx: Tx): Promise<number | null> => {
  const isMarked = (await tx.first(holdMark({}))) !== undefined;
  const at = isMarked ? await settingOf(tx, restoringAtSetting) : undefined;
  return at === undefined ? null : Number(at);
};

/** Forgets what `beginRestore` has noted. */
export const endRestore = (tx: Tx) => tx.first(removeSetting({ name: restoringAtSetting }));

/** All restores, oldest first. */
export const allRestores = statement("restores_all", (db) =>
  db.selectFrom("restores").select(["restored_at", "forgot_since"]).orderBy("restored_at"),
);

/** Deletes a restore whose time was wrong. */
export const removeRestore = statement("restore_remove", (db, p: { restoredAt: number }) =>
  db.deleteFrom("restores").where("restored_at", "=", p.restoredAt).returning("forgot_since"),
);

/** Terminals repeat their reports for restores since this time. */
export const repeatedSince = (now: number): number => now - repeatsWithinMs;

/**
 * One row: the newest restore; and among the newest and those after `since`, the first one and the earliest
 * `forgot_since`. Nulls if there was none.
 */
export const restoreTimes = (db: Kysely<Database>, since: number) =>
  db
    .selectFrom("restores")
    .select([
      sql<number | null>`max(restored_at)`.as("restored_at"),
      sql<number | null>`min(restored_at)`.as("first_restored_at"),
      sql<number | null>`min(forgot_since)`.as("forgot_since"),
    ])
    .where((or) =>
      or.or([
        or("restored_at", ">", since),
        or("restored_at", "=", (all) => all.selectFrom("restores").select(sql<number>`max(restored_at)`.as("newest"))),
      ]),
    );

/** A restore by the time with which terminals refer to it. */
export const restoreNamed = statement("restore_named", (db, p: { restoredAt: number }) =>
  db.selectFrom("restores").select("forgot_since").where("restored_at", "=", p.restoredAt),
);

/** The earliest `forgot_since` among restores that affect the period from `from` to `until`, or null. */
export const restoreOver = statement("restore_over", (db, p: { from: number; until: number }) =>
  db
    .selectFrom("restores")
    .select((select) => select.fn.min<number | null>("forgot_since").as("forgot_since"))
    .where("forgot_since", "<=", p.until)
    .where("restored_at", ">=", p.from),
);

/**
 * A terminal's newest journal link reported before a restore: the copy has it, and everything that the terminal reported before it. What
 * came since the copy was made, to processes that served on after a failover, says nothing of what was forgotten.
 */
export const headInCopy = statement(
  "journal_head_in_copy",
  (db, p: { merchant: string; device: string; restoredAt: number; forgotSince: number }) =>
    db
      .selectFrom("journal_heads")
      .select(["seq", "head"])
      .where((row) => row.and({ merchant_id: p.merchant, device_id: p.device }))
      .where("seq", ">", 0)
      .where("after_restore", "<", p.restoredAt)
      .where("received_at", "<=", p.forgotSince)
      .orderBy("epoch", "desc")
      .orderBy("seq", "desc")
      .limit(1),
);

/** Moves links from a restore to its corrected time. */
export const headsAfter = statement("journal_heads_after", (db, p: { wrong: number; right: number }) =>
  db.updateTable("journal_heads").set({ after_restore: p.right }).where("after_restore", "=", p.wrong),
);
