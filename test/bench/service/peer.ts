/** Stand-ins for such a service that a developer may have installed, fed with our own document. Never downloaded. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiText } from "../../../backend/http/openapi.ts";
import { operations } from "../../../backend/http/operations/index.ts";
import { freePort } from "../../free-port.ts";
import { measureRate, requestBytes } from "./load.ts";

const connections = 64;
const startMaxMs = 30_000;

const isUp = async (port: number, child: ChildProcess): Promise<boolean> => {
  const startedAt = performance.now();
  while (performance.now() - startedAt < startMaxMs && child.exitCode === null) {
    const answered = await fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
    if (answered) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
};

interface Peer {
  readonly name: string;
  readonly program: string;
  arguments(file: string, port: string): readonly string[];
}

const peers: readonly Peer[] = [
  { name: "Prism", program: "prism", arguments: (file, port) => ["mock", "-h", "127.0.0.1", "-p", port, file] },
  {
    name: "Mockoon",
    program: "mockoon-cli",
    arguments: (file, port) => ["start", "--data", file, "--hostname", "127.0.0.1", "--port", port],
  },
];

/** Requests a second of one stand-in. */
interface PeerRate {
  readonly name: string;
  readonly perSecond: number;
}

/** Requests a second for GET /transaction, for each peer that is installed. */
export const measurePeers = async (durationMs: number): Promise<readonly PeerRate[]> => {
  const rates: PeerRate[] = [];
  for (const peer of peers) {
    const perSecond = await measurePeer(peer, durationMs);
    if (perSecond !== null) rates.push({ name: peer.name, perSecond });
  }
  return rates;
};

const measurePeer = async (peer: Peer, durationMs: number): Promise<number | null> => {
  const found = spawnSync(peer.program, ["--version"], { encoding: "utf8" });
  if (found.status !== 0) return null;
  const folder = mkdtempSync(join(tmpdir(), "tillcash-peer-"));
  const file = join(folder, "openapi.json");
  writeFileSync(
    file,
    await openApiText(operations, { publicUrl: "http://127.0.0.1", scaSeconds: 40, orderTtlSeconds: 900 }),
  );
  const port = await freePort();
  const child = spawn(peer.program, peer.arguments(file, String(port)), { stdio: "ignore", cwd: folder });
  try {
    if (!(await isUp(port, child))) throw new Error(`${peer.name} did not start`);
    const bytes = requestBytes("GET", "/transaction?id=7F3K9Q2MX4T8WZ0G", "token");
    const { perSecond } = await measureRate(port, connections, durationMs, async (connection) => {
      const reply = await connection.send(bytes);
      if (reply.status !== 200) throw new Error(`${peer.name}: ${reply.status}: ${reply.text}`);
    });
    return perSecond;
  } finally {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
};
