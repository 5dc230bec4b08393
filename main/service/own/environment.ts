/** What the service of one's own is started with: its settings alone, whatever the shell has set. */
import path from "node:path";
import type { OwnServiceSettings } from "./settings-file.ts";

/** Of the surroundings a program needs these; everything else could be a setting of another service. */
const inherited = [
  "PATH",
  "HOME",
  "TMPDIR",
  "TEMP",
  "TMP",
  "TZ",
  "LANG",
  "SystemRoot",
  "USERPROFILE",
  "NODE_EXTRA_CA_CERTS",
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
] as const;

/** The database of a service whose files lie in `folder`. */
export const databaseIn = (folder: string): string => path.join(folder, "service.db");

/** Where this terminal reaches it: always plain http on this very machine, so that the book stays one. */
export const addressOf = ({ port }: Pick<OwnServiceSettings, "port">): string => `http://127.0.0.1:${port}`;

/** Every port that it listens on; none before its set-up. */
export const portsOf = (settings: Pick<OwnServiceSettings, "port" | "network"> | null): readonly number[] =>
  settings === null ? [] : [settings.port, ...(settings.network === null ? [] : [settings.network.port])];

/** @param env of this program. */
export const ownEnvironment = (
  folder: string,
  { port, backupFolder, network }: OwnServiceSettings,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> => {
  const kept = inherited.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  const local = { HOST: "127.0.0.1", PORT: String(port) };
  const open = (at: NonNullable<typeof network>) => ({
    HOST: "0.0.0.0",
    PORT: String(at.port),
    LOOPBACK_PORT: String(port),
    PUBLIC_URL: at.publicUrl,
    TLS_CERT: at.certFile,
    TLS_KEY: at.keyFile,
  });
  return {
    ...Object.fromEntries(kept),
    ...(network === null ? local : open(network)),
    DATABASE_URL: `sqlite:${databaseIn(folder)}`,
    BACKUP_DIR: backupFolder,
    METRICS_PORT: "0",
  };
};
