/**
 * What an ESC/POS printer says about itself. `DLE EOT n` answers one byte (bits 1 and 4 set, 0 and 7 clear), `GS r 1` one
 * (4 and 7 clear), automatic status back (ASB) four, the first with bits 0, 1 and 7 clear and 4 set.
 */
export type Level = "low" | "high";

/** Why a printer does not print. */
export type PrinterTrouble = "no_paper" | "cover_open" | "fault" | "offline";

/** Null fields were not said. */
export interface PrinterStatus {
  /** The drawer connector's pin 3; which level means open differs by make. */
  readonly level: Level | null;
  readonly trouble: PrinterTrouble | null;
  readonly paperLow: boolean;
}

/** What `DLE EOT` asks about: printer (n = 1), reasons for being offline (2), paper (4). */
export type Topic = "printer" | "offline" | "paper";
/** `DLE EOT n`: answered in real time, even while the printer is busy or out of paper. */
export const statusRequest: Readonly<Record<Topic, Uint8Array>> = {
  printer: Uint8Array.of(0x10, 0x04, 1),
  offline: Uint8Array.of(0x10, 0x04, 2),
  paper: Uint8Array.of(0x10, 0x04, 4),
};

/** `GS a 255` sends the whole status at once and on every change, `GS a 0` ends that. */
export const asbOn = Uint8Array.of(0x1d, 0x61, 0xff);
/** `GS a 0`: no automatic status back. */
export const asbOff = Uint8Array.of(0x1d, 0x61, 0x00);
/** `GS r 1`: answered when everything before it was worked off. */
export const endRequest = Uint8Array.of(0x1d, 0x72, 1);

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
export const readTopic = (topic: Topic, byte: number): Partial<PrinterStatus> => {
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
export const statusByteReader = () => skippingAsb((byte) => (isStatusByte(byte) ? byte : null));

/** Gives true when the answer to `GS r 1` is there. */
export const endReader = () => skippingAsb((byte) => (isPlain(byte) ? true : null));

/** Gives the four bytes of automatic status as one. */
export const asbReader = () => {
  let bytes: number[] = [];
  return (byte: number): PrinterStatus | null => {
    if (isAsbStart(byte)) bytes = [byte];
    else if (bytes.length > 0 && isPlain(byte)) bytes.push(byte);
    else bytes = [];
    return bytes.length === 4 ? readAsb(bytes) : null;
  };
};
