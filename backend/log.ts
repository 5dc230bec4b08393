/** Log lines as JSON on stderr (pino): one object a line, with the request id where there is one. */
import { type DestinationStream, pino, stdTimeFunctions } from "pino";
import { createLogStream } from "./log-stream.ts";
import type { Log } from "./ports.ts";

/**
 * Names that must never reach a log, wherever they stand. The code does not log them; this is the second lock. Errors are
 * cut down to type, code, message and stack: a database's `detail` quotes values.
 */
const secretNames = ["user_id", "userId", "balance", "password", "secret", "access_token", "token", "authorization"];

const describeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? String(error.code) : undefined;
  return {
    type: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
};

/** A log that can be written out before the process ends. */
export interface ClosableLog extends Log {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes out what is still in memory. */
  flush(): void;
}

const stderrDescriptor = 2;

/** @param stream for tests; the service writes to stderr, without waiting for the disk or pipe behind it. */
export const createLog = (level: string, stream?: DestinationStream): ClosableLog => {
  const target = stream ?? createLogStream(stderrDescriptor);
  const logger = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), censor: "[redacted]" },
    },
    target,
  );
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush() {
      if ("flushSync" in target && typeof target.flushSync === "function") target.flushSync();
    },
  };
};
