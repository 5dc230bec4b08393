/** Ports for programs that are told theirs before they start. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A TCP port of this machine that nothing listens on, from below those that a system hands out by itself: between this call
 * and the program's start no other test is given it that asks for any port, or for a connection.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    // Above 10080, which fetch and browsers refuse to call.
    const port = randomInt(11_000, 32_000);
    if (await isFree(port)) return port;
  }
};

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
