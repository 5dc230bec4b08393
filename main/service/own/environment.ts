/** The environment of the own service: its own settings, and few variables of the shell. */
import path from "node:path";
import { type Environment, inheritedFrom } from "../inherited.ts";
import type { OwnServiceSettings } from "./settings-file.ts";

/** How this machine reaches a bank. */
const outbound = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;

/** Path of the database in the service's folder. */
export const databaseIn = (folder: string): string => path.join(folder, "service.db");

/** Its name for this terminal, in the credential and in the journal; the calls go over the channel, whoever has the port. */
export const addressOf = ({ port }: Pick<OwnServiceSettings, "port">): string => `http://127.0.0.1:${port}`;

/** Every port that it listens on; empty before its set-up. */
export const portsOf = (settings: Pick<OwnServiceSettings, "port" | "network"> | null): readonly number[] =>
  settings === null ? [] : [settings.port, ...(settings.network === null ? [] : [settings.network.port])];

/** The environment of the child process. @param env of this program. */
export const ownEnvironment = (
  folder: string,
  { port, backupFolder, network }: OwnServiceSettings,
  env: Environment,
): Environment => {
  const local = { HOST: "127.0.0.1", PORT: String(port) };
  const open = (at: NonNullable<typeof network>) => ({
    HOST: "0.0.0.0",
    PORT: String(at.port),
    PUBLIC_URL: at.publicUrl,
    TLS_CERT: at.certFile,
    TLS_KEY: at.keyFile,
  });
  return {
    ...inheritedFrom(env, outbound),
    ...(network === null ? local : open(network)),
    DATABASE_URL: `sqlite:${databaseIn(folder)}`,
    BACKUP_DIR: backupFolder,
    METRICS_PORT: "0",
  };
};
