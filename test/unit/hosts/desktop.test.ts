import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { desktopProgram, type Seen } from "./desktop-program.ts";

const { newFolder, out, play } = desktopProgram();

let seen: Seen;
beforeAll(async () => {
  seen = await play(newFolder());
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
      experimentalFeatures: false,
      navigateOnDragDrop: false,
      backgroundThrottling: false,
      preload: path.join(out(), "preload", "index.cjs"),
    });
  });

  test("everything is locked before Electron is ready, and the page is our own", () => {
    const calls = seen.calls as string[];
    const data = expect.stringMatching(/^crash dumps .+crashes, sent: false$/);
    expect(calls.slice(0, 4)).toEqual(["enableSandbox", "schemes", data, expect.stringMatching(/^lock /)]);
    expect(calls.slice(4)).toEqual([
      "ready",
      "webrtc disable_non_proxied_udp",
      "load app://till/",
      "awake: prevent-display-sleep",
      "show",
    ]);
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
    expect(seen.dumps).toEqual([10, 10]);
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
      webPreferences: { sandbox: true, contextIsolation: true, preload: path.join(out(), "preload", "customer.cjs") },
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
    afterMoves: [0, 1280],
  });
});

test("a kiosk is left by nobody but a manager, whatever closes its window; a page that keeps failing still ends", () => {
  expect(seen.kiosk).toEqual({
    shown: ["fullScreen true", "fullScreen false", "kiosk true"],
    isClosed: false,
    leaving: { ok: false, code: "manager_needed" },
  });
  expect(seen.end).toBe("exit 0");
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
      cameraInFrame: false,
      cameraWithoutFrame: false,
      hid: true,
      hidElsewhere: false,
      usb: false,
      clipboard: false,
    });
  });

  test("the scanner that was chosen, and no other", () => {
    expect(seen.devices).toEqual({
      before: false,
      closed: null,
      refused: null,
      afterRefusal: false,
      chosen: "7",
      after: true,
      afterElsewhere: false,
      another: false,
      asUsb: false,
      onFullDisk: ["8", true],
    });
  });

  test("without a scanner nobody is asked, and the page gets none", () => {
    expect(seen.noDevice).toEqual([null, null, []]);
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

test("the program listens for the machine's waking and for its unlocking", () =>
  expect(seen.wakes).toEqual([true, true]));

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
