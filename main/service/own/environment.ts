/** The environment of the own service: its own settings, and few variables of the shell. */
import path from "node:path";
import type { OwnServiceSettings } from "./settings-file.ts";

/** Variables that are passed on; every other could be a setting of another service. */
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

/** Path of the database in the service's folder. */
export const databaseIn = (folder: string): string => path.join(folder, "service.db");

/** Its address for this terminal: always plain http on loopback, so that the journal keeps one service name. */
export const addressOf = ({ port }: Pick<OwnServiceSettings, "port">): string => `http://127.0.0.1:${port}`;

/** Every port that it listens on; empty before its set-up. */
export const portsOf = (settings: Pick<OwnServiceSettings, "port" | "network"> | null): readonly number[] =>
  settings === null ? [] : [settings.port, ...(settings.network === null ? [] : [settings.network.port])];

/** The environment of the child process. @param env of this program. */
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
