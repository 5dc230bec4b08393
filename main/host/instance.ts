/** One terminal per data folder: the system's lock, the note for a second start to hand over, and the entry page. */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { portSchema } from "../../preload/settings.ts";
import { onDisk } from "./data-folder.ts";

const triesMax = 25;
const pauseMs = 200;
const handOverTimeoutMs = 3_000;

/** No port: the terminal is a window of its own, which has no address to hand out. */
const noteSchema = z.object({ port: portSchema.nullable(), secret: z.string().min(1) });

/** This program's hold on its data folder. */
export type Instance = NonNullable<ReturnType<typeof claimInstance>>;

const noteFile = (folder: string): string => path.join(folder, "till-host.json");

/** What holds a lock, and what of the system it needs; a test brings a disk that fails. */
export interface LockDisk {
  readonly open: (file: string) => Pick<DatabaseSync, "exec" | "close">;
  readonly write: (file: string) => void;
}

const systemDisk: LockDisk = {
  open: (file) => new DatabaseSync(file, { timeout: 0 }),
  write: (file) => writeFileSync(file, "x", { mode: 0o600 }),
};

const sqlite = { busy: 5, ioError: 10 } as const;
const sqliteCode = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;

/** SQLite's exclusive lock is the one lock that Node has on every platform and that a crash cannot leave behind. */
const lockFile = (disk: LockDisk, file: string): Pick<DatabaseSync, "close"> => {
  const lock = disk.open(file);
  try {
    lock.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;");
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
};

/** Runs with the name of a new file, and removes it. */
const withNewFile = <T>(folder: string, use: (file: string) => T): T => {
  const file = path.join(folder, `till-host.probe-${randomBytes(8).toString("hex")}`);
  try {
    return use(file);
  } finally {
    rmSync(file, { force: true });
  }
};

/** Some network disks refuse every lock, in the words of a lock that is held: so they refuse one on a file that nobody else can know. */
const canLock = (disk: LockDisk, folder: string): boolean => {
  try {
    withNewFile(folder, (file) => lockFile(disk, file).close());
    return true;
  } catch (error) {
    const code = sqliteCode(error);
    return code !== sqlite.busy && code !== sqlite.ioError;
  }
};

const unlockableText = (folder: string): string =>
  `The disk of ${folder} cannot lock files, as many network folders cannot: two terminals could write the same journal there. Name a folder on a disk of this computer with --data.`;

/** Takes the folder's lock: the instance, or null when another process holds it. @throws a sentence when the folder cannot be used. */
export function claimInstance(folder: string, disk: LockDisk = systemDisk) {
  let lock: Pick<DatabaseSync, "close">;
  try {
    lock = lockFile(disk, path.join(folder, "till-host.lock"));
  } catch (error) {
    const isBusy = sqliteCode(error) === sqlite.busy;
    // What a file that cannot be written says is plainer than what its lock says.
    if (!isBusy) onDisk(folder, () => withNewFile(folder, disk.write));
    if (!canLock(disk, folder)) throw new Error(unlockableText(folder), { cause: error });
    if (isBusy) return null;
    throw error;
  }
  const secret = randomBytes(32).toString("base64url");
  rmSync(noteFile(folder), { force: true });
  return {
    secret,
    /** Publishes this one's address for a second start; null when it is a window. */
    publish(port: number | null): void {
      try {
        writeFileSync(noteFile(folder), JSON.stringify({ port, secret }), { mode: 0o600 });
      } catch {
        // A full disk: a second start then says that this one does not answer.
      }
    },
    /** No longer answers a second start, but still holds the folder. */
    withdraw: (): void => rmSync(noteFile(folder), { force: true }),
    release: (): void => lock.close(),
  };
}

/** Resolves once another program holds the folder, also one that starts. @throws a sentence when none does for 5 s. */
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

/** Asks the running browser host of a folder for something, as who can read that folder. Null: it is a window. Rejects where none answers. */
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

/** What became of the claim to a data folder. */
type Claim =
  | { readonly kind: "claimed"; readonly instance: Instance }
  /** Another terminal runs on this folder; `address` opens it, and is null for a window or when nothing answers. */
  | { readonly kind: "taken"; readonly address: string | null; readonly isWindow: boolean };

/** The message for a person whose start came second and cannot be handed over. */
export const takenText = (folder: string, isWindow: boolean): string =>
  isWindow
    ? `The terminal is open already, in a window of its own. Go on there, or close that window and start again. (${folder})`
    : `Another program holds the terminal's data (${folder}) and does not answer. Wait a minute and start again. If it stays so, end that program or restart this computer; nothing is lost.`;

/** The message while it is waited for who may be starting or stopping: another user's reader holds the lock just as well. */
export const waitingText = (folder: string): string =>
  `Another program holds the terminal's data (${folder}). Waiting for it for a few seconds …`;

/** Becomes the folder's terminal, or hands over to the one that is; waits up to 5 s for one that starts or stops. */
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
  // Parsed again: an address holds no quote or bracket then.
  const { href } = new URL(address);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${href}"><title>Tillcash</title></head>
<body><a href="${href}">Open the terminal</a></body></html>\n`;
};

/** Writes the file (mode 0600) into the terminal's data folder; the result is its `file:` address. Throws when it cannot be written. */
export const writeEntryFile = (folder: string, address: string): string => {
  const file = fileIn(folder);
  rmSync(file, { force: true });
  writeFileSync(file, pageTo(address), { mode: 0o600, flag: "wx" });
  return pathToFileURL(file).href;
};

/** Nothing is left behind once the address was used, or the terminal ends. */
export const removeEntryFile = (folder: string): void => rmSync(fileIn(folder), { force: true });
