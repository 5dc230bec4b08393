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

/** The first one is for a new terminal. */
const localFolders = ({ platform, env, home }: Surroundings): readonly string[] => {
  if (platform === "win32") return env.LOCALAPPDATA ? [path.win32.join(env.LOCALAPPDATA, "Tillcash")] : [];
  if (platform === "darwin") return [];
  const state = env.XDG_STATE_HOME;
  const named = state && path.isAbsolute(state) ? [state] : [];
  return [...named, path.join(home, ".local", "state")].map((folder) => path.join(folder, "tillcash"));
};

/** The data folder. A journal of an older version, or of a start without XDG_STATE_HOME, stays where it is, so that its open withdrawals go on. */
export function usualDataFolder(surroundings: Surroundings): string {
  const { userData, hasJournal } = surroundings;
  const folders = [...localFolders(surroundings), userData];
  return folders.find(hasJournal) ?? folders[0] ?? userData;
}

/** Whether a folder is among the program's own files, which an update or removal deletes. */
export function liesInProgram(folder: string, program: string, platform: NodeJS.Platform): boolean {
  const { dirname, relative, isAbsolute } = platform === "win32" ? path.win32 : path.posix;
  const bundle = /^.*?\.app(?=\/Contents\/MacOS\/)/.exec(program)?.[0];
  const way = relative(bundle ?? dirname(program), folder);
  return !way.startsWith("..") && !isAbsolute(way);
}
