/** A stand-in for such a service that a developer may have installed: Prism, fed with our own document. Never downloaded. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiText } from "../../../backend/http/openapi.ts";
import { measureRate, requestBytes } from "./load.ts";

const connections = 64;
const startMostMs = 30_000;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });

const isUp = async (port: number, child: ChildProcess): Promise<boolean> => {
  const startedAt = performance.now();
  while (performance.now() - startedAt < startMostMs && child.exitCode === null) {
    const answered = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
    if (answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
};

/** Requests a second for GET /transaction; `null` where Prism is not installed. */
export const measurePrism = async (durationMs: number): Promise<number | null> => {
  const found = spawnSync("prism", ["--version"], { encoding: "utf8" });
  if (found.status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), "tillcash-prism-"));
  const file = join(folder, "openapi.json");
  writeFileSync(file, openApiText("http://127.0.0.1"));
  const port = await freePort();
  const child = spawn("prism", ["mock", "-h", "127.0.0.1", "-p", String(port), file], { stdio: "ignore" });
  try {
    if (!(await isUp(port, child))) return null;
    const bytes = requestBytes("GET", "/transaction?id=7F3K9Q2MX4T8WZ0A", "token");
    const { perSecond } = await measureRate(port, connections, durationMs, async (connection) => {
      await connection.ask(bytes);
    });
    return perSecond;
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
};
