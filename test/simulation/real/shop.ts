/** The programs as they are built, each a process of its own on its own disk: the service, the till, and what stands around them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { openNodeSqlite, type SqliteEngine } from "../../../backend/store/sqlite.ts";
import { openJournalKeys } from "../../../main/host/secrets.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { type Settings, type Snapshot, settingsSchema } from "../../../preload/contract.ts";
import type { Child } from "../../e2e/stage/child.ts";
import { startService } from "../../e2e/stage/programs.ts";
import { freePort } from "../../free-port.ts";
import type { SimulatedBank } from "../bank.ts";
import { type BridgeTill, createBridgeTill } from "./bridge-till.ts";
import { serveBank, serveDrawer } from "./servers.ts";

/** The demo bank's credential. */
export const bankCredential = { merchantId: "demo-bank", deviceId: "server-1", secret: "bank-secret" };
/** The demo shop's first terminal. */
export const tillCredential = { merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };

/** The service; it listens on the same port in each of its lives. */
export interface ServiceProcess {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Its exit code. */
  stop(): Promise<number | null>;
}

/** All processes and what can be read past them. */
export interface Shop {
  readonly till: BridgeTill;
  readonly service: ServiceProcess;
  /** The service's database, read past the service. */
  readonly books: SqliteEngine;
  readonly journalPath: string;
  readonly settings: Settings;
}

const runService = async (folder: string, bankUrl: string): Promise<ServiceProcess> => {
  let child: Child | null = null;
  const port = await freePort();
  const start = async (): Promise<void> => {
    const env = { PARTNER_URL: bankUrl, LOG_LEVEL: "error" };
    child = await startService({ data: folder, port, env });
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    kill: async () => child?.kill(),
    stop: async () => child?.stop() ?? null,
  };
};

/** Opens it all, the till last; `atEnd` is told how each part is closed, the latest first. */
export const openShop = async (options: {
  readonly bank: SimulatedBank;
  readonly onDrawer: () => void;
  readonly onSnapshot: (snapshot: Snapshot) => void;
  readonly atEnd: (close: () => unknown) => void;
}): Promise<Shop> => {
  const { atEnd } = options;
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-real-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const bankServer = await serveBank(options.bank);
  atEnd(bankServer.close);
  const service = await runService(folder, bankServer.url);
  atEnd(service.kill);
  const books = openNodeSqlite(path.join(folder, "service.db"), 2_000);
  atEnd(books.close);
  const drawer = await serveDrawer(options.onDrawer);
  atEnd(drawer.close);

  const data = path.join(folder, "till");
  mkdirSync(data);
  const settings = settingsSchema.parse({
    camera: { enabled: false },
    drawer: { kind: "network", host: "127.0.0.1", port: drawer.port, sensor: false },
  });
  const credential = { serviceUrl: service.url, ...tillCredential };
  writeFileSync(path.join(data, "settings.json"), JSON.stringify(settings));
  writeFileSync(path.join(data, "credential.json"), JSON.stringify(credential));
  // It was enrolled before the story: without an entry its journal would count as lost.
  const journal = openJournal(path.join(data, "journal.db"), 0, "write", undefined, await openJournalKeys(data, null));
  journal.append(Date.now(), [JSON.stringify({ type: "act", act: "enrolled", about: "till-1", actor: "terminal" })]);
  journal.close();
  const till = createBridgeTill(data, options.onSnapshot);
  atEnd(till.kill);
  return { till, service, books, journalPath: path.join(data, "journal.db"), settings };
};
