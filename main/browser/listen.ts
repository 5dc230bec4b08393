/** Listens on loopback, on the same port as last time where that is free, so that an open page finds its terminal again. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import { portSchema } from "../host/port.ts";

const bind = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** `wanted` null prefers the port remembered in `file`; a wanted port that is taken is an error. Resolves with the port. */
export async function listen(server: Server, wanted: number | null, file: string): Promise<number> {
  if (wanted !== null) return bind(server, wanted);
  const last = readJson(file, portSchema);
  const port = await bind(server, last ?? 0).catch(() => bind(server, 0));
  tryWriteJson(file, port);
  return port;
}
