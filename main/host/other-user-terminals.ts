/** Notes among the users of one computer, so that nobody begins a second terminal as somebody else: hints, no more. */
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/** One line in a dialog, whoever wrote it. */
const shownText = z.string().regex(/^\P{C}{1,100}$/u);

const noteSchema = z.object({
  version: z.literal(1),
  /** Of the operating system. */
  user: shownText,
  device: shownText,
});
/** A terminal of a user of this computer. */
type MachineNote = Omit<z.infer<typeof noteSchema>, "version">;

const noteBytesMax = 1_024;
const notesMax = 20;

/** Every user of the computer may leave a note there, and change none of another's. */
export const machineFolder = (platform: NodeJS.Platform, env: Readonly<Record<string, string | undefined>>): string => {
  if (platform === "win32") return path.win32.join(env.ProgramData ?? "C:\\ProgramData", "Tillcash");
  return platform === "darwin" ? "/Users/Shared/Tillcash" : "/var/tmp/tillcash";
};

const nameFor = (user: string): string =>
  `terminal-${createHash("sha256").update(user).digest("hex").slice(0, 16)}.json`;

/** Never throws: without the note the next user is not asked. */
export const leaveNote = (folder: string, note: MachineNote): void => {
  const file = path.join(folder, nameFor(note.user));
  try {
    if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o1777);
    rmSync(file, { force: true });
    // Deleted first: a link that somebody put there is not followed.
    writeFileSync(file, JSON.stringify({ version: 1, ...note }), { flag: "wx", mode: 0o644 });
    chmodSync(file, 0o644);
  } catch {
    // A computer that does not let its users share a folder.
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

/** The terminals of other users of this computer, as they say. Empty where nothing can be read. */
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
