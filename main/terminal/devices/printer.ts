/** A receipt printer (ESC/POS) and its drawer: status, printing, opening. Says what was printed; never retries itself. */
import type { PrintTrouble, Settings } from "../../../preload/contract.ts";
import { drawerTimeoutMs } from "../bounds.ts";
import type { Clock, Drawer, DrawerState, PrintAnswer } from "../ports.ts";
import type { Connection, Line } from "./line.ts";

/**
 * Status bytes of an ESC/POS printer. `DLE EOT n` answers one byte (bits 1 and 4 set, 0 and 7 clear), `GS r 1` one (4
 * and 7 clear), automatic status back (ASB) four, the first with bits 0, 1 and 7 clear and 4 set.
 */
type Level = "low" | "high";

type PrinterTrouble = "no_paper" | "cover_open" | "fault" | "offline";

/** Fields are null if the printer did not answer. */
interface PrinterStatus {
  /** Level of the drawer connector's pin 3; which level means open depends on the model. */
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

/** `GS a 255`: send the whole status now and after every change. */
const asbOn = Uint8Array.of(0x1d, 0x61, 0xff);
const asbOff = Uint8Array.of(0x1d, 0x61, 0x00);
/** `GS r 1`: answered once everything before it was processed. */
const endRequest = Uint8Array.of(0x1d, 0x72, 1);

const isSet = (byte: number, bit: number): boolean => (byte & (1 << bit)) !== 0;

const isStatusByte = (byte: number): boolean => (byte & 0b1001_0011) === 0b0001_0010;
const isAsbStart = (byte: number): boolean => (byte & 0b1001_0011) === 0b0001_0000;
const isPlain = (byte: number): boolean => (byte & 0b1001_0000) === 0;

/** Bit 2 of a status byte is pin 3. Null for bytes that are no status. */
export const readLevel = (byte: number): Level | null => {
  if (!isStatusByte(byte)) return null;
  return isSet(byte, 2) ? "high" : "low";
};

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

/** Finds an answer in the incoming bytes and skips automatic status in between. */
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

const queryTopic = (line: Line, topic: Topic): Promise<number | null> => {
  const read = skippingAsb((byte) => (isStatusByte(byte) ? byte : null));
  return request(line, statusRequest[topic], read, answerTimeoutMs);
};

const queryWhole = async (line: Line): Promise<PrinterStatus | null> => {
  const status = await request(line, asbOn, asbReader(), answerTimeoutMs);
  await line.send(asbOff, sendTimeoutMs);
  return status;
};

const queryStatus = async (line: Line): Promise<PrinterStatus | null> => {
  const first = await queryTopic(line, "printer");
  if (first === null) return queryWhole(line);
  let status: PrinterStatus = { level: null, trouble: null, paperLow: false, ...readTopic("printer", first) };
  for (const topic of ["offline", "paper"] as const) {
    const byte = await queryTopic(line, topic);
    // Stop here: a late answer would be taken for the next request's.
    if (byte === null) return status;
    status = { ...status, ...readTopic(topic, byte) };
  }
  return status;
};

/** The drawer's level and any trouble. @param brief skips the second attempt by ASB for printers without `DLE EOT`. */
const queryDrawer = async (line: Line, brief = false): Promise<Pick<PrinterStatus, "level" | "trouble"> | null> => {
  const byte = await queryTopic(line, "printer");
  if (byte !== null) return { level: null, trouble: null, ...readTopic("printer", byte) };
  return brief ? null : queryWhole(line);
};

const waitForEnd = async (line: Line, timeoutMs: number): Promise<boolean> => {
  const read = skippingAsb((byte) => (isPlain(byte) ? true : null));
  return (await request(line, endRequest, read, timeoutMs)) ?? false;
};

const jobTimeoutMs = 5_000;
/** Long enough for a slow printer that is still printing. */
const endTimeoutMs = 10_000;
/** A day's report can be long and a serial line slow: 9,600 bits a second are about a millisecond per byte. */
const perByteMs = 2;

const whenAborted = (signal: AbortSignal): Promise<"cut"> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve("cut");
    else signal.addEventListener("abort", () => resolve("cut"));
  });

const notPrinted = (why: PrintTrouble): PrintAnswer => ({ kind: "not_printed", why });
const unclear = (why: PrintTrouble): PrintAnswer => ({ kind: "unclear", why });

/** One job at a time over the shared connection; `unclear` means that part of it may be on paper. */
export const createPrinter = (connection: Connection) => ({
  /** Prints a job of ESC/POS bytes once. Never rejects. */
  print: (job: Uint8Array): Promise<PrintAnswer> =>
    connection.use("print", async (line, signal) => {
      if (line === null) return notPrinted("unreachable");
      const cut = whenAborted(signal);
      // Opening the drawer goes first, also while something here stalls.
      const unlessCut = <T>(work: Promise<T>): Promise<T | "cut"> => Promise.race([cut, work]);
      if (signal.aborted) return notPrinted("busy");
      const status = await unlessCut(queryStatus(line));
      if (status === "cut") return notPrinted("busy");
      if (status === null && line.silenceMeansAbsent) return notPrinted("unreachable");
      if (status?.trouble) return notPrinted(status.trouble);
      if (signal.aborted) return notPrinted("busy");

      const sent = await unlessCut(line.send(job, jobTimeoutMs + job.length * perByteMs));
      if (sent === "not_sent") return notPrinted("unreachable");
      if (sent !== "sent") return unclear(sent === "cut" ? "busy" : "unreachable");
      const printed: PrintAnswer = { kind: "printed", paperLow: status?.paperLow ?? false };
      // A printer without status has accepted the job: more cannot be known.
      if (status === null) return printed;

      const hasEnded = await unlessCut(waitForEnd(line, endTimeoutMs + job.length * perByteMs));
      if (hasEnded === "cut") return unclear("busy");
      if (hasEnded) return printed;
      const after = await unlessCut(queryStatus(line));
      if (after === "cut") return unclear("busy");
      return unclear(after?.trouble ?? (after === null ? "unreachable" : "offline"));
    }),
});

/** Pause between the kick and the status request: the drawer needs this long to move. */
const moveMs = 400;
const unitMs = 2;

/** The pulsed pin of the drawer connector; see `drawerSchema` in the settings. */
type Pulse = Extract<Settings["drawer"], { kind: "network" }>["pulse"];

/** `ESC p`: connector pin 2 or 5, on and off in units of 2 ms. */
const kickOf = ({ pin, onMs, offMs }: Pulse): Uint8Array =>
  Uint8Array.of(0x1b, 0x70, pin === 2 ? 0 : 1, Math.round(onMs / unitMs), Math.round(offMs / unitMs));

/** `DLE DC4 1`: the same in real time, in units of 100 ms; without paper a printer holds `ESC p` back until it is refilled. */
const kickAtOnceOf = ({ pin, onMs }: Pulse): Uint8Array =>
  Uint8Array.of(0x10, 0x14, 1, pin === 2 ? 0 : 1, Math.max(1, Math.round(onMs / 100)));

/** A drawer opened by the receipt printer; without a sensor it counts as open if the printer still answers after the pulse. */
type PrinterDrawerSettings = Pick<Extract<Settings["drawer"], { kind: "network" }>, "sensor" | "pulse">;

/** With `sensor`, `opened` only if the level is known to mean open; without, `opened` unless the printer was offline or did not answer. */
export const createPrinterDrawer = (
  { sensor, pulse }: PrinterDrawerSettings,
  connection: Connection,
  clock: Pick<Clock, "monotonicMs">,
): Drawer => {
  /** Learned from a kick that changed the level. */
  let openLevel: Level | null = null;

  const stateOf = (level: Level | null): DrawerState => {
    if (level === null || openLevel === null) return "unknown";
    return level === openLevel ? "open" : "closed";
  };

  return {
    open() {
      const untilMs = clock.monotonicMs() + drawerTimeoutMs;
      return connection.use("kick", async (line) => {
        if (line === null) return "failed";
        const before = await queryDrawer(line, !sensor);
        const isOffline = (before?.trouble ?? null) !== null;
        // Nobody waits for it any more: the drawer would open for whoever stands there.
        if (clock.monotonicMs() >= untilMs) return "failed";
        const sent = await line.send(isOffline ? kickAtOnceOf(pulse) : kickOf(pulse), sendTimeoutMs);
        if (sent === "not_sent") return "failed";
        await line.pause(moveMs);
        const after = (await queryDrawer(line))?.level ?? null;
        if (after === null) {
          // Given up: it must not come later, when nobody expects the drawer to open.
          line.drop();
          return "unknown";
        }
        // An open drawer may have been pushed shut during the pulse, so a contradiction makes the level unknown again.
        // The first pulse of a run may learn it the wrong way round for that reason; the next one shows it.
        if (sensor && before !== null && before.level !== null && before.level !== after)
          openLevel = openLevel === null || openLevel === after ? after : null;
        // Without a sensor it is unknown whether an offline printer obeyed.
        if (!sensor) return isOffline ? "unknown" : "opened";
        return stateOf(after) === "open" ? "opened" : "unknown";
      });
    },
    state: () =>
      connection.use("print", async (line) =>
        line === null ? "unknown" : stateOf((await queryDrawer(line))?.level ?? null),
      ),
  };
};
