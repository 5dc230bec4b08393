#!/usr/bin/env node
/** The program: `npm run backend`, and its commands. */
import { Console } from "node:console";
import { trustMachine } from "../outbound/authorities.ts";
import type { HostMessage } from "./contract/host-channel.ts";
import { helpOf, parseCommandLine, UsageError } from "./operate/arguments.ts";
import type { Running } from "./serve.ts";
import { exitFailed, startFailure } from "./start-failure.ts";
import { serviceVersion } from "./version.ts";

/** Whatever hangs: the promise is to be gone after 10 s, and what DRAIN_SECONDS has over 3. */
const stopMaxMs = 9_500;
const drainInsideMs = 3_000;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** A reader that has seen enough (`| head`) is no trouble: what nobody reads is dropped, and a service runs on. */
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

/** stdout holds our own lines alone, whatever a library prints. */
globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });

const serve = async (settings: Readonly<Record<string, string | undefined>>): Promise<void> => {
  const { parseConfig } = await import("./config.ts");
  const result = parseConfig(settings);
  if (!result.ok) throw new UsageError(result.problems.join("\n"));
  if (result.config.tls !== null) {
    const problem = (await import("./http/listen.ts")).tlsProblem(result.config.tls);
    if (problem !== null) throw new UsageError(problem);
  }
  const [{ createLog }, { startService }] = await Promise.all([import("./log.ts"), import("./serve.ts")]);
  const log = createLog(result.config.logLevel);
  // A bank on this very machine, which the sandbox brings, needs none of them.
  if (!result.config.sandbox) for (const problem of trustMachine(process.env)) log.warn({ problem }, "authorities");
  const running = await startService(result.config, log);
  await listenToHost(running);

  let [stopping, exitCode] = [false, 0];
  const stop = (why: string, drainMs = 0) => {
    log.info({ why }, "stopping");
    const beforeMs = stopping ? 0 : Math.max(0, drainMs - drainInsideMs);
    stopping = true;
    setTimeout(() => process.exit(exitCode), stopMaxMs + beforeMs).unref();
    running.stop(drainMs).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        log.error({ err: error }, "stopped with an error");
        log.flush();
        process.exit(exitFailed);
      },
    );
  };
  const { drainMs } = result.config;
  void running.refused.then((error) => {
    const failure = startFailure(error);
    process.stderr.write(failure.text);
    exitCode = failure.exitCode;
    stop("SERVICE_KEY");
  });
  process.on("SIGTERM", () => stop("SIGTERM", drainMs));
  process.on("SIGINT", () => stop("SIGINT"));
  // A parent ends by the same signal: that is no second one, which cuts the drain short.
  stopWithParent(() => stopping || stop("parent"));
  const crash = (error: unknown) => {
    log.error({ err: error }, "crashed");
    log.flush();
    process.exit(exitFailed);
  };
  process.on("uncaughtException", crash);
  process.on("unhandledRejection", crash);
  print(
    `service listening on ${running.scheme}://${running.host.includes(":") ? `[${running.host}]` : running.host}:${running.port}`,
  );
};

/** The program that started this one calls it and gives the operator's commands over a channel that nobody else has. */
const listenToHost = async (running: Running): Promise<void> => {
  if (!hasParent()) return;
  const { answerHost } = await import("./operate/answer-host.ts");
  onParentMessage((message) => {
    void answerHost(running, message).then((answer) => answer && sendToParent(answer));
  });
};

const main = async (): Promise<void> => {
  // Whatever this program or a library of it writes is its owner's alone.
  process.umask(0o077);
  const line = parseCommandLine(process.argv.slice(2), process.env);
  if (line.version) return void print(serviceVersion);
  if (line.help || line.words[0] === "help") return void print(helpOf(line.words.find((word) => word !== "help")));
  if (line.words.length === 0) return serve(line.settings);
  const { manage, table } = await import("./operate/manage.ts");
  const output = await manage(line);
  // A script that goes live asks for the exit code.
  if (output.some(({ verdict }) => verdict === "wrong")) process.exitCode = exitFailed;
  if (line.json) return void print(JSON.stringify(output, null, 2));
  print(output.length === 0 ? "none" : table(output));
  for (const { enrolment } of output)
    if (typeof enrolment === "string") print(`\n${(await import("./operate/qr-text.ts")).qrText(enrolment)}`);
  if (output.some((row) => "password" in row || "secret" in row))
    print("\nThe secret is shown this once. Keep it safe.");
};

/** The program that started this one (a terminal's host, npm's shell): this one ends with it, on its word or when it is gone. */

const checkEveryMs = 250;
/** Read when this is loaded: the parent may end while the service starts. */
const parent = process.ppid;

/** The port of an Electron utility process, as far as it is used here. */
interface ParentPort {
  on(event: "message", listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** A utility process has no channel of Node's; it dies with Electron, which closes it from outside. */
const { parentPort } = process as { parentPort?: ParentPort };

/** Whether a program listens on a channel of its own to this one. */
const hasParent = (): boolean => parentPort !== undefined || process.send !== undefined;

/** Calls with each message over that channel. */
function onParentMessage(listener: (message: unknown) => void): void {
  process.on("message", listener);
  parentPort?.on("message", ({ data }) => listener(data));
}

/** Sends a message, of what JSON can hold; a channel that is closed takes none, and `stopWithParent` ends this program. */
function sendToParent(message: unknown): void {
  if (parentPort !== undefined) parentPort.postMessage(message);
  else if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** Calls `stop` once: on the message `stop`, when the channel to the program that started this one closes, or when npm's shell ended. */
function stopWithParent(stop: () => unknown): void {
  let stopped = false;
  const once = (): void => {
    if (stopped) return;
    stopped = true;
    stop();
  };
  onParentMessage((message) => message === "stop" && once());
  process.on("disconnect", once);
  // False only where there was a channel: it closed while the service was starting.
  if (process.connected === false) once();
  // npm passes a signal to its shell, which ends without passing it on.
  if (process.env.npm_lifecycle_event === undefined) return;
  setInterval(() => process.ppid !== parent && once(), checkEveryMs).unref();
}

main().catch(async (error: unknown) => {
  const { text, exitCode } = startFailure(error);
  process.stderr.write(text);
  process.exitCode = exitCode;
  if (hasParent()) {
    const { sentenceOf, troubleOf } = await import("./operate/answer-host.ts");
    sendToParent({ kind: "cannot_start", why: troubleOf(error), message: sentenceOf(error) } satisfies HostMessage);
  }
  setTimeout(() => process.exit(), 100).unref();
});
