/** Log lines as JSON on stderr (pino): one object a line, with the request id where there is one. */

import { write, writeSync } from "node:fs";
import { type DestinationStream, pino, stdTimeFunctions } from "pino";
import type { HttpObserver } from "./http/app-context.ts";
import type { Log } from "./ports.ts";

/**
 * Fields redacted from the log, at top level and one level down, as a safety net: the code does not log them. Errors
 * are reduced to type, code, message and stack, since a database's `detail` quotes values.
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

/** A log that can be flushed before the process ends. */
export interface ClosableLog extends Log {
  debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Writes buffered lines. */
  flush(): void;
}

const stderrDescriptor = 2;

/** @param stream for tests; the default is stderr, written asynchronously. */
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

/** Passes each request on and logs it: changes at `info`, reads at `debug`, server errors at `error`. */
export const logRequests = (log: ClosableLog, next: HttpObserver): HttpObserver => ({
  answered(request) {
    next.answered(request);
    const { method, route, status, durationMs, requestId } = request;
    const write = status >= 500 ? log.error : method === "POST" || status >= 400 ? log.info : log.debug;
    write({ request_id: requestId, method, route, status, duration_ms: durationMs }, "request");
  },
});

const waitingBytesMax = 4 * 1024 * 1024;
const flushTriesMax = 50;

const isBusy = ({ code }: NodeJS.ErrnoException): boolean => code === "EAGAIN" || code === "EBUSY";
/** Whether the reader is gone for good; other errors, such as a full disk, may pass. */
const isGoneFor = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EBADF";

const linesIn = (bytes: Buffer): number => bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);

/**
 * Buffers log lines and writes them without blocking; lines that cannot be written are counted as lost. @param
 * fileDescriptor 1 for stdout, 2 for stderr.
 */
export const createLogStream = (fileDescriptor: number) => {
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let linesLost = 0;
  let isWriting = false;
  let isGone = false;

  const take = (): Buffer => {
    const batch = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    return batch;
  };
  const putBack = (bytes: Buffer): void => {
    if (bytes.length === 0) return;
    waiting.unshift(bytes);
    waitingBytes += bytes.length;
  };
  const fail = (error: NodeJS.ErrnoException, batch: Buffer): void => {
    if (isGoneFor(error)) isGone = true;
    else if (isBusy(error)) putBack(batch);
    else linesLost += linesIn(batch);
  };

  const writeNext = (): void => {
    if (isWriting || isGone || waitingBytes === 0) return;
    const batch = take();
    isWriting = true;
    write(fileDescriptor, batch, (error, written) => {
      isWriting = false;
      // A failed write is tried again with the next line.
      if (error !== null) return fail(error, batch);
      putBack(batch.subarray(written));
      writeNext();
    });
  };

  const add = (line: string): void => {
    const bytes = Buffer.from(line);
    waiting.push(bytes);
    waitingBytes += bytes.length;
  };

  return {
    write(line: string): void {
      if (isGone) return;
      if (waitingBytes + line.length > waitingBytesMax) {
        linesLost += 1;
        return;
      }
      if (linesLost > 0) add(`${JSON.stringify({ level: "error", lines: linesLost, msg: "log lines were lost" })}\n`);
      linesLost = 0;
      add(line);
      writeNext();
    },
    /** Writes all buffered lines synchronously, before the process ends. */
    flushSync(): void {
      for (let attempt = 0; attempt < flushTriesMax && !isGone && waitingBytes > 0; attempt += 1) {
        const batch = take();
        try {
          putBack(batch.subarray(writeSync(fileDescriptor, batch)));
        } catch (error) {
          fail(error as NodeJS.ErrnoException, batch);
        }
      }
    },
  };
};
