/** Requests a printer's status by `DLE EOT`, and where that stays unanswered by automatic status (ASB). */
import type { Line } from "./line.ts";

/**
 * What an ESC/POS printer says about itself. `DLE EOT n` answers one byte (bits 1 and 4 set, 0 and 7 clear), `GS r 1` one
 * (4 and 7 clear), automatic status back (ASB) four, the first with bits 0, 1 and 7 clear and 4 set.
 */
export type Level = "low" | "high";

/** Why a printer does not print. */
type PrinterTrouble = "no_paper" | "cover_open" | "fault" | "offline";

/** Null fields were not said. */
interface PrinterStatus {
  /** The drawer connector's pin 3; which level means open differs by make. */
  readonly level: Level | null;
  readonly trouble: PrinterTrouble | null;
  readonly paperLow: boolean;
}

/** What `DLE EOT` asks about: printer (n = 1), reasons for being offline (2), paper (4). */
type Topic = "printer" | "offline" | "paper";
/** `DLE EOT n`: answered in real time, even while the printer is busy or out of paper. */
const statusRequest: Readonly<Record<Topic, Uint8Array>> = {
  printer: Uint8Array.of(0x10, 0x04, 1),
  offline: Uint8Array.of(0x10, 0x04, 2),
  paper: Uint8Array.of(0x10, 0x04, 4),
};

/** `GS a 255` sends the whole status at once and on every change, `GS a 0` ends that. */
const asbOn = Uint8Array.of(0x1d, 0x61, 0xff);
/** `GS a 0`: no automatic status back. */
const asbOff = Uint8Array.of(0x1d, 0x61, 0x00);
/** `GS r 1`: answered when everything before it was worked off. */
const endRequest = Uint8Array.of(0x1d, 0x72, 1);

const isSet = (byte: number, bit: number): boolean => (byte & (1 << bit)) !== 0;

const isStatusByte = (byte: number): boolean => (byte & 0b1001_0011) === 0b0001_0010;
const isAsbStart = (byte: number): boolean => (byte & 0b1001_0011) === 0b0001_0000;
const isPlain = (byte: number): boolean => (byte & 0b1001_0000) === 0;

/** Bit 2 of a status byte is pin 3. Anything that is no status is null. */
export const readLevel = (byte: number): Level | null => {
  if (!isStatusByte(byte)) return null;
  return isSet(byte, 2) ? "high" : "low";
};

/** What one answer to `DLE EOT` says of its topic. */
const readTopic = (topic: Topic, byte: number): Partial<PrinterStatus> => {
  switch (topic) {
    case "printer":
      return { level: readLevel(byte), ...(isSet(byte, 3) ? { trouble: "offline" } : {}) };
    case "offline":
      if (isSet(byte, 2)) return { trouble: "cover_open" };
      if (isSet(byte, 5)) return { trouble: "no_paper" };
      return isSet(byte, 6) ? { trouble: "fault" } : {};
    case "paper":
      if (isSet(byte, 5) || isSet(byte, 6)) return { trouble: "no_paper" };
      return { paperLow: isSet(byte, 2) || isSet(byte, 3) };
  }
};

const readAsb = ([first = 0, second = 0, third = 0]: readonly number[]): PrinterStatus => {
  const noPaper = isSet(third, 2) || isSet(third, 3);
  const fault = (second & 0b0110_1000) !== 0;
  const trouble = isSet(first, 5)
    ? "cover_open"
    : noPaper
      ? "no_paper"
      : fault
        ? "fault"
        : isSet(first, 3)
          ? "offline"
          : null;
  return { level: isSet(first, 2) ? "high" : "low", trouble, paperLow: isSet(third, 0) || isSet(third, 1) };
};

/** Reads bytes as they come: skips what is no answer, and another program's automatic status within it. */
const skippingAsb = <T>(read: (byte: number) => T | null) => {
  let asbLeft = 0;
  return (byte: number): T | null => {
    if (asbLeft > 0 && isPlain(byte)) {
      asbLeft -= 1;
      return null;
    }
    asbLeft = isAsbStart(byte) ? 3 : 0;
    return asbLeft > 0 ? null : read(byte);
  };
};

/** Gives the answer to one `DLE EOT`. */
const statusByteReader = () => skippingAsb((byte) => (isStatusByte(byte) ? byte : null));

/** Gives true when the answer to `GS r 1` is there. */
const endReader = () => skippingAsb((byte) => (isPlain(byte) ? true : null));

/** Gives the four bytes of automatic status as one. */
const asbReader = () => {
  let bytes: number[] = [];
  return (byte: number): PrinterStatus | null => {
    if (isAsbStart(byte)) bytes = [byte];
    else if (bytes.length > 0 && isPlain(byte)) bytes.push(byte);
    else bytes = [];
    return bytes.length === 4 ? readAsb(bytes) : null;
  };
};

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
