/** The data folder of an installed terminal: local, not synchronized with a cloud. */
import path from "node:path";

interface Surroundings {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** `app.getPath("userData")`, where older versions kept everything. */
  readonly userData: string;
  readonly hasJournal: (folder: string) => boolean;
}

const localFolder = ({ platform, env, home }: Surroundings): string | null => {
  if (platform === "win32") return env.LOCALAPPDATA ? path.win32.join(env.LOCALAPPDATA, "Tillcash") : null;
  if (platform === "darwin") return null;
  const state = env.XDG_STATE_HOME;
  return path.join(state && path.isAbsolute(state) ? state : path.join(home, ".local", "state"), "tillcash");
};

/** The data folder. An older version's journal stays where it is, so that its open withdrawals go on. */
export function usualDataFolder(surroundings: Surroundings): string {
  const { userData, hasJournal } = surroundings;
  const local = localFolder(surroundings);
  if (local === null || (hasJournal(userData) && !hasJournal(local))) return userData;
  return local;
}

/** Whether a folder is among the program's own files, which an update or removal deletes. */
export function liesInProgram(folder: string, program: string, platform: NodeJS.Platform): boolean {
  const { dirname, relative, isAbsolute } = platform === "win32" ? path.win32 : path.posix;
  const bundle = /^.*?\.app(?=\/Contents\/MacOS\/)/.exec(program)?.[0];
  const way = relative(bundle ?? dirname(program), folder);
  return !way.startsWith("..") && !isAbsolute(way);
}
