/** Requests a printer's status by `DLE EOT`, and where that stays unanswered by automatic status (ASB). */
import type { Line } from "./line.ts";
import {
  asbOff,
  asbOn,
  asbReader,
  endReader,
  endRequest,
  type PrinterStatus,
  readTopic,
  statusByteReader,
  statusRequest,
  type Topic,
} from "./status.ts";

const sendTimeoutMs = 1_000;
const answerTimeoutMs = 1_000;

const request = async <T>(line: Line, bytes: Uint8Array, read: (byte: number) => T | null, timeoutMs: number) => {
  const answer = line.listen(read, timeoutMs);
  await line.send(bytes, sendTimeoutMs);
  return answer;
};

const queryTopic = (line: Line, topic: Topic): Promise<number | null> =>
  request(line, statusRequest[topic], statusByteReader(), answerTimeoutMs);

const queryWhole = async (line: Line): Promise<PrinterStatus | null> => {
  const status = await request(line, asbOn, asbReader(), answerTimeoutMs);
  await line.send(asbOff, sendTimeoutMs);
  return status;
};

/** The drawer's level, printer and paper; null from a printer that says nothing. */
export const queryStatus = async (line: Line): Promise<PrinterStatus | null> => {
  const first = await queryTopic(line, "printer");
  if (first === null) return queryWhole(line);
  let status: PrinterStatus = { level: null, trouble: null, paperLow: false, ...readTopic("printer", first) };
  for (const topic of ["offline", "paper"] as const) {
    const byte = await queryTopic(line, topic);
    // A late answer would be taken for the next request's, so nothing more is requested.
    if (byte === null) return status;
    status = { ...status, ...readTopic(topic, byte) };
  }
  return status;
};

/** The drawer's level and any trouble. @param brief skips the second try with ASB for a printer without `DLE EOT`. */
export const queryDrawer = async (
  line: Line,
  brief = false,
): Promise<Pick<PrinterStatus, "level" | "trouble"> | null> => {
  const byte = await queryTopic(line, "printer");
  if (byte !== null) return { level: null, trouble: null, ...readTopic("printer", byte) };
  return brief ? null : queryWhole(line);
};

/** Whether the printer has processed all that was sent before, within the time-out. */
export const waitForEnd = async (line: Line, timeoutMs: number): Promise<boolean> =>
  (await request(line, endRequest, endReader(), timeoutMs)) ?? false;
