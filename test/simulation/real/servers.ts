/** What stands around the real programs: a bank with a ledger on HTTP, and a drawer behind a receipt printer on TCP. */
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { SimulatedBank } from "../bank.ts";

const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** The simulated bank behind a socket; a call it says nothing to is left hanging until the caller gives up. */
export const serveBank = async (bank: SimulatedBank): Promise<{ url: string; close(): void }> => {
  const server = createHttpServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = `http://bank${request.url}`;
    const headers = request.headers as Record<string, string>;
    const answer = bank.receive({ url, headers, body: Buffer.concat(chunks).toString("utf8"), timeoutMs: 0 });
    if (answer) response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const escapeByte = 0x1b;
const dataLinkEscape = 0x10;
/** A printer that is alive; its drawer has no switch. */
const alive = Buffer.from([0x12]);

/** Listens on a free port of this machine; `onKick` for each pulse. */
export const serveDrawer = async (onKick: () => void): Promise<{ port: number; close(): void }> => {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (bytes) => {
      if (bytes.includes(escapeByte)) onKick();
      if (bytes.includes(dataLinkEscape)) socket.write(alive);
    });
  });
  const port = await listen(server);
  return { port, close: () => void server.close() };
};
