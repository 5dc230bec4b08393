/** Who has the printer's line, and for how long: a kick goes before whatever stalls, and no printer keeps a line by talking. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import {
  connectLine,
  createConnection,
  type Line,
  openSerialLine,
  type SerialSystem,
} from "../../../main/terminal/devices/line.ts";
import { createPrinter, createPrinterDrawer } from "../../../main/terminal/devices/printer.ts";
import { openDrawer } from "../../../main/terminal/withdrawal/effects.ts";
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
  drop: () => undefined,
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
  const drawer = createPrinterDrawer({ sensor: false, pulse: { pin: 2, onMs: 50, offMs: 250 } }, connection, clock);
  const opening = drawer.open();
  await clock.advance(10_000);
  const [kickedMs = Number.NaN] = sent.find(([, bytes]) => isKick(bytes)) ?? [];
  expect(kickedMs - pressedMs).toBeLessThanOrEqual(1_000);
  expect(await printing).toEqual(answer);
  expect(await opening).toBe("unknown");
});

test.each([
  ["cannot be opened", 0],
  ["keeps silent", 8_000],
])(
  "an order to open that nobody waits for any more is not carried out once a line that %s is free",
  async (_, heldMs) => {
    const clock = new VirtualClock();
    const sent: [number, readonly number[]][] = [];
    let free = (): void => undefined;
    const held = new Promise<void>((resolve) => (free = resolve));
    const connection = createConnection(async () => {
      await held;
      return lineOver(clock, sent, () => false);
    });
    const pulse = { pin: 2, onMs: 50, offMs: 250 } as const;
    const drawer = createPrinterDrawer({ sensor: true, pulse }, connection, clock);
    const opening = openDrawer(drawer, clock);
    if (heldMs > 0) {
      await clock.advance(heldMs);
      free();
    }
    await clock.advance(25_000);
    expect(await opening).toBe("unknown");
    free();
    await clock.advance(60_000);
    expect(sent.filter(([, bytes]) => isKick(bytes))).toEqual([]);
  },
);

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
    drop: () => undefined,
    close: () => undefined,
  };
  const printing = createPrinter(createConnection(async () => line)).print(new Uint8Array(15_000).fill(0x41));
  await clock.advance(120_000);
  expect(await printing).toEqual({ kind: "printed", paperLow: false });
});

/** A line that answers each request at once; an empty answer is silence until its time is up, null before it is. */
const answeringLine = (answerTo: (request: string) => readonly number[] | null, sent: string[]): Line => {
  let take: (bytes: readonly number[]) => void = () => undefined;
  return {
    async send(bytes) {
      const request = Buffer.from(bytes).toString("hex");
      sent.push(request);
      const answer = answerTo(request);
      if (answer !== null) take(answer);
      return "sent";
    },
    listen: (read) =>
      new Promise((resolve) => {
        take = (bytes) => resolve(bytes.map(read).find((answer) => answer !== null) ?? null);
      }),
    pause: async () => undefined,
    silenceMeansAbsent: false,
    drop: () => undefined,
    close: () => undefined,
  };
};

/** What the printer is asked, in hex: `DLE EOT` 1, 2 and 4, automatic status, the end of a job. */
const [askPrinter, askOffline, askPaper, askWhole, askEnd] = ["100401", "100402", "100404", "1d61ff", "1d7201"];
const calm = 0b0001_0010;
/** A printer in order, but for these answers. */
const printerThat = (answers: Readonly<Record<string, readonly number[] | null>>) => (request: string) =>
  request in answers
    ? (answers[request] ?? null)
    : ({ [askPrinter]: [calm], [askOffline]: [calm], [askPaper]: [calm], [askEnd]: [0] }[request] ?? []);
/** One that answers with the four bytes of automatic status alone. */
const onlyWhole = (first: number, second = 0, third = 0) =>
  printerThat({ [askPrinter]: [], [askWhole]: [0b0001_0000 | first, second, third, 0] });
const notPrinted = (why: string) => ({ kind: "not_printed", why });
const printed = (paperLow: boolean) => ({ kind: "printed", paperLow });

test.each([
  ["nothing is wrong", printerThat({}), printed(false)],
  ["it is offline", printerThat({ [askPrinter]: [calm | 0x08] }), notPrinted("offline")],
  ["its cover is open", printerThat({ [askOffline]: [calm | 0x04] }), notPrinted("cover_open")],
  ["it stopped for lack of paper", printerThat({ [askOffline]: [calm | 0x20] }), notPrinted("no_paper")],
  ["it has a fault", printerThat({ [askOffline]: [calm | 0x40] }), notPrinted("fault")],
  ["its paper is near the end by one sensor", printerThat({ [askPaper]: [calm | 0x04] }), printed(true)],
  ["by the other", printerThat({ [askPaper]: [calm | 0x08] }), printed(true)],
  ["its paper is at the end by one sensor", printerThat({ [askPaper]: [calm | 0x20] }), notPrinted("no_paper")],
  ["by the other one", printerThat({ [askPaper]: [calm | 0x40] }), notPrinted("no_paper")],
  ["nothing is wrong, as a whole", onlyWhole(0), printed(false)],
  ["it is offline, as a whole", onlyWhole(0x08), notPrinted("offline")],
  ["its cover is open, as a whole", onlyWhole(0x20), notPrinted("cover_open")],
  ["a fault that goes by itself", onlyWhole(0, 0x40), notPrinted("fault")],
  ["a fault that goes never", onlyWhole(0, 0x20), notPrinted("fault")],
  ["a fault of the cutter", onlyWhole(0, 0x08), notPrinted("fault")],
  ["paper near the end by one sensor, as a whole", onlyWhole(0, 0, 0x01), printed(true)],
  ["by the other, as a whole", onlyWhole(0, 0, 0x02), printed(true)],
  ["paper at the end by one sensor, as a whole", onlyWhole(0, 0, 0x04), notPrinted("no_paper")],
  ["by the other one, as a whole", onlyWhole(0, 0, 0x08), notPrinted("no_paper")],
  [
    "an answer after the first byte of a whole one that broke off",
    printerThat({ [askPrinter]: [0b0001_0000, calm | 0x08] }),
    notPrinted("offline"),
  ],
  [
    "a whole one with another byte in the middle is none",
    printerThat({ [askPrinter]: [], [askWhole]: [0b0001_0000, 0, calm, 0x0c, 0] }),
    printed(false),
  ],
  [
    "no answer to a question: the next one is not asked, or it would get this one's",
    printerThat({ [askOffline]: [], [askPaper]: [calm | 0x20] }),
    printed(false),
  ],
])("a printer says of itself: %s", async (_, answerTo, answer) => {
  const connection = createConnection(async () => answeringLine(answerTo, []));
  expect(await createPrinter(connection).print(job)).toEqual(answer);
});

test("a printer that was asked as a whole goes on without telling every change", async () => {
  const sent: string[] = [];
  await createPrinter(createConnection(async () => answeringLine(onlyWhole(0), sent))).print(job);
  expect(sent.slice(0, 3)).toEqual([askPrinter, askWhole, "1d6100"]);
});

test("a line that was lost before the first byte: nothing is printed, and no drawer opens", async () => {
  const line: Line = {
    ...answeringLine(printerThat({}), []),
    send: async (bytes) => (bytes.length > 4 ? "not_sent" : "sent"),
    listen: async (read) => read(calm),
  };
  const connection = createConnection(async () => line);
  expect(await createPrinter(connection).print(job)).toEqual(notPrinted("unreachable"));
  expect(await createPrinterDrawer({ sensor: false, pulse: pin2 }, connection, new VirtualClock()).open()).toBe(
    "failed",
  );
});

test("a kick does not wait for a printer that still prints, which is not said to have printed; a look at the drawer does", async () => {
  const clock = new VirtualClock();
  const sent: string[] = [];
  const connection = createConnection(async () => answeringLine(printerThat({ [askEnd]: null }), sent));
  const drawer = createPrinterDrawer({ sensor: false, pulse: pin2 }, connection, clock);
  const answers: unknown[] = [];
  void createPrinter(connection)
    .print(job)
    .then((answer) => answers.push(answer));
  await expect.poll(() => sent.at(-1)).toBe(askEnd);
  const looking = drawer.state();
  const asked = sent.length;
  await clock.advance(1_000);
  expect([answers, sent.length]).toEqual([[], asked]);
  expect(await drawer.open()).toBe("opened");
  expect([answers, await looking]).toEqual([[{ kind: "unclear", why: "busy" }], "unknown"]);
});

const offline = printerThat({ [askPrinter]: [calm | 0x08] });
const [pin2, pin5] = [
  { pin: 2, onMs: 50, offMs: 250 },
  { pin: 5, onMs: 510, offMs: 510 },
] as const;

test.each([
  ["on pin 2", printerThat({}), pin2, "1b7000197d", "opened"],
  ["on pin 5, for as long as can be", printerThat({}), pin5, "1b7001ffff", "opened"],
  ["at a printer that is offline: at once, and unknown", offline, pin2, "1014010001", "unknown"],
  ["for as long as can be at once", offline, pin5, "1014010105", "unknown"],
] as const)("a drawer without a switch is kicked %s", async (_, answerTo, pulse, kick, answer) => {
  const sent: string[] = [];
  const connection = createConnection(async () => answeringLine(answerTo, sent));
  expect(await createPrinterDrawer({ sensor: false, pulse }, connection, new VirtualClock()).open()).toBe(answer);
  expect(sent.filter((bytes) => bytes.startsWith("1b70") || bytes.startsWith("1014"))).toEqual([kick]);
});

test("a name or an address that leads out of the shop's network is not called", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const reach = (host: string) => connectLine({ host, port }, new VirtualClock(), 2_000);
  const own = await reach("localhost");
  own?.close();
  // The systems' resolvers take it for 0.0.0.0, by which this machine itself is reached.
  expect([own !== null, await reach("0"), await reach("0.0.0.0")]).toEqual([true, null, null]);
  server.close();
});

/** A printer in the network that takes the connection, and reads nothing until it wakes. */
const sleepyPrinter = async () => {
  const got: Buffer[] = [];
  let end: string | null = null;
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    socket.on("data", (bytes) => got.push(bytes));
    socket.on("end", () => (end = "end"));
    socket.on("error", ({ code }: NodeJS.ErrnoException) => (end = code ?? "error"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    at: { host: "127.0.0.1", port },
    /** All that it reads, and how the connection ended. */
    async wake() {
      for (const socket of sockets) socket.resume();
      await expect.poll(() => end).not.toBeNull();
      return { bytes: Buffer.concat(got), end };
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
const kick = Buffer.of(0x1b, 0x70, 0, 25, 125);

test.each([
  ["the printer ends it", (peer: Socket) => void peer.end()],
  ["the printer resets it", (peer: Socket) => void peer.resetAndDestroy()],
  ["it is dropped", (_: Socket, line: Line) => line.drop()],
])("a line that is lost (%s): who listens hears so at once, and nothing counts as sent any more", async (_, lose) => {
  const clock = new VirtualClock();
  const peers: Socket[] = [];
  const server = createServer((socket) => void peers.push(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const line = await connectLine({ host: "127.0.0.1", port: (server.address() as AddressInfo).port }, clock, 2_000);
  if (line === null) throw new Error("no line");
  await expect.poll(() => peers.length).toBe(1);
  const heard: unknown[] = [];
  const listen = (): void => void line.listen(() => true, 1_000).then((answer) => heard.push(answer));
  listen();
  lose(peers[0] as Socket, line);
  // No time has passed on its clock.
  await expect.poll(() => heard).toEqual([null]);
  listen();
  await expect.poll(() => heard).toEqual([null, null]);
  expect(await line.send(kick, 1_000)).toBe("not_sent");
  for (const peer of peers) peer.destroy();
  server.close();
});

test.each([
  ["takes no more", async (clock: VirtualClock) => clock.advance(1_000)],
  ["dies in the middle", async (_: VirtualClock, printer: { stop: () => void }) => printer.stop()],
])("a printer that %s: what was begun may have been sent", async (_, fail) => {
  const clock = new VirtualClock();
  const printer = await sleepyPrinter();
  try {
    const line = await connectLine(printer.at, clock, 2_000);
    const sending = line?.send(new Uint8Array(40_000_000).fill(0x41), 1_000);
    await fail(clock, printer);
    expect(await sending).toBe("maybe_sent");
    line?.drop();
  } finally {
    printer.stop();
  }
});

test("a job that fails does so for its caller alone: its line is closed, and the next one has its turn", async () => {
  const closed: string[] = [];
  const line: Line = { ...answeringLine(printerThat({}), []), close: () => void closed.push("closed") };
  const connection = createConnection(async () => line);
  const failing = connection.use("print", async () => {
    throw new Error("no memory");
  });
  const next = createPrinter(connection).print(job);
  await expect(failing).rejects.toThrow("no memory");
  expect(await next).toEqual(printed(false));
  await expect.poll(() => closed).toHaveLength(2);
});

test("what a dropped line had not delivered is never delivered; a closed one delivers it however late", async () => {
  for (const how of ["drop", "close"] as const) {
    const clock = new VirtualClock();
    const printer = await sleepyPrinter();
    try {
      const line = await connectLine(printer.at, clock, 2_000);
      // More than the printer's own buffer holds: the kick after it waits in this machine's.
      for (const bytes of [new Uint8Array(1_000_000).fill(0x41), kick])
        expect(await line?.send(bytes, 1_000)).toBe("sent");
      line?.[how]();
      line?.close();
      await clock.advance(2_000);
      const { bytes, end } = await printer.wake();
      expect([end, bytes.includes(kick)], how).toEqual(how === "drop" ? ["ECONNRESET", false] : ["end", true]);
    } finally {
      printer.stop();
    }
  }
});

test("a kick that was given up at a silent printer is dropped; what its own buffer holds by then no TCP takes back", async () => {
  const clock = new VirtualClock();
  const printer = await sleepyPrinter();
  try {
    const connection = createConnection(() => connectLine(printer.at, clock, 2_000));
    const opening = createPrinterDrawer({ sensor: true, pulse: pin2 }, connection, clock).open();
    let answer: string | null = null;
    void opening.then((said) => (answer = said));
    await expect
      .poll(async () => {
        await clock.advance(500);
        return answer;
      })
      .toBe("unknown");
    await clock.advance(2_000);
    expect((await printer.wake()).end).toBe("ECONNRESET");
  } finally {
    printer.stop();
  }
});

test.each([
  ["is dropped where the printer says nothing after it", [], "drop close"],
  ["is left to the printer where it answers", [calm], "close"],
])("the line of a kick %s", async (_, after, expected) => {
  const calls: string[] = [];
  const replies = [[calm], after, []];
  const line: Line = {
    ...answeringLine((request) => (request === askPrinter ? (replies.shift() ?? []) : []), []),
    drop: () => void calls.push("drop"),
    close: () => void calls.push("close"),
  };
  const connection = createConnection(async () => line);
  await createPrinterDrawer({ sensor: true, pulse: pin2 }, connection, new VirtualClock()).open();
  await expect.poll(() => calls.join(" ")).toBe(expected);
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

/**
 * A COM port of Windows: one program at a time has it (learn.microsoft.com, Communications Resource Handles), `mode` too, whose
 * settings stay; a write ends when the device has taken it.
 */
const comPort = () => {
  const port = { isOpen: false, isStuck: false, baudRate: 1_200, received: [] as number[] };
  const file = {
    async write(bytes: Uint8Array, from: number, length: number) {
      if (port.isStuck) return new Promise<never>(() => undefined);
      port.received.push(...bytes.subarray(from, from + length));
      return { bytesWritten: length };
    },
    async close() {
      port.isOpen = false;
    },
  };
  const system = {
    platform: "win32",
    async open(path: string) {
      if (path !== "\\\\.\\COM3") throw new Error("ENOENT");
      if (port.isOpen) throw new Error("EACCES");
      port.isOpen = true;
      return file as never;
    },
    async run(program: string, [name = "", rate = ""]: readonly string[]) {
      if (program.endsWith("\\mode.com") && name === "COM3" && !port.isOpen)
        port.baudRate = Number(rate.replace("BAUD=", ""));
    },
  } satisfies SerialSystem;
  return { port, system };
};

test.each(["COM3", "\\\\.\\COM3"])(
  "%s is set to its speed, which Windows lets nobody do once it is open",
  async (path) => {
    const { port, system } = comPort();
    const line = await openSerialLine({ path, baudRate: 19_200 }, new VirtualClock(), system);
    expect(port.baudRate).toBe(19_200);
    expect(await line?.send(Uint8Array.of(1, 2), 1_000)).toBe("sent");
    expect(port.received).toEqual([1, 2]);
    line?.close();
    expect(port.isOpen).toBe(false);
  },
);

test("a file that is no device is closed again", async () => {
  let isOpen = false;
  const file = {
    stat: async () => ({ isCharacterDevice: () => false }),
    async close() {
      isOpen = false;
    },
  };
  const system = {
    platform: "linux",
    async open() {
      isOpen = true;
      return file as never;
    },
    run: async () => undefined,
  } satisfies SerialSystem;
  expect(await openSerialLine({ path: "/dev/null", baudRate: 9_600 }, new VirtualClock(), system)).toBeNull();
  expect(isOpen).toBe(false);
});

test.each(["COM4", "LPT1", "journal.db"])("%s is not opened where COM3 is meant", async (path) => {
  expect(await openSerialLine({ path, baudRate: 9_600 }, new VirtualClock(), comPort().system)).toBeNull();
});

test("a write that Windows never ends is given up, and the line with it", async () => {
  const clock = new VirtualClock();
  const { port, system } = comPort();
  const line = await openSerialLine({ path: "COM3", baudRate: 9_600 }, clock, system);
  port.isStuck = true;
  const sending = line?.send(Uint8Array.of(0x1b), 1_000);
  await clock.advance(10_000);
  expect([await sending, await line?.send(Uint8Array.of(0x1b), 1_000)]).toEqual(["maybe_sent", "not_sent"]);
});
