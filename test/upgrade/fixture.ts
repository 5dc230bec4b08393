/** The data folders of the version before, as they were when the power went: made once by that version's own programs. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { unzipSync, zipSync } from "fflate";

/** The service of the fixture: an address of this machine that nothing else uses, as it stands in the journal's book. */
export const fixtureAddress = { host: "127.53.17.9", port: 47_811 } as const;
/** The manager's PIN at its terminal. */
export const fixturePin = "482915";

/** What was open: by the amount, which names each. */
export const openAtTheCut = {
  /** Paid and on the screen, not handed out. */
  payable: "40.00",
  /** Approved, and its Settle order on the way: the bank takes 8 s for it. */
  settling: "60.03",
  /** Asked for, and not scanned yet. */
  asked: "20.00",
} as const;

/** Where a version's folders are kept. */
const fixtureFile = (version: string): string => path.join(import.meta.dirname, `${version}.zip`);

const filesIn = (folder: string, below = ""): readonly string[] =>
  readdirSync(path.join(folder, below)).flatMap((name) => {
    const file = path.posix.join(below, name);
    return statSync(path.join(folder, file)).isDirectory() ? filesIn(folder, file) : [file];
  });

/** Packs a folder with all that is in it; logs and locks are left out. */
export const packFixture = (folder: string, version: string): void => {
  const files = filesIn(folder).filter((file) => !/\.(log|lock)$|-lock$|till-host\.json$/.test(file));
  const content = Object.fromEntries(files.map((file) => [file, readFileSync(path.join(folder, file))]));
  writeFileSync(fixtureFile(version), zipSync(content, { level: 9 }));
};

/** A kept fixture is older than any hold of the sandbox's bank; in its story the power comes back at once. */
const keepHolds = (service: string): void => {
  const db = new DatabaseSync(path.join(service, "service.db"));
  db.exec(`UPDATE sandbox_holds SET expires_at = ${Date.UTC(2100, 0)}`);
  db.close();
};

/** @param folder an empty one; then holds `till` and `service`. */
export const unpackFixture = (version: string, folder: string): void => {
  for (const [file, content] of Object.entries(unzipSync(readFileSync(fixtureFile(version))))) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, file), content, { mode: 0o600 });
  }
  keepHolds(path.join(folder, "service"));
};
