/** Looks at the files of HTTPS before anything starts, so that a refusal names the setting. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { TlsFiles } from "./listen.ts";

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A sentence for the operator; `null`: HTTPS can be spoken with them. */
export const tlsProblem = ({ certFile, keyFile }: TlsFiles): string | null => {
  const unreadable: string[] = [];
  const read = (name: string, file: string) => {
    try {
      return readFileSync(file);
    } catch (error) {
      unreadable.push(`${name} cannot be read: ${reasonOf(error)}`);
      return undefined;
    }
  };
  const [cert, key] = [read("TLS_CERT", certFile), read("TLS_KEY", keyFile)];
  if (unreadable.length > 0) return unreadable.join("\n");
  try {
    createSecureContext({ cert, key, minVersion: "TLSv1.2" });
    return null;
  } catch (error) {
    return `TLS_CERT and TLS_KEY must be a certificate and its own key, both PEM: ${reasonOf(error)}`;
  }
};
