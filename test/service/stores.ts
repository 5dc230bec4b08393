/** The two stores that every service test runs on: SQLite in a folder of its own, a PostgreSQL database of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Clock } from "../../backend/ports.ts";
import { openStore, type StoreSettings } from "../../backend/store/open.ts";
import type { Dialect } from "../../backend/store/statement.ts";
import type { Store } from "../../backend/store/store.ts";
import { createDatabase, dropDatabase } from "./postgres.ts";

/** One empty database. */
export interface Place {
  readonly dialect: Dialect;
  /** A DATABASE_URL. */
  readonly url: string;
  /** Opens it; again for what another process would open. */
  open(clock?: Clock, settings?: StoreSettings): Promise<Store>;
  /** Closes what was opened and removes the database. */
  dispose(): Promise<void>;
}

/** `STORES=sqlite` leaves PostgreSQL out: a server is a process, and `npm run check` and mutation runs start none. */
export const stores: readonly Dialect[] = process.env.STORES === "sqlite" ? ["sqlite"] : ["sqlite", "postgres"];

/** An empty place; `dispose` also closes the stores that it opened. */
export const createPlace = async (dialect: Dialect): Promise<Place> => {
  const opened: Store[] = [];
  const place = dialect === "sqlite" ? sqliteFolder() : await postgresDatabase();
  return {
    dialect,
    url: place.url,
    async open(clock = systemClock, settings = {}) {
      const store = await openStore(place.url, clock, settings);
      opened.push(store);
      return store;
    },
    async dispose() {
      await Promise.all(opened.map((store) => store.close()));
      await place.remove();
    },
  };
};

const sqliteFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-sqlite-"));
  return {
    url: `sqlite:${join(folder, "service.db")}`,
    async remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const postgresDatabase = async () => {
  const admin = inject("postgresUrl");
  const url = await createDatabase(admin);
  return { url, remove: () => dropDatabase(admin, url) };
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
