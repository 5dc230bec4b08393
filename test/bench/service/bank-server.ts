/** A bank that says yes to everything, as fast as node:http can. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const answer = '{"status":"accepted"}';
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": answer.length });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`listening on ${(server.address() as AddressInfo).port}`));
