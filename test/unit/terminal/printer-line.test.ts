/** Who has the printer's line, and for how long: a kick goes before whatever stalls, and no printer keeps a line by talking. */
import { createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { connectLine, createConnection, type Line } from "../../../main/terminal/devices/line.ts";
import { createPrinter, createPrinterDrawer } from "../../../main/terminal/devices/printer.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A line that answers nothing; `stalls` says whether it keeps bytes until their time is up. */
const lineOver = (
  clock: VirtualClock,
  sent: [number, readonly number[]][],
  stalls: (bytes: Uint8Array) => boolean,
): Line => ({
  send: (bytes, timeoutMs) => {
    sent.push([clock.monotonicMs(), [...bytes]]);
    if (!stalls(bytes)) return Promise.resolve("sent");
    return new Promise((resolve) => clock.after(timeoutMs, () => resolve("maybe_sent")));
  },
  listen: (_, timeoutMs) => new Promise((resolve) => clock.after(timeoutMs, () => resolve(null))),
  pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
  silenceMeansAbsent: false,
  close: () => undefined,
});

const isKick = (bytes: readonly number[]): boolean => bytes[0] === 0x1b && bytes[1] === 0x70;
const job = new Uint8Array(100).fill(0x41);

test.each([
  ["is still asked how it is", 500, { kind: "not_printed", why: "busy" }],
  ["takes no more of a receipt", 4_000, { kind: "unclear", why: "busy" }],
] as const)("a kick waits for no printer that %s", async (_, afterMs, answer) => {
  const clock = new VirtualClock();
  const sent: [number, readonly number[]][] = [];
  const connection = createConnection(async () => lineOver(clock, sent, (bytes) => bytes.length === job.length));
  const printing = createPrinter(connection).print(job);
  await clock.advance(afterMs);
  const pressedMs = clock.monotonicMs();
  const drawer = createPrinterDrawer({ sensor: false, pulse: { pin: 2, onMs: 50, offMs: 250 } }, connection);
  const opening = drawer.open();
  await clock.advance(10_000);
  const [kickedMs = Number.NaN] = sent.find(([, bytes]) => isKick(bytes)) ?? [];
  expect(kickedMs - pressedMs).toBeLessThanOrEqual(1_000);
  expect(await printing).toEqual(answer);
  expect(await opening).toBe("unknown");
});

test("a day's long report goes over a slow serial line whole", async () => {
  const clock = new VirtualClock();
  const bytesPerMs = 0.96;
  /** After so long, or at the end of its time. */
  const within = (ms: number, timeoutMs: number, end: (isInTime: boolean) => void): void =>
    void clock.after(Math.min(ms, timeoutMs), () => end(ms <= timeoutMs));
  let answer: (byte: number, afterMs: number) => void = () => undefined;
  const line: Line = {
    send(bytes, timeoutMs) {
      if (bytes[0] === 0x10) answer(0x12, 10);
      if (bytes[0] === 0x1d) answer(0, 15_000);
      return new Promise((resolve) =>
        within(bytes.length / bytesPerMs, timeoutMs, (isInTime) => resolve(isInTime ? "sent" : "maybe_sent")),
      );
    },
    listen: (read, timeoutMs) =>
      new Promise((resolve) => {
        answer = (byte, afterMs) => within(afterMs, timeoutMs, (isInTime) => resolve(isInTime ? read(byte) : null));
      }),
    pause: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
    silenceMeansAbsent: true,
    close: () => undefined,
  };
  const printing = createPrinter(createConnection(async () => line)).print(new Uint8Array(15_000).fill(0x41));
  await clock.advance(120_000);
  expect(await printing).toEqual({ kind: "printed", paperLow: false });
});

test("a printer that goes on talking loses the line all the same", async () => {
  const clock = new VirtualClock();
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const talking = setInterval(() => socket.write("."), 20);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearInterval(talking);
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  try {
    const line = await connectLine({ host: "127.0.0.1", port: address.port }, clock, 2_000);
    await expect.poll(() => sockets.size).toBe(1);
    line?.close();
    await clock.advance(2_000);
    await expect.poll(() => sockets.size).toBe(0);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
