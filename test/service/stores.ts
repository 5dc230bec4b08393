/** The two stores that every service test runs on: SQLite in a folder of its own, a PostgreSQL database of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { inject } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Clock } from "../../backend/ports.ts";
import { migrationFrom } from "../../backend/store/migrate.ts";
import { openStore, type StoreSettings } from "../../backend/store/open.ts";
import { openSqliteFile } from "../../backend/store/sqlite.ts";
import type { Dialect, Store } from "../../backend/store/store.ts";
import { createDatabase, dropDatabase, makeTemplate } from "./postgres.ts";

/** One database, with nothing in it yet. */
export interface Place {
  readonly dialect: Dialect;
  /** A DATABASE_URL. */
  readonly url: string;
  /** Opens it; again for what another process would open. */
  open(clock?: Clock, settings?: StoreSettings): Promise<Store>;
  /** Closes what was opened after the first one. */
  closeOthers(): Promise<void>;
  /** Closes what was opened and removes the database. */
  dispose(): Promise<void>;
}

/** `STORES=sqlite` leaves PostgreSQL out: a server is a process, and `npm run check` and most mutation runs start none. */
export const stores: readonly Dialect[] = (["sqlite", "postgres"] as const).filter(
  (dialect) => (process.env.STORES ?? dialect) === dialect,
);

/** What kind of place. */
interface PlaceOptions {
  /** Not even the tables are there: for tests of what a first start or an upgrade does. Default: as a first start leaves it. */
  readonly isBlank?: boolean;
  /** On PostgreSQL: its tables lie in one piece, as releases before have made them. */
  readonly isUndivided?: boolean;
}

/** A place of its own; `dispose` also closes the stores that it opened. */
export const createPlace = async (dialect: Dialect, options: PlaceOptions = {}): Promise<Place> => {
  const opened: Store[] = [];
  const { isBlank = false } = options;
  const place = dialect === "sqlite" ? sqliteFolder(isBlank) : await postgresDatabase(options);
  return {
    dialect,
    url: place.url,
    async open(clock = systemClock, settings = {}) {
      // A process of a fleet only looks whether it is migrated, which costs half.
      const migrates = isBlank || settings.migrations !== undefined;
      const store = await openStore(place.url, clock, { migrates, ...settings });
      opened.push(store);
      return store;
    },
    async closeOthers() {
      await Promise.all(opened.splice(1).map((store) => store.close()));
    },
    async dispose() {
      await Promise.all(opened.map((store) => store.close()));
      await place.remove();
    },
  };
};

/** What a first start leaves, made once in this process; null before. */
let prepared: Buffer | null = null;
const preparedFile = (): Buffer => {
  if (prepared !== null) return prepared;
  const folder = mkdtempSync(join(tmpdir(), "tillcash-sqlite-"));
  const path = join(folder, "service.db");
  openSqliteFile({ path }).close();
  prepared = readFileSync(path);
  rmSync(folder, { recursive: true });
  return prepared;
};

const sqliteFolder = (isBlank: boolean) => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-sqlite-"));
  const file = join(folder, "service.db");
  if (!isBlank) writeFileSync(file, preparedFile(), { mode: 0o600 });
  return {
    url: `sqlite:${file}`,
    async remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** The name of the database whose copies are undivided, made once in this process; null before. */
let undivided: Promise<string> | null = null;
const makeUndivided = async (adminUrl: string): Promise<string> => {
  const url = await createDatabase(adminUrl);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  for (const text of migrationFrom(null)) await client.query(text);
  await client.end();
  return makeTemplate(adminUrl, url);
};

const postgresDatabase = async ({ isBlank, isUndivided }: PlaceOptions) => {
  const { adminUrl, template } = inject("postgres");
  if (isUndivided) undivided ??= makeUndivided(adminUrl);
  const made = isUndivided ? await undivided : template;
  const url = await createDatabase(adminUrl, isBlank ? undefined : (made ?? undefined));
  return { url, remove: () => dropDatabase(adminUrl, url) };
};

/** Tries again for up to a second: an idle connection that was cut is noticed by its next user. */
export const eventually = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= 50) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};
