/** A company's network: a server that only its own authority vouches for, and a proxy that is the one way to it. */
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Server as NetServer } from "node:net";
import { insideCertificate, insideKey } from "../../service/tls-files.ts";

const listen = async (server: NetServer): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

/** Both, on this machine. */
export interface CompanyNetwork {
  /** No name server knows it: only the proxy does. */
  readonly address: string;
  readonly proxy: string;
  /** What the proxy was asked for, in order. */
  readonly asked: readonly string[];
  /** What the server was asked for, in order. */
  readonly reached: readonly string[];
  /** From now on the proxy answers with this status; 200 lets through. */
  answerWith(status: number): void;
  close(): Promise<void>;
}

/** The proxy takes every name to the server: CONNECT alone (RFC 9110 §9.3.6), all else is refused. */
export const openCompanyNetwork = async (): Promise<CompanyNetwork> => {
  const asked: string[] = [];
  const reached: string[] = [];
  let status = 200;
  const server = createSecureServer({ cert: insideCertificate, key: insideKey }, (request, response) => {
    reached.push(`${request.method} ${request.url}`);
    request.resume();
    response.writeHead(200, { "content-type": "application/json", "content-length": "15" }).end('{"status":"ok"}');
  });
  const inside = await listen(server);
  const proxy: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(405).end();
  });
  proxy.on("connect", (request, client, head) => {
    asked.push(`CONNECT ${request.url}`);
    client.on("error", () => undefined);
    if (status !== 200) return client.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const through = connect(inside, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      through.write(head);
      through.pipe(client).pipe(through);
    });
    through.on("error", () => client.destroy());
    client.on("close", () => through.destroy());
  });
  const port = await listen(proxy);
  return {
    address: "https://inside.example",
    proxy: `http://127.0.0.1:${port}`,
    asked,
    reached,
    answerWith(next) {
      status = next;
    },
    async close() {
      for (const each of [server, proxy]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
    },
  };
};
