/** The links that the service was given, asked for under the terminal's own key. */
import { readFileSync } from "node:fs";
import { credentialSchema } from "../../preload/contract.ts";
import { openCredentialFile } from "../host/credential-file.ts";
import { joinNetwork } from "../host/join-network.ts";
import { createClock } from "../terminal/adapters.ts";
import type { Credential } from "../terminal/ports.ts";
import { bodyOf } from "../terminal/service/answer.ts";
import { createServiceClient } from "../terminal/service/client.ts";
import { createKyTransport } from "../terminal/service/transport.ts";
import { type AnchorCheck, compareAnchors } from "../terminal/withdrawal/journal-head.ts";

/** The access key in a file of its own, or as the browser host keeps it in the folder. The desktop's cannot be read here. */
export const credentialFor = async (folder: string, file: string | undefined): Promise<Credential | null> => {
  if (file !== undefined) return credentialSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  return (await openCredentialFile(folder, () => undefined, null)).load();
};

/** Null when the service does not answer with links, or may not be called. */
export const compareWithService = async (
  credential: Credential,
  linkOf: (sequence: number) => string | null,
  takesPlainHttp: boolean,
): Promise<AnchorCheck | null> => {
  joinNetwork(process.env, () => undefined);
  const clock = createClock();
  const secrets = { load: () => credential, save: async () => false };
  const client = createServiceClient({
    clock,
    transport: createKyTransport(clock, { takesSandbox: true, takesPlainHttp }),
    secrets,
  });
  return compareAnchors(bodyOf(await client.listJournalHeads()), linkOf);
};
