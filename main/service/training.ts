/** Training: the bundled service with its sandbox on, and a till that is enrolled there already. */
import { createServer } from "node:net";
import path from "node:path";
import type { Credential, Secrets } from "../terminal/ports.ts";

const preferredPort = 8787;

const canListen = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(null));
    probe.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" ? (address?.port ?? null) : null));
    });
  });

/** The usual port of the service when it is free, so that links to it outlive a restart; else any free one. */
export async function choosePort(wanted = preferredPort): Promise<number> {
  const port = (await canListen(wanted)) ?? (await canListen(0));
  if (port === null) throw new Error("No free port on 127.0.0.1 for the service.");
  return port;
}

/** The service's settings: on this machine only, its database in the till's data folder, whatever the shell has set. */
export const trainingEnvironment = (folder: string, port: number): Record<string, string | undefined> => ({
  ...process.env,
  HOST: "127.0.0.1",
  PORT: String(port),
  SANDBOX: "1",
  DATABASE_URL: `sqlite:${path.join(folder, "service.db")}`,
  PARTNER_URL: undefined,
  PARTNER_SECRET: undefined,
  TOKEN_SECRET: undefined,
  PUBLIC_URL: undefined,
});

const trainingCredential = (port: number): Credential => ({
  serviceUrl: `http://127.0.0.1:${port}`,
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
});

/** The sandbox's own credential, which is no secret; enrolling elsewhere lasts until the program ends. */
export function trainingSecrets(port: number): Secrets {
  let credential = trainingCredential(port);
  return {
    load: () => credential,
    save(changed) {
      credential = changed;
    },
  };
}
