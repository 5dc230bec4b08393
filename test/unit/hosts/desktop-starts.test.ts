import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { claimInstance, claimOrHandOver } from "../../../main/host/instance.ts";
import { startTillHost } from "../../e2e/stage/programs.ts";
import { desktopProgram, type Seen } from "./desktop-program.ts";

const { newFolder, out, play: playWhole } = desktopProgram();

/** A start and an end; what the window shows and may do between them is looked at in desktop.test.ts. */
const play: typeof playWhole = (data, flags, env, programs) =>
  playWhole(data, flags, { PLAY_START_ALONE: "1", ...env }, programs);

const isTraining = { header: { training: true } };

test("in training it runs the service as a process of its own and gets ready; the phone opens in the system's browser", async () => {
  const trained = await play(newFolder(), ["--training"]);
  expect(trained.calls).toContain("utility process: Tillcash service");
  expect(trained.training).toMatchObject({ header: { training: true, device: "till-1" }, phoneStatus: 200 });
  expect(trained.navigation).toMatchObject({ phone: { action: "deny" }, opened: [`open ${trained.phone}`] });
  expect(trained.end).toBe("exit 0");
  expect(trained.childrenLeft).toBe(0);
});

test.each(["remote-debugging-port", "remote-debugging-pipe", "js-flags"])(
  "an installed program refuses --%s, which would hand its page to whoever asks",
  async (name) => {
    const refused = await play(newFolder(), [], { FAKE_PACKAGED: "1", FAKE_SWITCHES: name });
    expect(refused.calls).toContainEqual(expect.stringContaining(`--${name}`));
    expect(refused.webPreferences).toBeUndefined();
  },
);

test("an installed program keeps no data in its own folder, which every update deletes", async () => {
  const data = path.join(path.dirname(process.execPath), `till-${process.pid}`);
  const refused = await play(data, [], { FAKE_PACKAGED: "1" });
  expect(refused.calls).toContainEqual(expect.stringMatching(/^error: Tillcash cannot start: .*own folder/));
  expect((refused.calls as string[]).at(-1)).toBe("exit 1");
  expect(existsSync(data)).toBe(false);
});

test.each(["exception", "rejection"])("an uncaught %s is logged, said, and ends the program", async (kind) => {
  const data = newFolder();
  const ended = await play(data, [], { PLAY_UNCAUGHT: kind });
  expect(ended.last).toEqual([expect.stringMatching(/^error: Tillcash: .*start it again/i), "exit 1"]);
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toMatch(/"level":"error".*nobody/);
});

test("a service that ends by a fatal error of its engine does not take the program with it", async () => {
  const ended = await play(newFolder(), ["--training"], { PLAY_UNCAUGHT: "service", FAKE_KEY_STORE: "basic" });
  expect(ended.training, "in training, where it has no keyring").toMatchObject(isTraining);
  expect(ended.end).toBe("exit 0");
});

test.each(["missing", "locked", "basic"])(
  "for real money it does not start with a %s keyring, and says what to do",
  { skip: process.platform !== "linux" },
  async (keyring) => {
    const refused = await play(newFolder(), [], { FAKE_KEY_STORE: keyring });
    expect(refused.calls).toContainEqual(
      expect.stringMatching(/^asked: This computer's key store.*locked.*GNOME Keyring or KWallet/),
    );
    expect((refused.calls as string[]).at(-1)).toBe("exit 1");
  },
);

test("a locked keyring takes nothing from an enrolled terminal: it asks, tries again, and goes on under the same journal key", {
  skip: process.platform !== "linux",
}, async () => {
  const data = newFolder();
  await play(data);
  const file = path.join(data, "journal-key.json");
  const kept = readFileSync(file, "utf8");
  const locked = await play(data, [], { FAKE_KEY_STORE: "locked", FAKE_ANSWERS: "0" });
  expect((locked.calls as string[]).slice(-2)).toEqual([expect.stringMatching(/^relaunch .*--data=/), "exit 1"]);
  expect(readFileSync(file, "utf8")).toBe(kept);
  const again = await play(data);
  expect(again.end).toBe("exit 0");
  expect(readFileSync(file, "utf8")).toBe(kept);
});

test("a version that does not load says so: Electron becomes ready only after the first file was evaluated", async () => {
  const built = newFolder();
  cpSync(path.join(out(), "main"), path.join(built, "main"), { recursive: true });
  const entry = readFileSync(path.join(built, "main", "index.js"), "utf8");
  const rest = /import\("\.\/(chunks\/[^"]+)"\)/.exec(entry)?.[1] ?? "";
  writeFileSync(path.join(built, "main", rest), 'throw new Error("a part is missing");');
  const data = newFolder();
  const failed = await play(data, [], {}, built);
  expect(failed.calls).toContainEqual(
    expect.stringMatching(/^error: Tillcash cannot start: a part is missing\n\nNo withdrawal is lost/),
  );
  expect((failed.calls as string[]).at(-1)).toBe("exit 1");
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toContain("a part is missing");
});

test("an installed program runs in the sandbox or not at all; AppRun adds --no-sandbox where a computer allows none", async () => {
  const refused = await play(newFolder(), [], { FAKE_PACKAGED: "1", FAKE_SWITCHES: "no-sandbox" });
  expect((refused.calls as string[]).slice(-2)).toEqual([
    expect.stringMatching(/^error: Tillcash cannot start: .*sandbox.*\.deb/),
    "exit 2",
  ]);
  expect(refused.webPreferences).toBeUndefined();
});

test("an empty --data is no folder: the journal would lie wherever the program was started", async () => {
  const refused = await play("");
  expect(refused.calls).toContainEqual(expect.stringMatching(/^error: Tillcash cannot start: --data names no folder/));
});

test("on Wayland, which lets no window choose its screen, it starts again under X11", {
  skip: process.platform !== "linux",
}, async () => {
  const wayland = { XDG_SESSION_TYPE: "wayland", DISPLAY: ":0", FAKE_PACKAGED: "1" };
  const data = newFolder();
  const first = await play(data, ["--training"], wayland);
  expect((first.calls as string[]).slice(-2)).toEqual([
    `relaunch --training --data=${data} --ozone-platform=x11`,
    "exit 0",
  ]);
  const second = await play(data, ["--training"], { ...wayland, FAKE_SWITCHES: "ozone-platform=x11,ozone-platform" });
  expect(second.end).toBe("exit 0");
});

test.each([
  ["its own", path.dirname(process.execPath), "/home/ida/Tillcash.AppImage "],
  ["that of a launcher, which is an AppImage too", import.meta.dirname, ""],
  ["that of a launcher that has ended", "/tmp/.mount_gone", ""],
])(
  "what it starts again is %s only if it runs from there itself",
  { skip: process.platform !== "linux" },
  async (_, mounted, file) => {
    const wayland = { XDG_SESSION_TYPE: "wayland", DISPLAY: ":0", FAKE_PACKAGED: "1" };
    const [data, APPIMAGE] = [newFolder(), "/home/ida/Tillcash.AppImage"];
    const { calls } = await play(data, ["--training"], { ...wayland, APPIMAGE, APPDIR: mounted });
    expect(calls).toContain(`relaunch ${file}--training --data=${data} --ozone-platform=x11`);
  },
);

const systemEnds = [
  ["session-end", false],
  ["shutdown", true],
] as const;
const endOf = ({ systemEnd, ending }: Seen) => ({ systemEnd, ending });
const closedAtOnce = (isHeldUp: boolean) => ({
  systemEnd: { isHeldUp, wasJournalOpen: true, isJournalOpen: false },
  ending: ["may sleep", "exit 0"],
});

test.each(systemEnds)(
  "at the system's end (%s) the journal is closed at once, nobody is asked, and the system waits no longer than that",
  async (kind, isHeldUp) => {
    expect(endOf(await playWhole(newFolder(), [], { PLAY_SYSTEM_END: kind }))).toEqual(closedAtOnce(isHeldUp));
  },
);

// A service is waited for up to 12 s elsewhere; Linux waits 5 s for all programs together.
test.each([
  ["missing", ...systemEnds[0]],
  ["locked", ...systemEnds[1]],
] as const)(
  "an installed program trains with a %s keyring, by a flag that no path comes before, and at the system's end (%s) closes its journal at once too",
  async (keyring, kind, isHeldUp) => {
    const env = { FAKE_PACKAGED: "1", FAKE_KEY_STORE: keyring, PLAY_SYSTEM_END: kind };
    const ended = await play(newFolder(), ["--training"], env);
    expect(ended.training).toMatchObject(isTraining);
    expect(endOf(ended)).toEqual(closedAtOnce(isHeldUp));
  },
);

test("--check tells what this machine gives, in a file for support too, and fails on a no", async () => {
  const data = newFolder();
  const good = await play(data, ["--check"]);
  expect((good.calls as string[]).at(-1)).toBe("exit 0");
  const page = readFileSync(path.join(data, "check.txt"), "utf8");
  for (const name of [
    "program",
    "runtime",
    "fuses",
    "sandbox",
    "key store",
    "camera",
    "USB devices",
    "displays",
    "data folder",
    "update feed",
  ])
    expect(page).toMatch(new RegExp(`^(?:yes|unknown) +${name}: .+$`, "m"));
  expect(page).toContain(data);
  expect(existsSync(path.join(data, "journal.db"))).toBe(false);
  // Without a dialog, which nobody would close where a script asks.
  const open = await play(data, ["--check"], { FAKE_PACKAGED: "1", FAKE_SWITCHES: "no-sandbox" });
  expect([(open.calls as string[]).at(-1), open.calls]).toEqual([
    "exit 1",
    expect.not.arrayContaining(["enableSandbox"]),
  ]);
  expect((open.calls as string[]).filter((call) => call.startsWith("error"))).toEqual([]);
  expect(readFileSync(path.join(data, "check.txt"), "utf8")).toMatch(/^no +sandbox: .*\.deb package/m);
  const bare = await play(data, ["--check"], { FAKE_NO_DISPLAY: "1" });
  expect((bare.calls as string[]).at(-1)).toBe("exit 1");
  expect(readFileSync(path.join(data, "check.txt"), "utf8")).toMatch(/^no +displays: no display$/m);
});

test("on Wayland without X11 the customer's display is a window to be moved by hand: a full one could cover the cashier's", {
  skip: process.platform !== "linux",
}, async () => {
  // Where the cashier's window is nobody is told there: 0, 0 would say the first screen.
  const seen = await playWhole(newFolder(), [], { XDG_SESSION_TYPE: "wayland", FAKE_WINDOW_X: "1280" });
  const { options } = seen.customerDisplay as { options: object };
  expect(options).toMatchObject({ width: 800, focusable: false });
  expect(options).not.toHaveProperty("fullscreen");
});

test("a terminal that a person moved to the second screen has the customer's display on the first", async () => {
  const seen = await playWhole(newFolder(), [], { FAKE_WINDOW_X: "1280" });
  expect(seen.customerDisplay).toMatchObject({ options: { x: 0, width: 1280, fullscreen: true } });
});

test("a page that cannot be loaded is said: nothing else would show that the terminal runs", async () => {
  const failed = await play(newFolder(), [], { FAKE_PAGE_FAILS: "1" });
  expect((failed.calls as string[]).filter((call) => /^(?:reload|error|show)/.test(call))).toEqual([
    ...Array(5).fill("reload"),
    expect.stringMatching(/^error: Tillcash: .*keeps failing/),
  ]);
});

test("a page that keeps failing ends with a withdrawal open too: nobody who stayed would have a page to leave by", async () => {
  const ended = await playWhole(newFolder(), ["--training"], { PLAY_WITHDRAWAL: "1" });
  expect((ended.ending as string[]).slice(5)).toEqual([
    expect.stringMatching(/^error: Tillcash: .*keeps failing/),
    "quit",
    "may sleep",
    "utility process ended",
    "exit 0",
  ]);
});

test("a start that fails ends what it had begun: the service, the journal, the folder's lock", async () => {
  const data = newFolder();
  const failed = await play(data, ["--training"], { FAKE_WINDOW_FAILS: "1" });
  const calls = failed.calls as string[];
  expect(calls).toContainEqual(expect.stringMatching(/^error: Tillcash cannot start: no display/));
  expect(calls.indexOf("utility process ended")).toBeGreaterThan(calls.indexOf("utility process: Tillcash service"));
  expect(calls.at(-1)).toBe("exit 1");
  expect(existsSync(path.join(data, "training", "journal.db-wal"))).toBe(false);
  expect(existsSync(path.join(data, "till-host.json"))).toBe(false);
});

test("a second start leaves it to the first", async () => {
  const data = newFolder();
  const first = claimInstance(data);
  try {
    const second = await play(data, [], { FAKE_LOCK: "taken" });
    expect((second.calls as string[]).slice(-1)).toEqual(["quit"]);
    expect(second.webPreferences).toBeUndefined();
  } finally {
    first?.release();
  }
});

test("a lock that the disk refuses is told apart from another start, which Electron does not do", async () => {
  const data = newFolder();
  const refused = await play(data, [], { FAKE_LOCK: "failing" });
  expect((refused.calls as string[]).slice(-2)).toEqual([
    expect.stringMatching(/^error: Tillcash cannot start: .*cannot lock files.*--data/),
    "exit 1",
  ]);
  expect(refused.webPreferences).toBeUndefined();
});

test("a full disk for temporary files, where Electron's lock needs a socket, keeps no terminal from starting, nor lets two", {
  skip: process.platform === "win32",
}, async () => {
  const data = newFolder();
  const full = { FAKE_LOCK: "failing", TMPDIR: path.join(data, "nothing-here") };
  expect((await play(data, [], full)).end).toBe("exit 0");
  const first = claimInstance(data);
  first?.publish(null);
  try {
    const second = await play(data, [], full);
    expect(second.calls).toContainEqual(expect.stringContaining("error: Tillcash: The terminal is open already"));
  } finally {
    first?.release();
  }
});

test.each([
  ["a window of its own", null, "The terminal is open already, in a window of its own"],
  ["a program that does not answer", 1, "Another program holds the terminal's data"],
] as const)("where %s holds the terminal's data, a second start says so", async (_, port, message) => {
  const data = newFolder();
  const claim = await claimOrHandOver(data);
  if (claim.kind !== "claimed") throw new Error("the folder is new");
  claim.instance.publish(port);
  try {
    const second = await play(data);
    expect(second.calls).toContainEqual(expect.stringContaining(`error: Tillcash: ${message}`));
    expect(second.webPreferences).toBeUndefined();
    await expect(startTillHost({ data, live: true })).rejects.toThrow(message);
  } finally {
    claim.instance.release();
  }
});

test("where the till runs in a browser already, that one is opened", async () => {
  const data = newFolder();
  const host = await startTillHost({ data, live: true });
  try {
    const second = await play(data);
    expect(second.calls).toContainEqual(expect.stringMatching(/^open file:\/\/.*\/open-till\.html$/));
    expect(second.webPreferences).toBeUndefined();
  } finally {
    await host.child.stop();
  }
});
