/** Ports for programs that are told theirs before they start. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { createServer } from "node:net";

/**
 * A TCP port of this machine that nothing listens on, from below those that a system hands out by itself: between this call
 * and the program's start no test is given it that asks for any port, or for a connection, nor one that asks here.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    // Above 10080, which fetch and browsers refuse to call.
    const port = randomInt(11_000, 32_000);
    if ((await isFree(port)) && (await reserve(port))) return port;
  }
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

/** Other processes' tests ask here too: whose UDP port of that number it is has it until its process ends. */
const reserve = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const sign = createSocket("udp4");
    sign.once("error", () => resolve(false));
    sign.bind({ port, address: "127.0.0.1", exclusive: true }, () => {
      sign.unref();
      resolve(true);
    });
  });
