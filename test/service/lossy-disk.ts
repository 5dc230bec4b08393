/**
 * A disk that keeps only what was synced. It stands between an SQLite that does its file calls through Node's `fs` and the
 * real files of one folder: it remembers every write since the last fsync and, when the power goes, takes them back.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join, relative } from "node:path";

type Change =
  | { readonly kind: "write"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly size: number };

interface FileState {
  /** What a restart finds; null: not even the name. */
  durable: Buffer | null;
  /** Since the last fsync, in order. */
  changes: Change[];
  deleted: boolean;
}

const originals = {
  openSync: fs.openSync,
  closeSync: fs.closeSync,
  writeSync: fs.writeSync,
  ftruncateSync: fs.ftruncateSync,
  fsyncSync: fs.fsyncSync,
  unlinkSync: fs.unlinkSync,
  readSync: fs.readSync,
  renameSync: fs.renameSync,
};

const sizeAfter = (size: number, change: Change): number =>
  change.kind === "truncate" ? change.size : Math.max(size, change.at + change.bytes.length);

/** The file with these changes, which is copied once for all of them. */
const applied = (image: Buffer, changes: readonly Change[]): Buffer => {
  let [size, largest] = [image.length, image.length];
  for (const change of changes) {
    size = sizeAfter(size, change);
    largest = Math.max(largest, size);
  }
  const result = Buffer.alloc(largest);
  size = image.copy(result);
  for (const change of changes) {
    if (change.kind === "write") change.bytes.copy(result, change.at);
    else result.fill(0, change.size);
    size = sizeAfter(size, change);
  }
  return result.subarray(0, size);
};

/** The files of one folder; `lost` is set by the power loss and cleared by the restart. */
export class LossyDisk {
  readonly folder: string;
  /** True from the power loss to the restart: every call fails. */
  lost = false;
  syncs = 0;
  #lostAtSync = Number.POSITIVE_INFINITY;
  /** While the files are put back, which goes through the same `fs`. */
  #away = false;
  #files = new Map<string, FileState>();
  #opened = new Map<number, string>();
  /** New names that no sync of their folder has made lasting. */
  #renames: { readonly from: string; readonly to: string; readonly replaced: FileState | null }[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  /** The power goes at the n-th sync from now, before it has done anything. */
  loseAtSync(count: number): void {
    this.#lostAtSync = this.syncs + count;
  }

  /**
   * The power is back: the files are what was synced. With `alsoKeep`, some of the writes that were not synced arrived
   * all the same, in any combination, as real disks do.
   */
  restart(alsoKeep: (() => boolean) | null): void {
    this.#away = true;
    for (const { from, to, replaced } of this.#renames.splice(0).reverse()) this.#renameBack(from, to, replaced);
    for (const [path, file] of this.#files) {
      if (alsoKeep && file.durable) file.durable = applied(file.durable, file.changes.filter(alsoKeep));
      file.changes = [];
      file.deleted = false;
      if (file.durable === null) fs.rmSync(path, { force: true });
      else fs.writeFileSync(path, file.durable);
    }
    for (const name of fs.readdirSync(this.folder, { recursive: true }).map(String)) {
      if (name.endsWith(".lock")) fs.rmdirSync(join(this.folder, name));
    }
    for (const fd of this.#opened.keys()) originals.closeSync(fd);
    this.#opened.clear();
    this.lost = false;
    this.#away = false;
    this.#lostAtSync = Number.POSITIVE_INFINITY;
  }

  /** Puts itself between; the result takes it out again. */
  install(): () => void {
    Object.assign(fs, {
      openSync: (...args: Parameters<typeof fs.openSync>) => this.#open(args),
      closeSync: (fd: number) => {
        this.#opened.delete(fd);
        originals.closeSync(fd);
      },
      writeSync: (fd: number, bytes: Uint8Array, offset: number, length: number, at: number) => {
        const file = this.#fileOf(fd);
        file?.changes.push({ kind: "write", at, bytes: Buffer.from(bytes.subarray(offset, offset + length)) });
        return originals.writeSync(fd, bytes, offset, length, at);
      },
      ftruncateSync: (fd: number, size: number) => {
        this.#fileOf(fd)?.changes.push({ kind: "truncate", size });
        originals.ftruncateSync(fd, size);
      },
      fsyncSync: (fd: number) => this.#sync(fd),
      unlinkSync: (path: string) => {
        const file = this.#isMine(path) ? this.#stateOf(path) : null;
        originals.unlinkSync(path);
        if (file) file.deleted = true;
      },
      renameSync: (from: string, to: string) => {
        if (!this.#away && this.#isMine(from)) {
          if (this.lost) throw new Error("no power");
          this.#renames.push({ from, to, replaced: this.#files.get(to) ?? null });
          this.#files.set(to, this.#stateOf(from));
          this.#files.delete(from);
        }
        originals.renameSync(from, to);
      },
    });
    syncBuiltinESMExports();
    return () => {
      Object.assign(fs, originals);
      syncBuiltinESMExports();
    };
  }

  #renameBack(from: string, to: string, replaced: FileState | null): void {
    this.#files.set(from, this.#stateOf(to));
    if (replaced !== null) {
      this.#files.set(to, replaced);
      return;
    }
    this.#files.delete(to);
    fs.rmSync(to, { force: true });
  }

  #isFolder(path: string): boolean {
    return (
      path === this.folder ||
      (this.#isMine(path) && fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
    );
  }

  #open(args: Parameters<typeof fs.openSync>): number {
    const path = String(args[0]);
    if (this.#away || (path !== this.folder && !this.#isMine(path))) return originals.openSync(...args);
    const isFolder = this.#isFolder(path);
    if (this.lost) throw new Error("no power");
    const isNew = !fs.existsSync(path);
    const fd = originals.openSync(...args);
    if (!isFolder) {
      const file = this.#stateOf(path);
      if (isNew) file.changes = [{ kind: "truncate", size: 0 }];
    }
    this.#opened.set(fd, path);
    return fd;
  }

  #sync(fd: number): void {
    const path = this.#opened.get(fd);
    if (path === undefined) {
      originals.fsyncSync(fd);
      return;
    }
    if (this.lost) throw new Error("no power");
    this.syncs += 1;
    if (this.syncs >= this.#lostAtSync) {
      this.lost = true;
      throw new Error("no power");
    }
    if (this.#isFolder(path)) {
      for (const [name, file] of this.#files)
        if (file.deleted && dirname(name) === path) Object.assign(file, { durable: null, changes: [], deleted: false });
      this.#renames = this.#renames.filter(({ to }) => dirname(to) !== path);
      return;
    }
    const file = this.#stateOf(path);
    file.durable = applied(file.durable ?? Buffer.alloc(0), file.changes);
    file.changes = [];
  }

  #fileOf(fd: number): FileState | null {
    const path = this.#opened.get(fd);
    if (path === undefined || this.#isFolder(path)) return null;
    if (this.lost) throw new Error("no power");
    return this.#stateOf(path);
  }

  #stateOf(path: string): FileState {
    const known = this.#files.get(path);
    if (known) return known;
    const made: FileState = { durable: null, changes: [], deleted: false };
    this.#files.set(path, made);
    return made;
  }

  #isMine(path: string): boolean {
    const inside = relative(this.folder, path);
    return inside !== "" && !inside.startsWith("..");
  }
}
