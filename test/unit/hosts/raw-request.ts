/** Requests as no browser sends them: over node:http, because `fetch` neither sends a forged Host nor leaves a path with dots alone. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/** One request to a port of this machine. */
export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  /** A header once more. */
  readonly twice?: readonly [name: string, value: string];
}

/** Resolves with the answer's head; its body is read by whoever wants it. */
export const sendTo = async (
  port: number,
  { method = "GET", path, headers = {}, body, twice }: Sent,
): Promise<IncomingMessage> => {
  const all = { host: `127.0.0.1:${port}`, "content-length": String(Buffer.byteLength(body ?? "")), ...headers };
  const raw = [...Object.entries(all), ...(twice === undefined ? [] : [twice])].flat();
  // A connection of its own: a kept one may be closed by the program at the moment when this leaves.
  const connection = { agent: false, host: "127.0.0.1", port };
  const sent = request({ ...connection, method, path, headers: twice === undefined ? headers : raw });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return answer;
};

/** What the first of the server-sent events says. */
export const firstEventOf = async (answer: IncomingMessage): Promise<unknown> => {
  let seen = "";
  for await (const chunk of answer) {
    seen += String(chunk);
    if (seen.includes("data: ")) break;
  }
  return JSON.parse(/data: (.*)/.exec(seen)?.[1] ?? "null");
};
