/** Log lines as JSON on stderr (pino): one object a line, with the request id where there is one. */

import { write, writeSync } from "node:fs";
import { type DestinationStream, pino, stdTimeFunctions } from "pino";
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

const waitingBytesMax = 4 * 1024 * 1024;
const flushTriesMax = 50;

const isBusy = ({ code }: NodeJS.ErrnoException): boolean => code === "EAGAIN" || code === "EBUSY";
/** Nobody will ever read again. Anything else, a full disk above all, may pass. */
const isGoneFor = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EBADF";

const linesIn = (bytes: Buffer): number => bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);

/** Where log lines go; never blocks the process for long. @param fileDescriptor 1 for stdout, 2 for stderr. Lines that cannot be written are counted, not kept for ever. */
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
      // What could not be written is tried again with the next line.
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
    /** Writes out what waits, for the moment before the process ends. */
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
