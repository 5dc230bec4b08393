/** The built desktop program on plain Node, with the `electron` module replaced: its wiring and its locks (not Electron itself). */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { claimOrHandOver } from "../../../main/host/instance.ts";
import { startTillHost } from "../../e2e/stage/programs.ts";
import { ensureBuilt } from "../../runner/built.ts";

const stage = path.join(import.meta.dirname, "stage.ts");
const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-desktop-"));
  folders.push(folder);
  return folder;
};

let out: string;

/** What the play saw; see desktop-play.ts. */
type Seen = Readonly<Record<string, unknown>>;

async function play(data: string, flags: readonly string[] = [], env: Record<string, string> = {}): Promise<Seen> {
  const program = path.join(import.meta.dirname, "desktop-play.ts");
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", stage, program, out, data, ...flags], {
    env: { ...process.env, ...env },
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

let seen: Seen;

beforeAll(async () => {
  out = await ensureBuilt();
  seen = await play(newFolder());
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

describe("the window", () => {
  test("is sandboxed and isolated", () => {
    expect(seen.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      preload: path.join(out, "preload", "index.cjs"),
    });
  });

  test("everything is locked before Electron is ready, and the page is our own", () => {
    const calls = seen.calls as string[];
    expect(calls.slice(0, 3)).toEqual(["enableSandbox", "schemes", expect.stringMatching(/^lock /)]);
    expect(calls.slice(3)).toEqual(["ready", "webrtc disable_non_proxied_udp", "load app://till/", "show"]);
    expect(seen.schemes).toEqual([
      { scheme: "app", privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
    ]);
  });

  test("goes nowhere and opens nothing", () => {
    expect(seen.navigation).toEqual({
      web: true,
      file: true,
      otherPage: true,
      redirect: true,
      frame: true,
      webview: true,
      newWindow: { action: "deny" },
      phone: { action: "deny" },
      opened: [],
    });
  });

  test("is loaded again when its process crashes, but not for ever", () => {
    const trouble = seen.trouble as string[];
    expect(trouble.slice(0, 5)).toEqual(Array(5).fill("reload"));
    expect(trouble[5]).toMatch(/^error: Tillcash/);
    expect(seen.end).toBe("exit 0");
  });

  test("comes to the front when the program is started again", () => {
    expect(seen.secondInstance).toEqual(["restore", "focus"]);
  });
});

test("the customer's display is full on the second screen, hears views alone, and can send the terminal nothing", () => {
  expect(seen.customerDisplay).toMatchObject({
    options: {
      x: 1280,
      fullscreen: true,
      focusable: false,
      webPreferences: { sandbox: true, contextIsolation: true, preload: path.join(out, "preload", "customer.cjs") },
    },
    sent: [{ channel: "customer:view", payload: { moment: { kind: "closed" } } }],
    command: { ok: false, code: "denied" },
    camera: false,
    policy: expect.stringContaining("connect-src 'none'"),
    permissions: expect.stringContaining("camera=()"),
    isPage: true,
    openBefore: true,
    afterRemoval: 1,
    afterReturn: 2,
  });
});

describe("the page's origin", () => {
  test("serves the built page under the policy, and nothing else", () => {
    const { page, ...others } = seen.page as Record<string, { status: number; policy: string; isPage: boolean }>;
    expect(page).toMatchObject({ status: 200, isPage: true, policy: expect.stringContaining("default-src 'none'") });
    expect(page?.policy).toContain("script-src 'self' 'wasm-unsafe-eval';");
    for (const [what, answer] of Object.entries(others))
      expect(answer, what).toMatchObject({ status: 404, isPage: false });
  });

  test("requests to anywhere else are canceled", () => {
    expect(seen.canceled).toEqual({
      own: false,
      ownBlob: false,
      web: true,
      loopback: true,
      file: true,
      otherHost: true,
    });
  });
});

describe("permissions", () => {
  test("the camera for our own page; no microphone, nothing for others", () => {
    const { camera, ...refused } = seen.requests as Record<string, boolean>;
    expect(camera).toBe(true);
    expect(Object.entries(refused).filter(([, granted]) => granted)).toEqual([]);
    expect(seen.checks).toEqual({
      camera: true,
      microphone: false,
      cameraElsewhere: false,
      hid: true,
      hidElsewhere: false,
      usb: false,
    });
  });

  test("the scanner that was chosen, and no other", () => {
    expect(seen.devices).toEqual({
      before: false,
      refused: null,
      afterRefusal: false,
      chosen: "7",
      after: true,
      afterElsewhere: false,
      another: false,
      asUsb: false,
    });
  });
});

test("a serial scanner that was chosen comes back, in the shapes that Electron describes it by", () => {
  expect(seen.serial).toEqual({
    before: [false, false],
    chosen: "1",
    after: true,
    onMac: true,
    another: false,
    bare: false,
    windowsBefore: false,
    windowsChosen: "2",
    windowsAfter: true,
    windowsAnother: false,
  });
});

test("a scanner is asked for in the terminal's language", async () => {
  const data = newFolder();
  const german = JSON.stringify({ version: 2, till: { language: "de" } });
  for (const folder of [data, path.join(data, "training")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "settings.json"), german);
  }
  expect((await play(data)).asked).toBe("asked: Welchen Scanner soll dieses Terminal benutzen?");
  expect(seen.asked).toBe("asked: Which scanner should this terminal use?");
});

test("the core is told when the machine wakes or is unlocked", () => expect(seen.wakes).toEqual([true, true]));

describe("the bridge", () => {
  test("takes commands from the window's own page alone", () => {
    expect(seen.withoutPin).toEqual({ ok: false, code: "no_manager" });
    expect(seen.dispatch).toEqual({
      own: expect.objectContaining({ ok: true }),
      frameInside: { ok: false, code: "denied" },
      frameGone: { ok: false, code: "denied" },
      stranger: { ok: false, code: "denied" },
      elsewhere: { ok: false, code: "denied" },
      garbage: { ok: false, code: "invalid" },
      nothing: { ok: false, code: "invalid" },
    });
    expect(seen.sentToStrangers).toBe(0);
  });

  test("the preload script exposes dispatch and subscribe, and they work", () => {
    expect(seen.preload).toMatchObject({
      required: ["electron"],
      exposed: ["till"],
      members: ["dispatch", "subscribe"],
      reply: { ok: true, data: { damaged: [] } },
      first: { screen: { kind: "setup" } },
    });
  });
});

test("in training it runs the service as a process of its own and gets ready; the phone opens in the system's browser", async () => {
  const trained = await play(newFolder(), ["--training"]);
  expect(trained.calls).toContain("utility process: Tillcash service");
  expect(trained.training).toMatchObject({ header: { training: true, device: "till-1" }, phoneStatus: 200 });
  expect(trained.navigation).toMatchObject({ phone: { action: "deny" }, opened: [`open ${trained.phone}`] });
  expect(trained.end).toBe("exit 0");
  await expect(fetch(String(trained.phone))).rejects.toThrow();
});

test("an installed program, which has no path among its arguments, reads its first flag too", async () => {
  const trained = await play(newFolder(), ["--training"], { FAKE_PACKAGED: "1" });
  expect(trained.training).toMatchObject({ header: { training: true } });
});

test.each(["remote-debugging-port", "remote-debugging-pipe", "js-flags"])(
  "an installed program refuses --%s, which would hand its page to whoever asks",
  async (name) => {
    const refused = await play(newFolder(), [], { FAKE_PACKAGED: "1", FAKE_SWITCHES: name });
    expect(refused.calls).toContainEqual(expect.stringContaining(`--${name}`));
    expect(refused.webPreferences).toBeUndefined();
  },
);

test.each(["exception", "rejection"])("an uncaught %s is logged, said, and ends the program", async (kind) => {
  const data = newFolder();
  const ended = await play(data, [], { PLAY_UNCAUGHT: kind });
  expect(ended.last).toEqual([expect.stringMatching(/^error: Tillcash: .*start it again/i), "exit 1"]);
  expect(readFileSync(path.join(data, "till.log"), "utf8")).toMatch(/"level":"error".*nobody/);
});

test("a service that ends by a fatal error of its engine does not take the program with it", async () => {
  const ended = await play(newFolder(), ["--training"], { PLAY_UNCAUGHT: "service" });
  expect(ended.end).toBe("exit 0");
});

test.each([
  ["without a key store", { FAKE_NO_KEY_STORE: "1" }],
  ["with Linux's basic_text", { FAKE_BASIC_TEXT: "1" }],
])("for real money it does not start %s, and says what to do", async (_, env) => {
  if (process.platform !== "linux" && "FAKE_BASIC_TEXT" in env) return;
  const data = newFolder();
  const refused = await play(data, [], env);
  expect(refused.calls).toContainEqual(
    expect.stringMatching(/^error: Tillcash cannot start: .*GNOME Keyring or KWallet/),
  );
  expect((refused.calls as string[]).at(-1)).toBe("exit 1");
  const trained = await play(data, ["--training"], env);
  expect(trained.training).toMatchObject({ header: { training: true } });
});

test("a start that fails ends what it had begun: the service, the journal, the folder's lock", async () => {
  const data = newFolder();
  const failed = await play(data, ["--training"], { FAKE_WINDOW_FAILS: "1" });
  const calls = failed.calls as string[];
  expect(calls).toContain("error: Tillcash cannot start: no display");
  expect(calls.indexOf("utility process ended")).toBeGreaterThan(calls.indexOf("utility process: Tillcash service"));
  expect(calls.at(-1)).toBe("exit 1");
  expect(existsSync(path.join(data, "training", "journal.db-wal"))).toBe(false);
  expect(existsSync(path.join(data, "till-host.json"))).toBe(false);
});

test("a second start leaves it to the first", async () => {
  const second = await play(newFolder(), [], { FAKE_SECOND_INSTANCE: "1" });
  expect((second.calls as string[]).slice(-1)).toEqual(["quit"]);
  expect(second.webPreferences).toBeUndefined();
});

test.each([
  ["a window of its own", null, "The terminal is open already, in a window of its own"],
  ["a program that does not answer", 1, "Another program holds the terminal's data"],
] as const)(
  "where %s holds the terminal's data, a second start says so",
  { timeout: 30_000 },
  async (_, port, message) => {
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
  },
);

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
