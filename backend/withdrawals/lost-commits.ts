/**
 * Notices that the database has lost commits: a standby that lacked them was promoted, or a copy was put back, while processes lived on.
 * Each process remembers what it has committed lately, and looks for it before it writes to another server. Nothing is confirmed or approved,
 * and no order goes out as its first try, before all have looked, nor after something was missed, until an operator says since when.
 */
import { keyNames, type Service } from "../context.ts";
import { hourMs, toTime } from "../contract/times.ts";
import { ServiceError } from "../service-error.ts";
import { beatOf, everyWorker } from "../store/ownership.ts";
import { lookedSetting, newestRestore } from "../store/restores.ts";
import { holdAddedSetting, setSetting, settingByName } from "../store/settings.ts";
import type { Store, Tx, Written } from "../store/store.ts";

/** A row of the history or the audit that was answered as committed. */
interface Commit extends Written {
  readonly id: string;
  readonly at: number;
}

/** The setting: what the processes have found on a server. */
interface Looked {
  readonly server: string;
  /** When the first of them looked, epoch milliseconds. */
  readonly at: number;
  readonly by: readonly string[];
  /** All have looked. */
  readonly isOpen: boolean;
  /** From this time on commits are missing; null: none is. */
  readonly forgotSince: number | null;
}

/** Newest commits of which each is remembered; one that is not would hide that it is lost. */
const newestMax = 1_000;
/** Of those before one is remembered in so long: enough to know since when they are lost. */
const thinnedMs = 5_000;
const commitsMax = 3_000;
/** Withdrawals that the log names, as only this process may know them. */
const loggedMax = 100;
/** No retention deletes rows of the history that are as young, of a dispute that is closed apart. */
const rememberedMs = hourMs;
/** Other commits that are lost may be a little older than the oldest that is known. */
const marginMs = 10_000;
/** How long a process that was killed, and cannot look any more, is waited for. */
const beatsWaited = 8;

/** What is remembered of too many. @param commits in their order. */
export const thinned = <C extends Pick<Commit, "at">>(commits: readonly C[]): C[] => {
  const slot = (n: number) => Math.floor((commits[n]?.at ?? -1) / thinnedMs);
  return commits.filter((_, n) => n >= commits.length - newestMax || slot(n) !== slot(n - 1));
};

const read = (value: string | null | undefined) => JSON.parse(value ?? "{}") as Partial<Looked>;

/** A store that remembers what this process commits, and looks for it before it writes to another server. SQLite's needs neither. */
export const rememberingStore = (
  { store, clock, log, telemetry, keys }: Pick<Service, "store" | "clock" | "log" | "telemetry" | "keys">,
  workerId: string,
): Store => {
  const { server: serverNow } = store;
  if (serverNow === undefined) return store;
  let commits: Commit[] = [];
  let lookedOn: string | null = null;
  let looking: Promise<void> | null = null;

  const look = async (server: string): Promise<void> => {
    const { forgotSince, missing } = await store.write(async (tx) => {
      const now = clock.now();
      const restore = await tx.first(newestRestore({}));
      const isSaid = ({ at }: Commit) => restore && at >= restore.forgot_since && at <= restore.restored_at;
      const expected = commits.filter((each) => each.at > now - rememberedMs && !isSaid(each));
      const found = await Promise.all(expected.map((each) => tx.first(each.find)));
      const missing = expected.filter(({ hash }, n) => found[n]?.hash !== hash);
      // Not before, as the others wait for it.
      const before = read((await tx.first(holdAddedSetting({ name: lookedSetting, value: "{}" })))?.value);
      // Written under the old name, the new server would stay closed: who has looked there does not look again.
      if (serverNow() !== server) throw new ServiceError("unavailable", "The database has just been replaced.");
      // Before its first commit: no standby has one of a process that the others would not wait for.
      await tx.run(beatOf(workerId, keyNames(keys), now));
      const isSame = before.server === server;
      if (isSame && before.isOpen === true && missing.length === 0) return { ...before, missing };
      const by = [...((isSame && before.by) || []), workerId];
      const all = await tx.all(everyWorker({}));
      const since = Math.min(
        before.forgotSince ?? Number.POSITIVE_INFINITY,
        ...missing.map(({ at }) => Math.min(at, now) - marginMs),
      );
      const looked: Looked = {
        server,
        at: (isSame && before.at) || now,
        by,
        // Where nobody has looked before, nobody remembers.
        isOpen: before.server === undefined || all.every(({ id }) => by.includes(id)),
        forgotSince: Number.isFinite(since) ? since : null,
      };
      await tx.run(setSetting({ name: lookedSetting, value: JSON.stringify(looked) }));
      return { ...looked, missing };
    });
    lookedOn = server;
    if (typeof forgotSince !== "number") return;
    telemetry.commitsLost();
    log.error(
      { since: toTime(forgotSince), transactions: [...new Set(missing.map(({ id }) => id))].slice(-loggedMax) },
      `the database has lost commits, and nothing is confirmed or approved: stop every process, then restored --since ${toTime(forgotSince)}`,
    );
  };

  return {
    ...store,
    async write(unit, about) {
      const server = serverNow();
      if (server !== null && server !== lookedOn) {
        looking ??= look(server).finally(() => {
          looking = null;
        });
        await looking;
      }
      const { result, made } = await store.write(async (tx) => {
        const made: Commit[] = [];
        const changed: Tx["changed"] = (id, row, written) => {
          tx.changed(id, row);
          if (typeof written?.hash === "string") made.push({ ...written, id, at: clock.now() });
        };
        return { result: await unit({ ...tx, changed }), made };
      }, about);
      commits.push(...made);
      if (commits.length > commitsMax)
        commits = thinned(commits.filter(({ at }) => at > clock.now() - rememberedMs)).slice(-commitsMax);
      return result;
    },
  };
};

/** From when on commits are certainly missing, epoch milliseconds; null: none is known of. */
export const lostSince = async (tx: Tx): Promise<number | null> => {
  const { forgotSince } = read((await tx.first(settingByName({ name: lookedSetting })))?.value);
  return typeof forgotSince === "number" ? forgotSince + marginMs : null;
};

/** What processes have found so far: commits are missing, or one has not looked for its own yet; null: none is missing, as far as anybody knows. */
const doubtOf = ({ store, clock, beatMs }: Service, looked: string | null): "lost" | "looking" | null => {
  const { server, at = 0, isOpen, forgotSince } = read(looked);
  if (typeof forgotSince === "number") return "lost";
  const serverNow = store.server?.() ?? null;
  // Nobody looks, or a restore was said and nobody remembers.
  if (serverNow === null || server === undefined) return null;
  const hasWaited = Math.abs(clock.now() - at) > beatsWaited * beatMs;
  return server === serverNow && (isOpen === true || hasWaited) ? null : "looking";
};

/** Whether what the database does not have may have been done all the same. @param looked the setting, as its statement has read it. */
export const mayHaveForgotten = (service: Service, looked: string | null): boolean => doubtOf(service, looked) !== null;

/**
 * Called within the transaction that confirms or approves.
 * @param looked as above.
 * @throws ServiceError `unavailable` where commits are missing, or a process has not looked for its own yet.
 */
export const refuseIfLost = (service: Service, looked: string | null): void => {
  const doubt = doubtOf(service, looked);
  if (doubt === "lost")
    throw new ServiceError("unavailable", "The database has lost commits, and an operator has to say so first.");
  if (doubt === "looking")
    throw new ServiceError("unavailable", "The database has just come back, and is being looked through. Ask again.", {
      retryAfterSeconds: 1,
    });
};
