/** Notes shared by the users of a computer, so that nobody accidentally starts a second terminal as another user. Only hints. */
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { z } from "zod";

/** Text for one line of a dialog, from an untrusted file. */
const shownText = z.string().regex(/^\P{C}{1,100}$/u);

const noteSchema = z.object({
  version: z.literal(1),
  user: shownText,
  device: shownText,
});
type MachineNote = Omit<z.infer<typeof noteSchema>, "version">;

const noteBytesMax = 1_024;
const notesMax = 20;

/** A folder where all users can leave notes but not change others'. */
export const machineFolder = (platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): string => {
  if (platform === "win32") return path.win32.join(env.ProgramData ?? "C:\\ProgramData", "Tillcash");
  return platform === "darwin" ? "/Users/Shared/Tillcash" : "/var/tmp/tillcash";
};

/** This user's name; the number where the system knows none, as while the directory of a company's users is out of reach. */
export const ownUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
};

const nameFor = (user: string): string =>
  `terminal-${createHash("sha256").update(user).digest("hex").slice(0, 16)}.json`;

/** Writes a note. Never throws: without it the next user is just not asked. */
export const leaveNote = (folder: string, note: MachineNote): void => {
  const file = path.join(folder, nameFor(note.user));
  try {
    if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o1777);
    rmSync(file, { force: true });
    // The file was deleted first, so a link placed there is not followed.
    writeFileSync(file, JSON.stringify({ version: 1, ...note }), { flag: "wx", mode: 0o644 });
    chmodSync(file, 0o644);
  } catch {
    // Users of this computer cannot share a folder.
  }
};

const readNote = (file: string): readonly MachineNote[] => {
  try {
    const found = lstatSync(file);
    if (!found.isFile() || found.size > noteBytesMax) return [];
    const { user, device } = noteSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    return [{ user, device }];
  } catch {
    return [];
  }
};

/** Terminals of other users of this computer, according to their notes. Empty if nothing can be read. */
export const notesOfOthers = (folder: string, user: string): readonly MachineNote[] => {
  try {
    return readdirSync(folder)
      .filter((name) => /^terminal-[0-9a-f]{16}\.json$/.test(name) && name !== nameFor(user))
      .slice(0, notesMax)
      .flatMap((name) => readNote(path.join(folder, name)))
      .filter((note) => note.user !== user);
  } catch {
    return [];
  }
};
