/** A way to PostgreSQL that swallows everything and closes nothing, as a firewall does that forgot a connection. */
import { connect, createServer, type Server, type Socket } from "node:net";

/** Lets a server listen. @returns the database's address, by way of it. */
export const listenInFrontOf = async (database: URL, server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = new URL(database);
  url.port = typeof address === "object" && address ? String(address.port) : "";
  return url.href;
};

/** Passes bytes on until it is told to swallow those of the connections it has; new ones pass. */
export const createWay = async (target: URL) => {
  const sockets = new Set<Socket>();
  const pairs: [Socket, Socket][] = [];
  let lastWords: string | null = null;
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
    }
    near.on("close", () => far.destroy());
    far.on("close", () => near.destroy());
    near.pipe(far);
    far.pipe(near);
    near.on("data", (sent: Buffer) => {
      if (lastWords !== null && sent.includes(lastWords)) near.unpipe(far).resume();
    });
    pairs.push([near, far]);
  });
  return {
    url: await listenInFrontOf(target, server),
    swallow() {
      for (const [near, far] of pairs.splice(0)) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    /** From a connection that has sent these words nothing more comes, as from a machine that died. */
    swallowAfter(words: string) {
      lastWords = words;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
