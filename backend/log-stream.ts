/**
 * Log lines to an open file, without waiting for the disk or the pipe behind it: bounded in memory, dropped and counted when
 * nobody takes them. pino's own stream tries for ever to write its rest to a reader that is gone, and holds up the stop.
 */
import { write, writeSync } from "node:fs";

const waitingBytesMax = 4 * 1024 * 1024;
const flushTriesMax = 50;

/** Where log lines go; never blocks the process for long. */
export interface LogStream {
  write(line: string): void;
  /** Writes out what waits, for the moment before the process ends. */
  flushSync(): void;
}

const isBusy = ({ code }: NodeJS.ErrnoException): boolean => code === "EAGAIN" || code === "EBUSY";
/** Nobody will ever read again. Anything else, a full disk above all, may pass. */
const isGoneFor = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EBADF";

const linesIn = (bytes: Buffer): number => bytes.reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 0);

/** @param fileDescriptor 1 for stdout, 2 for stderr. Lines that cannot be written are counted, not kept for ever. */
export const createLogStream = (fileDescriptor: number): LogStream => {
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
    write(line) {
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
    flushSync() {
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
