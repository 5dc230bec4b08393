/** A start on a bad disk: it goes on without what is a convenience, and otherwise ends with its lock released. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openBrowserHost } from "../../../main/browser/host.ts";

let data = "";
let built = "";
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), "bad-disk-"));
  built = path.join(data, "built");
  mkdirSync(path.join(built, "renderer"), { recursive: true });
  writeFileSync(path.join(built, "renderer", "index.html"), "<!doctype html>");
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

const open = () =>
  openBrowserHost({ built, data, port: null, training: false, restart: () => undefined, entered: () => undefined });

test("goes on where its port cannot be noted", async () => {
  // A folder of that name stands for a disk that does not take the file.
  mkdirSync(path.join(data, "till-port.json.new"));
  const host = await open();
  expect(host.kind).toBe("started");
  if (host.kind === "started") await host.stop();
});

test("a start that fails lets go of the folder, so that the next one can have it", async () => {
  rmSync(path.join(built, "renderer", "index.html"));
  await expect(open()).rejects.toThrow("npm run build");
  writeFileSync(path.join(built, "renderer", "index.html"), "<!doctype html>");
  const host = await open();
  expect(host.kind).toBe("started");
  if (host.kind === "started") await host.stop();
});
