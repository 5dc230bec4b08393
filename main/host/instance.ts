/** One terminal per data folder: the lock, the note for a second start, and the entry page. */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { portSchema } from "../../preload/settings.ts";
import { orClose } from "../terminal/journal/database.ts";
import { hasSqliteCode } from "../terminal/journal/files.ts";
import { onDisk } from "./data-folder.ts";

const triesMax = 25;
const pauseMs = 200;
const handOverTimeoutMs = 3_000;

/** Without a port the terminal is a window, which has no address. */
const noteSchema = z.object({ port: portSchema.nullable(), secret: z.string().min(1) });

/** This program's claim to its data folder. */
export type Instance = NonNullable<ReturnType<typeof claimInstance>>;

const noteFile = (folder: string): string => path.join(folder, "till-host.json");

/** Disk access for locks; tests bring a failing one. */
export interface LockDisk {
  readonly open: (file: string) => Pick<DatabaseSync, "exec" | "close">;
  readonly write: (file: string) => void;
}

const systemDisk: LockDisk = {
  open: (file) => new DatabaseSync(file, { timeout: 0 }),
  write: (file) => writeFileSync(file, "x", { mode: 0o600 }),
};

const sqlite = { busy: 5, ioError: 10 } as const;

/** Uses SQLite's exclusive lock, the only one that Node has on all platforms and that does not survive a crash. */
const lockFile = (disk: LockDisk, file: string): Pick<DatabaseSync, "close"> =>
  orClose(disk.open(file), (lock) => {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
    return lock;
  });

/** Runs `use` with the name of a new file, and removes the file. */
const withNewFile = <T>(folder: string, use: (file: string) => T): T => {
  const file = path.join(folder, `till-host.probe-${randomBytes(8).toString("hex")}`);
  try {
    return use(file);
  } finally {
    rmSync(file, { force: true });
  }
};

/** Whether the disk supports locks. Some network disks refuse all with the error of a held lock, so this tries one on a new file. */
const canLock = (disk: LockDisk, folder: string): boolean => {
  try {
    withNewFile(folder, (file) => lockFile(disk, file).close());
    return true;
  } catch (error) {
    return !hasSqliteCode(error, sqlite.busy, sqlite.ioError);
  }
};

const unlockableText = (folder: string): string =>
  `The disk of ${folder} cannot lock files, as many network folders cannot: two terminals could write the same journal there. Name a folder on a disk of this computer with --data.`;

/** Takes the folder's lock: null when another process holds it. @throws a readable error when the folder cannot be used. */
export function claimInstance(folder: string, disk: LockDisk = systemDisk) {
  let lock: Pick<DatabaseSync, "close">;
  try {
    lock = lockFile(disk, path.join(folder, "till-host.lock"));
  } catch (error) {
    const isBusy = hasSqliteCode(error, sqlite.busy);
    // A failed write gives a clearer message than a failed lock.
    if (!isBusy) onDisk(folder, () => withNewFile(folder, disk.write));
    if (!canLock(disk, folder)) throw new Error(unlockableText(folder), { cause: error });
    if (isBusy) return null;
    throw error;
  }
  const secret = randomBytes(32).toString("base64url");
  rmSync(noteFile(folder), { force: true });
  return {
    secret,
    /** Publishes this terminal's address for a second start; null for a window. */
    publish(port: number | null): void {
      try {
        writeFileSync(noteFile(folder), JSON.stringify({ port, secret }), { mode: 0o600 });
      } catch {
        // Disk full; a second start then reports that this one does not answer.
      }
    },
    /** Stops answering second starts, but keeps the lock. Never throws. */
    withdraw(): void {
      try {
        rmSync(noteFile(folder), { force: true });
      } catch {
        // Held by another program: the next start removes it.
      }
    },
    release: (): void => lock.close(),
  };
}

/** Resolves once another program holds the folder, even one that is starting. @throws a readable error if none does for 5 s. */
export async function waitForHolder(folder: string): Promise<void> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const instance = claimInstance(folder);
    if (instance === null) return;
    instance.release();
    await delay(pauseMs);
  }
  throw new Error(unlockableText(folder));
}

type Holder = Pick<Extract<Claim, { kind: "taken" }>, "address" | "isWindow">;

/** Calls the browser host running on a folder, authenticated by being able to read the folder. Null: it is a window. Rejects if none answers. */
export async function callHolder(folder: string, what: "/hand-over" | "/end-sessions"): Promise<Response | null> {
  const note = noteSchema.parse(JSON.parse(readFileSync(noteFile(folder), "utf8")));
  if (note.port === null) return null;
  return fetch(`http://127.0.0.1:${note.port}${what}`, {
    method: "POST",
    headers: { "x-hand-over": note.secret },
    signal: AbortSignal.timeout(handOverTimeoutMs),
  });
}

async function queryHolder(folder: string): Promise<Holder> {
  const answer = await callHolder(folder, "/hand-over");
  if (answer === null) return { address: null, isWindow: true };
  return { address: z.object({ address: z.url() }).parse(await answer.json()).address, isWindow: false };
}

type Claim =
  | { readonly kind: "claimed"; readonly instance: Instance }
  /** Another terminal runs on this folder; `address` opens it; null for a window or without an answer. */
  | { readonly kind: "taken"; readonly address: string | null; readonly isWindow: boolean };

/** Message for a second start that cannot be handed over. */
export const takenText = (folder: string, isWindow: boolean): string =>
  isWindow
    ? `The terminal is open already, in a window of its own. Go on there, or close that window and start again. (${folder})`
    : `Another program holds the terminal's data (${folder}) and does not answer. Wait a minute and start again. If it stays so, end that program or restart this computer; nothing is lost.`;

/** Message while waiting for another program that may be starting or stopping. */
export const waitingText = (folder: string): string =>
  `Another program holds the terminal's data (${folder}). Waiting for it for a few seconds …`;

/** Claims the folder, or hands over to the running terminal; waits up to 5 s for one that is starting or stopping. */
export async function claimOrHandOver(
  folder: string,
  waiting: () => void = () => {},
  disk: LockDisk = systemDisk,
): Promise<Claim> {
  for (let attempt = 0; attempt < triesMax; attempt += 1) {
    const instance = claimInstance(folder, disk);
    if (instance !== null) return { kind: "claimed", instance };
    try {
      return { kind: "taken", ...(await queryHolder(folder)) };
    } catch {
      if (attempt === 0) waiting();
      await delay(pauseMs);
    }
  }
  return { kind: "taken", address: null, isWindow: false };
}

const fileIn = (folder: string): string => path.join(folder, "open-till.html");

const pageTo = (address: string): string => {
  // Normalized, so that it contains no quotes or brackets.
  const { href } = new URL(address);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${href}"><title>Tillcash</title></head>
<body><a href="${href}">Open the terminal</a></body></html>\n`;
};

/** Writes the entry page (mode 0600) into the data folder and returns its `file:` URL. Throws when it cannot be written. */
export const writeEntryFile = (folder: string, address: string): string => {
  const file = fileIn(folder);
  rmSync(file, { force: true });
  writeFileSync(file, pageTo(address), { mode: 0o600, flag: "wx" });
  return pathToFileURL(file).href;
};

/** Removes the entry page, once the address was used or the terminal ends. */
export const removeEntryFile = (folder: string): void => rmSync(fileIn(folder), { force: true });
