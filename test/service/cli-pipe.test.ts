/** The program behind a pipe whose reader is gone. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { freePort } from "../free-port.ts";
import { ensureBuilt } from "../runner/built.ts";
import { bareEnvironment } from "../runner/run-program.ts";
import { createPlace } from "./stores.ts";

beforeAll(ensureBuilt);

/** Starts it with a stdout that nobody reads any more. */
const unread = (args: readonly string[], settings: Record<string, string>) => {
  const child = spawn(process.execPath, ["out/main/service.js", ...args], {
    env: { ...bareEnvironment, TOKEN_SECRET: "a token secret of the tests", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.destroy();
  return child;
};

test("a command whose output nobody reads ends without a stack", async () => {
  const child = unread(["--help"], {});
  const ended = new Promise((done) => child.on("close", done));
  expect([await text(child.stderr), await ended]).toEqual(["", 0]);
});

test("a service whose first line nobody reads runs on", async () => {
  const place = await createPlace("sqlite");
  onTestFinished(() => place.dispose());
  const port = await freePort();
  const child = unread([], { DATABASE_URL: place.url, PORT: String(port), METRICS_PORT: "0" });
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ status }) => status,
      () => null,
    );
  await expect.poll(answers).toBe(200);
  await new Promise((passed) => setTimeout(passed, 500));
  expect([await answers(), log]).toEqual([200, expect.not.stringContaining("crashed")]);
  const ended = new Promise((done) => child.on("close", done));
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
});
