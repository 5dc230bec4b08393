/** How a browser is opened: no other user of the machine may see the address that opens the till. */
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { enterTill } from "../../e2e/stage/bridge-client.ts";
import { startChild } from "../../e2e/stage/child.ts";
import { ensureBuilt } from "../../runner/built.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-entry-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.runIf(process.platform === "linux")(
  "the browser is given a file of this user's, which goes once it was used",
  async () => {
    const opener = path.join(folder, "xdg-open");
    const given = path.join(folder, "given");
    writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$*" > "${given}.new"; mv "${given}.new" "${given}"\n`);
    chmodSync(opener, 0o755);
    const data = path.join(folder, "till");
    const host = await startChild(path.join(await ensureBuilt(), "main", "browser-host.js"), {
      args: ["--live", "--allow-browser", "--port", "0", "--data", data],
      env: { DISPLAY: ":99", PATH: `${folder}:${process.env.PATH}` },
      ready: /^The terminal is at (http:\S+)/,
    });
    try {
      await expect.poll(() => existsSync(given)).toBe(true);
      const argument = readFileSync(given, "utf8");
      const token = new URL(host.address).hash.replace("#enter=", "");
      expect(argument).not.toContain(token);
      const file = fileURLToPath(argument);
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(readFileSync(file, "utf8")).toContain(`content="0;url=${host.address}"`);

      // Over node:http, because `fetch` sends a sec-fetch-mode of its own.
      const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
      const [page] = (await once(get(host.address, { headers }), "response")) as [IncomingMessage];
      expect(page.statusCode).toBe(200);
      expect(await text(page)).toContain('<div id="root">');
      expect(await enterTill(host.address)).not.toBe("");
      expect(existsSync(file)).toBe(false);
    } finally {
      await host.stop();
    }
  },
);
