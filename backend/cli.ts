/** The program: `npm run backend`, and its commands. */
import { Console } from "node:console";
import { trustMachine } from "../outbound/authorities.ts";
import type { HostMessage } from "./contract/host-channel.ts";
import { helpOf, parseCommandLine, UsageError } from "./operate/arguments.ts";
import type { Running } from "./serve.ts";
import { exitFailed, startFailure } from "./start-failure.ts";
import { serviceVersion } from "./version.ts";

/** The process exits within 10 s whatever hangs (plus what DRAIN_SECONDS has over 3). */
const stopMaxMs = 9_500;
const drainInsideMs = 3_000;

const print = (text: string) => process.stdout.write(`${text}\n`);

/** A closed reader (`| head`) is no error: further output is dropped, and a service runs on. */
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
  // The sandbox's bank is on this machine and needs no certificate authorities.
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
  // The parent gets the same signal; its end must not count as a second one, which would cut the drain short.
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

/** Answers the parent, which gives operator's commands over the private channel. */
const listenToHost = async (running: Running): Promise<void> => {
  if (!hasParent()) return;
  const { answerHost } = await import("./operate/answer-host.ts");
  onParentMessage((message) => {
    void answerHost(running, message).then((answer) => answer && sendToParent(answer));
  });
};

const main = async (): Promise<void> => {
  // Files of this program and its libraries are readable by their owner alone.
  process.umask(0o077);
  const line = parseCommandLine(process.argv.slice(2), process.env);
  if (line.version) return void print(serviceVersion);
  if (line.help || line.words[0] === "help") return void print(helpOf(line.words.find((word) => word !== "help")));
  if (line.words.length === 0) return serve(line.settings);
  const { manage, table } = await import("./operate/manage.ts");
  const output = await manage(line);
  // `partners test` sets the exit code, for scripts that go live.
  if (output.some(({ verdict }) => verdict === "wrong")) process.exitCode = exitFailed;
  if (line.json) return void print(JSON.stringify(output, null, 2));
  print(output.length === 0 ? "none" : table(output));
  for (const { enrolment } of output)
    if (typeof enrolment === "string") print(`\n${(await import("./operate/qr-text.ts")).qrText(enrolment)}`);
  if (output.some((row) => "password" in row || "secret" in row))
    print("\nThe secret is shown this once. Keep it safe.");
};

/** How often to check whether the parent (a terminal's host, npm's shell) is gone. */

const checkEveryMs = 250;
/** Read when this is loaded: the parent may end while the service starts. */
const parent = process.ppid;

/** The part of an Electron utility process's port that is used here. */
interface ParentPort {
  on(event: "message", listener: (message: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
}

/** Set in a utility process, which has no Node channel and is ended by Electron. */
const { parentPort } = process as { parentPort?: ParentPort };

/** Whether the parent has opened a channel to this process. */
const hasParent = (): boolean => parentPort !== undefined || process.send !== undefined;

/** Calls with each message over that channel. */
function onParentMessage(listener: (message: unknown) => void): void {
  process.on("message", listener);
  parentPort?.on("message", ({ data }) => listener(data));
}

/** Sends a JSON message; on a closed channel it is dropped, and `stopWithParent` ends this program. */
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
