/** The next version as an update server has it, and a terminal that takes it without anybody's word. */
import { createReadStream, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parse } from "yaml";
import { isFeedFile, rehearsedUrl } from "../../tools/release/feed.ts";

/** Serves a folder's files where versions that are tried out look for them. @param from another place, for a test. */
export const serveFeed = async (
  folder: string,
  from = rehearsedUrl,
): Promise<{ readonly version: string; close(): void }> => {
  const { hostname, port, pathname } = new URL(from);
  const feed = readdirSync(folder).find(isFeedFile);
  if (feed === undefined) throw new Error(`${folder} has no feed`);
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? "/", from).pathname.slice(pathname.length));
    const file = path.join(folder, path.basename(name));
    if (existsSync(file)) createReadStream(file).pipe(response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(Number(port), hostname, resolve);
  });
  return {
    version: parse(readFileSync(path.join(folder, feed), "utf8")).version,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Sets a terminal that is not running to install new versions at any time of the day. @param file its settings. */
export const alwaysUpdate = (file: string): void => {
  const document = JSON.parse(readFileSync(file, "utf8"));
  const window = { from: "00:00", to: "00:00" };
  const till = { ...document.till, updates: { ...document.till.updates, enabled: true, window } };
  writeFileSync(file, JSON.stringify({ ...document, till }));
};

/** Waits for a line of a terminal's log. @throws Error */
export const waitForLine = async (data: string, line: RegExp, maxMs: number): Promise<void> => {
  const file = path.join(data, "till.log");
  const endsAt = performance.now() + maxMs;
  while (!existsSync(file) || !line.test(readFileSync(file, "utf8"))) {
    if (performance.now() > endsAt) throw new Error(`${file} does not say ${line}`);
    await delay(500);
  }
};
