/**
 * Log lines to an open file, without waiting for the disk or the pipe behind it. Nothing here can stop the service: when
 * the reader is gone lines are dropped, when it is slow they wait in memory up to a bound. (pino's own stream tries for
 * ever to write out its rest to a reader that is gone, and a service that should end would not.)
 */
import { write, writeSync } from "node:fs";

const waitingCharactersMax = 4 * 1024 * 1024;
const flushTriesMax = 50;

export interface LogStream {
  write(line: string): void;
  /** Writes out what waits, for the moment before the process ends. */
  flushSync(): void;
}

const isBusy = (error: NodeJS.ErrnoException): boolean => error.code === "EAGAIN" || error.code === "EBUSY";

export const createLogStream = (fileDescriptor: number): LogStream => {
  let waiting = "";
  let isWriting = false;
  let isGone = false;

  const writeNext = (): void => {
    if (isWriting || isGone || waiting === "") return;
    const batch = Buffer.from(waiting);
    waiting = "";
    isWriting = true;
    write(fileDescriptor, batch, (error, written) => {
      isWriting = false;
      if (error === null) {
        waiting = batch.toString("utf8", written) + waiting;
        writeNext();
      } else if (isBusy(error)) {
        // Tried again with the next line.
        waiting = batch.toString() + waiting;
      } else {
        isGone = true;
      }
    });
  };

  return {
    write(line) {
      if (isGone || waiting.length + line.length > waitingCharactersMax) return;
      waiting += line;
      writeNext();
    },
    flushSync() {
      for (let attempt = 0; attempt < flushTriesMax && !isGone && waiting !== ""; attempt += 1) {
        const batch = Buffer.from(waiting);
        try {
          waiting = batch.toString("utf8", writeSync(fileDescriptor, batch));
        } catch (error) {
          isGone = !isBusy(error as NodeJS.ErrnoException);
        }
      }
    },
  };
};
