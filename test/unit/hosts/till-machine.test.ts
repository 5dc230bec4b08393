/** What the desktop program does with the computer: its window, its screens, its start, its camera. Tables, without Electron. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { asChosen, nextScreen, openScreenMemory, screenFor } from "../../../main/electron/customer-window.ts";
import { mayUseCamera } from "../../../main/electron/permissions.ts";
import {
  autostartEntry,
  autostartFile,
  keepStartWithSystem,
  programFile,
} from "../../../main/electron/start-with-system.ts";
import { dialogTexts } from "../../../main/electron/texts.ts";
import {
  createCloseConfirmation,
  keepAlive,
  keepAwake,
  keepWindowMode,
  lockNavigation,
  withWindowCommands,
} from "../../../main/electron/window.ts";
import type { Terminal } from "../../../main/terminal/terminal.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { Snapshot } from "../../../preload/contract.ts";
import { type Settings, settingsSchema } from "../../../preload/settings.ts";
import { problemOf } from "../../../renderer/scan/camera/camera-session.ts";
import { calls, BrowserWindow as FakeWindow } from "./fake-electron.ts";

const electron = vi.hoisted(() => ({
  status: "granted",
  agrees: true,
  asked: 0,
  items: [] as object[],
  blockers: 0,
  awake: new Set<number>(),
  answers: [] as number[],
  questions: [] as object[],
  created: [] as ((event: unknown, contents: object) => void)[],
}));
// electron.d.ts (45): App.setLoginItemSettings, PowerSaveBlocker, SystemPreferences.getMediaAccessStatus and askForMediaAccess.
vi.mock("electron", () => ({
  powerSaveBlocker: {
    // Ids count from 0; each start is a blocker of its own, and only this kind keeps the screens on.
    start: (kind: string) => {
      const id = electron.blockers++;
      if (kind === "prevent-display-sleep") electron.awake.add(id);
      return id;
    },
    stop: (id: number) => void electron.awake.delete(id),
  },
  dialog: {
    async showMessageBox(_window: object, question: object) {
      electron.questions.push(question);
      return { response: electron.answers.shift() };
    },
  },
  app: {
    setLoginItemSettings: (item: object) => void electron.items.push(item),
    on: (_: "web-contents-created", listener: (typeof electron.created)[number]) => electron.created.push(listener),
  },
  shell: {
    async openExternal() {
      throw new Error("Failed to open URL");
    },
  },
  systemPreferences: {
    getMediaAccessStatus: () => electron.status,
    askForMediaAccess: async () => {
      electron.asked += 1;
      return electron.agrees;
    },
  },
}));

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-machine-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const afterwards = () => new Promise((resolve) => setImmediate(resolve));

test("a computer without a browser opens no phone, which is logged and does not end the program", async () => {
  const log = vi.fn();
  lockNavigation(log, () => true);
  let open: ((details: { url: string }) => object) | undefined;
  const setWindowOpenHandler = (handler: typeof open) => {
    open = handler;
  };
  electron.created[0]?.({}, { on() {}, setWebRTCIPHandlingPolicy() {}, setWindowOpenHandler });
  expect(open?.({ url: "http://127.0.0.1:8787/sandbox" })).toEqual({ action: "deny" });
  await afterwards();
  expect(log).toHaveBeenCalledWith("warn", "no browser", { why: "Error: Failed to open URL" });
});

/** A bridge whose settings a test changes. */
const bridge = () => {
  let listener: ((snapshot: Snapshot) => void) | null = null;
  return {
    subscribe(next: (snapshot: Snapshot) => void) {
      listener = next;
      return () => {
        listener = null;
      };
    },
    async show(settings: Partial<Settings>) {
      listener?.({ settings: settingsSchema.parse(settings) } as Snapshot);
      await afterwards();
    },
  };
};

test("the screens stay on while the shop is open, and may go dark when the day is closed or the program ends", () => {
  let show: (snapshot: Snapshot) => void = () => undefined;
  const letSleep = keepAwake({
    subscribe(listener) {
      show = listener;
      return () => {
        show = () => undefined;
      };
    },
  });
  const isAwakeOn = (kind: "open" | "counted" | "closed" | null): boolean => {
    show({ header: { day: kind && { kind, number: 1, openForMs: null } } } as Snapshot);
    return electron.awake.size === 1;
  };
  const kinds = [null, "open", "counted", "closed", "closed", "open"] as const;
  expect(kinds.map(isAwakeOn)).toEqual([true, true, true, false, false, true]);
  letSleep();
  expect(electron.awake.size).toBe(0);
  expect(isAwakeOn("open"), "after its end").toBe(false);
});

test("leaving with open withdrawals is asked about again after a no, and not after a yes", async () => {
  electron.answers = [0, 1];
  const open = {
    subscribe: (listener: (snapshot: Snapshot) => void) => {
      listener({ header: { unfinished: 2 }, settings: settingsSchema.parse({}) } as Snapshot);
      return () => undefined;
    },
  };
  const question = createCloseConfirmation(open as never, {} as never);
  expect([question.isAnswered(), await question.confirmClose(), question.isAnswered()]).toEqual([false, false, false]);
  expect([await question.confirmClose(), question.isAnswered()]).toEqual([true, true]);
  // What closes a dialog, and what Enter presses in one, is to stay.
  const { stay, close } = dialogTexts.en.close;
  expect(electron.questions.at(-1)).toMatchObject({ buttons: [stay, close], defaultId: 0, cancelId: 0 });
});

describe("the window", () => {
  const open = () => {
    const calls: string[] = [];
    const settings = bridge();
    const mode = keepWindowMode(
      {
        setKiosk: (is) => void calls.push(`kiosk ${is}`),
        setFullScreen: (is) => void calls.push(`full ${is}`),
        isDestroyed: () => false,
        once: (() => undefined) as never,
      },
      settings,
    );
    return { calls, settings, mode };
  };

  test.each([
    ["window", true, []],
    ["full_screen", true, ["kiosk false", "full true"]],
    ["kiosk", false, ["full false", "kiosk true"]],
  ] as const)("as %s: may it be closed? %s", async (windowMode, may, done) => {
    const { calls, settings, mode } = open();
    await settings.show({ windowMode });
    expect(calls).toEqual(done);
    expect(mode.isClosable()).toBe(may);
  });

  test("a kiosk is open once a manager said so, shut again when nobody left, and gone with the setting", async () => {
    const { settings, mode } = open();
    await settings.show({ windowMode: "kiosk" });
    mode.allowExit();
    expect(mode.isClosable()).toBe(true);
    mode.cancelExit();
    expect(mode.isClosable()).toBe(false);
    await settings.show({ windowMode: "window" });
    expect(mode.isClosable()).toBe(true);
  });

  test("its commands are answered here, all others by the terminal", async () => {
    const done: string[] = [];
    const terminal: Pick<Terminal, "dispatch"> = { dispatch: async () => ({ ok: true, data: "terminal" }) };
    const { dispatch } = withWindowCommands(terminal, {
      moveCustomerDisplay: () => done.length === 0,
      close: () => void done.push("closed"),
    });
    expect(await dispatch({ type: "move_customer_display" }, counterActor)).toEqual({ ok: true });
    expect(await dispatch({ type: "close_program" }, counterActor)).toEqual({ ok: true });
    await afterwards();
    expect(done).toEqual(["closed"]);
    expect(await dispatch({ type: "move_customer_display" }, counterActor)).toEqual({ ok: false, code: "no_screen" });
    expect(await dispatch({ type: "check_journal" }, counterActor)).toEqual({ ok: true, data: "terminal" });
  });
});

describe("a page", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    return () => vi.useRealTimers();
  });
  type Page = InstanceType<typeof FakeWindow>["webContents"];
  const fail = (page: Page): void => page.failLoad();
  const hang = (page: Page): void => void page.emit("unresponsive");

  test.each<[string, (page: Page) => void, (page: Page) => void, number, string[]]>([
    ["that hangs is ended after ten seconds", hang, () => undefined, 10_000, ["crash"]],
    ["that hangs has ten seconds", hang, () => undefined, 9_999, []],
    ["that answers after all goes on", hang, (page) => page.emit("responsive"), 60_000, []],
    // The display of a customer whose page hangs is turned off, or its screen is unplugged.
    ["that hangs and is closed is not touched any more", hang, (page) => page.destroy(), 60_000, []],
    ["that was not loaded is loaded again a second later", fail, () => undefined, 1_000, ["reload"]],
    ["that was not loaded and is closed is not touched any more", fail, (page) => page.destroy(), 60_000, []],
  ])("%s", (_, trouble, then, afterMs, done) => {
    const page = new FakeWindow({ webPreferences: { preload: "" } }).webContents;
    keepAlive(
      page as never,
      () => undefined,
      () => undefined,
    );
    calls.length = 0;
    trouble(page);
    then(page);
    vi.advanceTimersByTime(afterMs);
    expect(calls).toEqual(done);
  });

  test.each([
    [9_000, 1],
    [15_000, 0],
  ])("that crashes every %i ms is given up %i times within a minute and a half", (everyMs, times) => {
    const page = new FakeWindow({ webPreferences: { preload: "" } }).webContents;
    const gaveUp = vi.fn();
    keepAlive(page as never, () => undefined, gaveUp);
    for (let atMs = 0; atMs < 90_000 && gaveUp.mock.calls.length === 0; atMs += everyMs) {
      page.emit("render-process-gone", {}, { reason: "crashed", exitCode: 1 });
      vi.advanceTimersByTime(everyMs);
    }
    expect(gaveUp).toHaveBeenCalledTimes(times);
  });
});

describe("the customer's screen", () => {
  const at = (id: number, label: string, width = 800) => ({ id, label, bounds: { x: 0, y: 0, width, height: 480 } });
  const [till, front, office] = [at(1, "Till"), at(2, "Front"), at(3, "Office")];
  const chosen = asChosen(front);

  test.each([
    ["none chosen: the first other one", [till, front, office], null, 2],
    ["the terminal's own alone", [till], null, null],
    ["the chosen one, whatever comes first", [till, office, front], chosen, 2],
    ["the chosen one in another socket", [till, office, at(9, "Front")], chosen, 9],
    [
      "the chosen one's number, but another screen: among several nobody guesses",
      [till, office, at(2, "Wall")],
      chosen,
      null,
    ],
    ["the chosen one is unplugged, and the only other one took its place", [till, office], chosen, 3],
    ["unplugged, and none is left", [till], chosen, null],
    ["two of one name: the number decides", [till, at(5, "Front"), front], chosen, 2],
    ["screens without names go by number", [at(1, ""), at(2, ""), at(3, "")], asChosen(at(3, "")), 3],
  ] as const)("%s", (_what, screens, memory, id) => {
    expect(screenFor(screens, 1, memory)?.id ?? null).toBe(id);
  });

  test.each([
    [[till, front, office], 2, 3],
    [[till, front, office], 3, 2],
    [[till, front], 2, 2],
    [[till, front], null, 2],
    [[till], null, null],
  ] as const)("of %j, after %j comes %j", (screens, shown, id) => {
    expect(nextScreen(screens, 1, shown)?.id ?? null).toBe(id);
  });

  test("is remembered over restarts", () => {
    openScreenMemory(folder).save(chosen);
    expect(openScreenMemory(folder).load()).toEqual(chosen);
  });

  test("that cannot be read is none, and is chosen anew", () => {
    const broken = path.join(folder, "broken");
    mkdirSync(path.join(broken, "customer-screen.json"), { recursive: true });
    const memory = openScreenMemory(broken);
    expect(memory.load()).toBeNull();
    memory.save(chosen);
    expect(memory.load()).toEqual(chosen);
  });
});

describe("the start with the system", () => {
  const log = vi.fn();
  beforeEach(() => {
    electron.items.length = 0;
  });

  test.each([
    [{}, "/home/ann/.config/autostart/tillcash.desktop"],
    [{ XDG_CONFIG_HOME: "/etc/ann" }, "/etc/ann/autostart/tillcash.desktop"],
    [{ XDG_CONFIG_HOME: "relative" }, "/home/ann/.config/autostart/tillcash.desktop"],
  ])("Linux looks in %j", (env, file) => expect(autostartFile(env, "/home/ann")).toBe(file));

  test.each([
    ["/opt/Tillcash/tillcash", 'Exec="/opt/Tillcash/tillcash"'],
    ["/home/ann/My programs/100%.AppImage", 'Exec="/home/ann/My programs/100%%.AppImage"'],
    ['/a"b$c`d\\e', 'Exec="/a\\\\"b\\\\$c\\\\`d\\\\\\\\e"'],
  ])("the entry of %j", (program, line) => expect(autostartEntry(program).split("\n")).toContain(line));

  test("an AppImage is started by the file that was downloaded", () => {
    expect(programFile({ APPIMAGE: "/a.AppImage" }, "/tmp/.mount/tillcash")).toBe("/a.AppImage");
    expect(programFile({}, "/opt/tillcash")).toBe("/opt/tillcash");
  });

  test("is written when it is wanted, and taken away when it no longer is; never touched before", async () => {
    const settings = bridge();
    const env = { XDG_CONFIG_HOME: folder };
    const read = () => readFileSync(autostartFile(env, folder), "utf8");
    keepStartWithSystem(settings, log, "linux", env);
    await settings.show({});
    expect(read).toThrow("ENOENT");
    await settings.show({ startWithSystem: true });
    expect(read()).toContain(`Exec="${process.execPath}"`);
    await settings.show({ startWithSystem: false });
    expect(read).toThrow("ENOENT");
    expect(log).not.toHaveBeenCalled();
  });

  test("a disk that refuses is logged, and the terminal goes on", async () => {
    const settings = bridge();
    keepStartWithSystem(settings, log, "linux", { XDG_CONFIG_HOME: process.execPath });
    await settings.show({ startWithSystem: true });
    expect(log).toHaveBeenCalledWith("error", expect.stringContaining("start with the system"), expect.anything());
  });

  test.each(["win32", "darwin"] as const)("%s keeps it itself", async (platform) => {
    const settings = bridge();
    keepStartWithSystem(settings, log, platform, { APPIMAGE: "p.exe" });
    await settings.show({ startWithSystem: true });
    await settings.show({ startWithSystem: false });
    expect(electron.items).toEqual([
      { openAtLogin: true, path: "p.exe" },
      { openAtLogin: false, path: "p.exe" },
    ]);
  });
});

describe("the camera", () => {
  test.each([
    ["linux", "denied", true, 0],
    ["win32", "granted", true, 0],
    ["win32", "denied", false, 0],
    ["win32", "unknown", true, 0],
    ["darwin", "granted", true, 0],
    ["darwin", "restricted", false, 0],
    ["darwin", "not-determined", true, 1],
    ["win32", "not-determined", true, 0],
  ] as const)("%s says %s: may it be used? %s", async (platform, status, may, asked) => {
    Object.assign(electron, { status, asked: 0 });
    expect(await mayUseCamera(platform)).toBe(may);
    expect(electron.asked).toBe(asked);
  });

  test("a person who says no to macOS is believed", async () => {
    Object.assign(electron, { status: "not-determined", agrees: false });
    expect(await mayUseCamera("darwin")).toBe(false);
  });

  test.each([
    [null, "denied"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64)", "denied_windows"],
    ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "denied_mac"],
    ["Mozilla/5.0 (X11; Linux x86_64)", "denied_linux"],
  ])("a refusal under %j is explained as %s", (userAgent, problem) => {
    expect(problemOf(new DOMException("", "NotAllowedError"), userAgent)).toBe(problem);
    expect(problemOf(new DOMException("", "NotFoundError"), userAgent)).toBe("none");
  });
});
