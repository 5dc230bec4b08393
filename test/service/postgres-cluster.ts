/** A PostgreSQL primary with a synchronous standby, from the packages, whose primary can be killed as a power cut would. */
import { type ChildProcess, spawn } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort } from "../free-port.ts";
import { initialize, ownerOfServer, reachableBinaries, ready, settings } from "./postgres.ts";

/** Both servers. */
export interface Cluster {
  /** DATABASE_URL with both hosts. */
  readonly url: string;
  /** From now on the standby gets no commit, and the primary waits for none. */
  cutOffStandby(): Promise<void>;
  /** SIGKILL for the primary and all its processes: nothing is flushed, nobody is told. */
  killPrimary(): Promise<void>;
  promoteStandby(): Promise<void>;
  /** On the server that was the standby. */
  querySurvivor(sql: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

const query = async (port: number, sql: string): Promise<readonly Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

/** A server's processes are sessions of their own: a signal to the group would miss them. */
const childrenOf = (pid: number): readonly number[] =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, , parent] = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/\(.*\)/, "x")
        .split(" ")
        .map(Number)
        .toSpliced(2, 1);
      return parent === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

const kill = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
};

/** Starts both in a folder that is gone after `stop`. */
export const startCluster = async (): Promise<Cluster> => {
  const owner = ownerOfServer();
  const folder = mkdtempSync(join(tmpdir(), "tillcash-cluster-"));
  const own = (path: string) => {
    if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid);
  };
  own(folder);
  const { initdb, postgres } = await reachableBinaries(owner, folder);
  const [primaryData, standbyData] = [join(folder, "primary"), join(folder, "standby")];
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  initialize(initdb, primaryData, owner);
  cpSync(primaryData, standbyData, { recursive: true });
  chmodSync(standbyData, 0o700);
  writeFileSync(join(standbyData, "standby.signal"), "");
  // Not among the flags, which no ALTER SYSTEM changes.
  const keep = (data: string, name: string, value: string) =>
    appendFileSync(join(data, "postgresql.auto.conf"), `${name} = '${value}'\n`);
  keep(primaryData, "synchronous_standby_names", "*");
  keep(standbyData, "primary_conninfo", `host=127.0.0.1 port=${primaryPort} user=postgres`);
  for (const path of [
    standbyData,
    ...readdirSync(standbyData, { recursive: true }).map((each) => join(standbyData, String(each))),
  ])
    own(path);

  const start = async (data: string, port: number, more: readonly string[]): Promise<ChildProcess> => {
    const flags = [...settings, ...more].flatMap((setting) => ["-c", setting]);
    const server = spawn(postgres, ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...flags], {
      ...owner,
      stdio: ["ignore", "ignore", "pipe"],
    });
    process.on("exit", () => void server.kill("SIGQUIT"));
    await ready(server);
    return server;
  };
  const primary = await start(primaryData, primaryPort, []);
  const standby = await start(standbyData, standbyPort, ["wal_retrieve_retry_interval=100"]);
  while ((await query(primaryPort, "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 0)
    await new Promise((resolve) => setTimeout(resolve, 50));

  return {
    url: `postgres://postgres@127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}/postgres?target_session_attrs=read-write`,
    async cutOffStandby() {
      for (const [port, name] of [
        [standbyPort, "primary_conninfo"],
        [primaryPort, "synchronous_standby_names"],
      ] as const) {
        await query(port, `ALTER SYSTEM SET ${name} = ''`);
        await query(port, "SELECT pg_reload_conf()");
      }
      while ((await query(primaryPort, "SELECT 1 FROM pg_stat_replication")).length > 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
    },
    async killPrimary() {
      const pid = primary.pid ?? 0;
      const ended = new Promise((resolve) => primary.once("exit", resolve));
      const children = childrenOf(pid);
      kill(pid);
      for (const child of children) kill(child);
      await ended;
    },
    promoteStandby: async () => void (await query(standbyPort, "SELECT pg_promote()")),
    querySurvivor: (sql) => query(standbyPort, sql),
    async stop() {
      for (const server of [primary, standby]) {
        if (server.exitCode !== null || server.signalCode !== null) continue;
        const ended = new Promise((resolve) => server.once("exit", resolve));
        server.kill("SIGQUIT");
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
