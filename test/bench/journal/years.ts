/** A journal under a key, as the bench writes and checks it. */
import path from "node:path";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";

const secret = Buffer.alloc(32, 1);

/** Opens the journal in `folder` for writing, every link keyed. */
export const openYears = (folder: string): FileJournal =>
  openJournal(path.join(folder, "journal.db"), 0, "write", openNodeDatabase, {
    current: { id: "bench", secret },
    known: new Map([["bench", secret]]),
    isUpgrading: false,
    keep: () => undefined,
    upgraded: () => undefined,
  });
