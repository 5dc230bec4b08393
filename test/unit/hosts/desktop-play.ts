/**
 * Runs the built desktop program on the stand-in, plays the browser engine's part, and prints what happened as one line of
 * JSON. `node --import stage.ts desktop-play.ts OUT DATA [--training]`; desktop.test.ts reads and judges it.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { channels } from "../../../preload/channels.ts";
import { tryNavigation } from "./desktop-navigation.ts";
import {
  answers,
  app,
  type BrowserWindow,
  calls,
  conditions,
  endSession,
  handlers,
  ipcMain,
  powerMonitor,
  schemes,
  session,
  shutDown,
  utilityChildren,
  windows,
} from "./fake-electron.ts";

type Contents = BrowserWindow["webContents"];

const [out = "", data = "", ...flags] = process.argv.slice(2);
// A packaged program has no path of an app among its arguments.
process.argv = conditions.isPackaged
  ? [process.argv[0] ?? "", ...flags, `--data=${data}`]
  : [process.argv[0] ?? "", out, ...flags, `--data=${data}`];
await import(pathToFileURL(path.join(out, "main", "index.js")).href);
app.evaluated();

/** For machines that do much else. */
const startTimeoutMs = 45_000;
const begun = performance.now();
while (!calls.some((call) => /^(?:show$|quit|exit)/.test(call)) && performance.now() - begun < startTimeoutMs)
  await delay(10);

const seen: Record<string, unknown> = { calls: [...calls], schemes };
const [window] = windows;

/** Runs a handler that the program registered. */
const handler = (name: string) => {
  const found = handlers.get(name);
  if (found === undefined) throw new Error(`the program registered no handler for: ${name}`);
  return found as (...args: unknown[]) => unknown;
};

interface Till {
  dispatch(command: object): Promise<unknown>;
  subscribe(listener: (snapshot: Shown) => void): () => void;
}
interface Shown {
  readonly screen: { readonly kind: string; readonly step?: string };
  readonly header: object;
}

/** A customer's order is confirmed, so that its end is open. */
async function confirmWithdrawal(till: Till, shown: () => Shown | undefined): Promise<void> {
  const order = (await till.dispatch({ type: "practice_request", amount: "20.00" })) as {
    data: { transactionId: string };
  };
  await till.dispatch({ type: "scan", text: order.data.transactionId, source: "typed" });
  while (shown()?.screen.kind !== "review") await delay(10);
  await till.dispatch({ type: "confirm", step: shown()?.screen.step });
  while (JSON.stringify(shown()?.header).includes('"unfinished":0')) await delay(10);
}

/** The page's own frame, as Electron names it. */
const ownOf = (contents: Contents) => ({ sender: contents, senderFrame: contents.mainFrame });
const invoke = (event: object, payload: unknown) => handler(`invoke ${channels.dispatch}`)(event, payload);
const command = { type: "check_journal" };

async function playCommands(contents: Contents): Promise<void> {
  const own = ownOf(contents);
  seen.withoutPin = await invoke(own, command);
  await invoke(own, { type: "set_manager_pin", name: "Ida", pin: "482915" });
  seen.dispatch = {
    own: await invoke(own, command),
    frameInside: await invoke({ ...own, senderFrame: { url: "app://till/" } }, command),
    frameGone: await invoke({ ...own, senderFrame: null }, command),
    stranger: await invoke({ sender: {}, senderFrame: contents.mainFrame }, command),
    garbage: await invoke(own, { type: "pay_out" }),
    nothing: await invoke(own, undefined),
  };
  const home = contents.mainFrame.url;
  contents.mainFrame.url = "https://evil.example/";
  Object.assign(seen.dispatch as object, { elsewhere: await invoke(own, command) });
  ipcMain.emit(channels.subscribe, own);
  contents.mainFrame.url = home;
  ipcMain.emit(channels.subscribe, { sender: contents, senderFrame: { url: home } });
  seen.sentToStrangers = contents.sent.length;
}

async function playPreload(contents: Contents): Promise<void> {
  const own = ownOf(contents);
  // The real preload script, in a context of its own with nothing but `require("electron")`.
  const exposed = new Map<string, never>();
  const listeners = new Map<string, (event: object, payload: unknown) => void>();
  contents.on("sent", (channel: string, payload: unknown) => listeners.get(channel)?.({}, payload));
  const required: string[] = [];
  vm.runInNewContext(readFileSync(window?.options.webPreferences.preload ?? "", "utf8"), {
    require(name: string) {
      required.push(name);
      return {
        contextBridge: { exposeInMainWorld: (key: string, value: never) => exposed.set(key, value) },
        ipcRenderer: {
          on: listeners.set.bind(listeners),
          send: (channel: string) => ipcMain.emit(channel, own),
          invoke: (_channel: string, payload: unknown) => invoke(own, structuredClone(payload)),
        },
      };
    },
  });
  const till = exposed.get("till") as unknown as Till;
  const snapshots: Shown[] = [];
  const stop = till.subscribe((snapshot) => snapshots.push(snapshot));
  while (snapshots.length === 0) await delay(10);
  seen.preload = {
    required,
    exposed: [...exposed.keys()],
    members: Object.keys(till),
    reply: await till.dispatch(command),
    first: snapshots[0],
  };
  if (flags.includes("--training")) {
    const begunMs = performance.now();
    const isLate = () => performance.now() - begunMs > startTimeoutMs;
    const isReady = () => JSON.stringify(snapshots.at(-1)?.screen).includes('"ready"');
    while (!isReady() && !isLate()) await delay(20);
    const header = () => snapshots.at(-1)?.header as { sandboxUrl: string | null };
    // A slow machine's terminal is ready before its service.
    while (header().sandboxUrl === null && !isLate()) await delay(20);
    seen.phone = header().sandboxUrl ?? "";
    seen.training = { header: header(), phoneStatus: (await fetch(`${seen.phone}`)).status };
    if (process.env.PLAY_WITHDRAWAL !== undefined) await confirmWithdrawal(till, () => snapshots.at(-1));
  }
  stop();
}

/** Runs `work` while the settings can be neither read nor written. */
async function withoutSettingsFile<T>(work: () => Promise<T>): Promise<T> {
  const file = path.join(data, flags.includes("--training") ? "training" : "", "settings.json");
  renameSync(file, `${file}.aside`);
  mkdirSync(file);
  try {
    return await work();
  } finally {
    rmdirSync(file);
    renameSync(`${file}.aside`, file);
  }
}

async function playPermissions(): Promise<void> {
  const { defaultSession } = session;
  const evil = { url: "https://evil.example/", isMain: true };
  const inside = { url: "app://till/", isMain: false };
  seen.requests = {
    camera: await defaultSession.request("media", { mediaTypes: ["video"] }),
    microphone: await defaultSession.request("media", { mediaTypes: ["audio"] }),
    both: await defaultSession.request("media", { mediaTypes: ["video", "audio"] }),
    // What is shared of a screen names no type (WebContentsPermissionHelper::RequestMediaAccessPermission).
    unnamed: await defaultSession.request("media", { mediaTypes: [] }),
    cameraElsewhere: await defaultSession.request("media", { mediaTypes: ["video"] }, evil),
    cameraInFrame: await defaultSession.request("media", { mediaTypes: ["video"] }, inside),
    notifications: await defaultSession.request("notifications"),
    geolocation: await defaultSession.request("geolocation"),
    openExternal: await defaultSession.request("openExternal", { externalURL: "https://evil.example/" }),
    clipboard: await defaultSession.request("clipboard-read"),
    nameless: await defaultSession.request("unknown"),
  };
  const video = { mediaType: "video", securityOrigin: "app://till/" };
  seen.checks = {
    camera: defaultSession.check("media", video),
    microphone: defaultSession.check("media", { ...video, mediaType: "audio" }),
    cameraElsewhere: defaultSession.check("media", video, evil),
    cameraInFrame: defaultSession.check("media", video, inside),
    cameraWithoutFrame: defaultSession.check("media", video, null),
    hid: defaultSession.check("hid"),
    hidElsewhere: defaultSession.check("hid", {}, evil),
    usb: defaultSession.check("usb"),
    clipboard: defaultSession.check("deprecated-sync-clipboard-read"),
  };
  const scanner = { deviceId: "7", name: "Scanner", vendorId: 1504, productId: 4864, guid: "g-1", collections: [] };
  const offer = (answer: number, devices: readonly (typeof scanner)[] = [scanner]) => {
    answers.push(answer);
    return defaultSession.chooseHid(devices);
  };
  seen.devices = {
    before: defaultSession.mayUse("hid", scanner),
    // A dialog that is closed without a press.
    closed: await defaultSession.chooseHid([scanner]),
    refused: await offer(1),
    afterRefusal: defaultSession.mayUse("hid", scanner),
    chosen: await offer(0),
    // hid_chooser_context.cc, DeviceInfoToValue: a device without a serial number has another guid each time it is plugged in.
    after: defaultSession.mayUse("hid", { ...scanner, guid: "g-2" }),
    afterElsewhere: defaultSession.mayUse("hid", scanner, "https://evil.example"),
    another: defaultSession.mayUse("hid", { ...scanner, productId: 1 }),
    asUsb: defaultSession.mayUse("usb", scanner),
  };
  seen.asked = calls.findLast((call) => call.startsWith("asked: "));
  // Else nobody would answer the page, and the rejection would end the program.
  const onFullDisk = await withoutSettingsFile(async () => {
    const other = { ...scanner, deviceId: "8", productId: 5 };
    return [await Promise.race([offer(0, [other]), delay(10_000, "no answer")]), defaultSession.mayUse("hid", other)];
  });
  Object.assign(seen.devices as object, { onFullDisk });
  calls.length = 0;
  seen.noDevice = [await defaultSession.chooseHid([]), await defaultSession.choosePort([]), [...calls]];
}

async function playSerialPorts(): Promise<void> {
  const { defaultSession } = session;
  const serial = (granted: object) => defaultSession.mayUse("serial", granted);
  const offerPort = (port: { readonly portId: string }) => {
    answers.push(0);
    return defaultSession.choosePort([port]);
  };
  // As chosen: shell/common/gin_converters/serial_port_info_converter.h. As asked: serial_chooser_context.cc, PortInfoToValue.
  const chosen = {
    portId: "1",
    portName: "ttyACM0",
    displayName: "Scanner",
    vendorId: "1504",
    productId: "5889",
    serialNumber: "S1",
  };
  const asked = { name: "Scanner", vendor_id: 1504, product_id: 5889, serial_number: "S1" };
  const chosenOnWindows = { ...chosen, portId: "2", portName: "COM3", deviceInstanceId: "USB\\VID_05E0&PID_1701\\S1" };
  const askedOnWindows = { name: "Scanner (COM3)", device_instance_id: "USB\\VID_05E0&PID_1701\\S1" };
  seen.serial = {
    before: [serial(asked), serial(askedOnWindows)],
    chosen: await offerPort(chosen),
    after: serial(asked),
    onMac: serial({ ...asked, usb_driver: "AppleUSBCDC" }),
    another: serial({ ...asked, serial_number: "S2" }),
    bare: serial({ name: "ttyS0", token: "AAAA" }),
    windowsBefore: serial(askedOnWindows),
    windowsChosen: await offerPort(chosenOnWindows),
    windowsAfter: serial(askedOnWindows),
    windowsAnother: serial({ ...askedOnWindows, device_instance_id: "USB\\VID_05E0&PID_1701\\S2" }),
  };
}

async function playPage(): Promise<void> {
  const load = async (address: string, method = "GET") => {
    const answer = (await handler("scheme app")(new Request(address, { method }))) as Response;
    const policy = answer.headers.get("content-security-policy");
    return { status: answer.status, policy, isPage: (await answer.text()).includes('id="root"') };
  };
  seen.page = {
    page: await load("app://till/"),
    otherHost: await load("app://other/"),
    dots: await load("app://till/..%2fmain%2findex.js"),
    post: await load("app://till/", "POST"),
  };
  const isCanceled = (url: string) =>
    new Promise((resolve) => handler("before request")({ url }, ({ cancel }: { cancel: boolean }) => resolve(cancel)));
  seen.canceled = {
    own: await isCanceled("app://till/assets/a.js"),
    ownBlob: await isCanceled("blob:app://till/1"),
    web: await isCanceled("https://evil.example/x.js"),
    loopback: await isCanceled("http://127.0.0.1:8787/"),
    file: await isCanceled("file:///etc/passwd"),
    otherHost: await isCanceled("app://other/"),
  };
}

/** As Electron does: an `error` of a utility process is emitted again on its object (lib/browser/api/utility-process.ts). */
function playUncaught(kind: string): void {
  if (kind === "service") utilityChildren[0]?.emit("error", "FatalError", "v8.cc:1", "{}");
  else if (kind === "rejection") void Promise.reject(new Error("nobody waits for this"));
  else
    setImmediate(() => {
      throw new Error("nobody catches this");
    });
  if (kind !== "service") return;
  // The window may be a kiosk by now: only the system ends it without a manager.
  shutDown();
}

/** What is on disk when the system ends the program: the journal has to be closed before the handlers return. */
function playSystemEnd(kind: string): void {
  calls.length = 0;
  const isOpen = (): boolean =>
    existsSync(path.join(data, flags.includes("--training") ? "training" : "", "journal.db-wal"));
  const wasJournalOpen = isOpen();
  const isHeldUp = kind === "shutdown" ? shutDown() : endSession();
  seen.systemEnd = { isHeldUp, wasJournalOpen, isJournalOpen: isOpen() };
}

/** As Crashpad does, again and again while the program goes on. @returns how many dumps lie there then. */
function playCrashes(event: string): number {
  const folder = path.join(app.getPath("crashDumps"), "completed");
  mkdirSync(folder, { recursive: true });
  for (let crash = 0; crash < 14; crash += 1) {
    writeFileSync(path.join(folder, `${event}-${crash}.dmp`), "");
    app.emit(event, {}, { type: "GPU", reason: "crashed", exitCode: 5 });
  }
  return readdirSync(folder).length;
}

function playTroubleAndEnd(contents: Contents): void {
  seen.dumps = ["child-process-gone", "render-process-gone"].map(playCrashes);
  calls.length = 0;
  for (let crash = 0; crash < 6; crash += 1)
    contents.emit("render-process-gone", {}, { reason: "crashed", exitCode: 5 });
  seen.trouble = [...calls];
}

if (window !== undefined && !window.isClosed) {
  seen.webPreferences = window.options.webPreferences;
  seen.wakes = ["resume", "unlock-screen"].map((event) => powerMonitor.emit(event));
  // Starts are played by the dozen: most of them without what only a manager's PIN and the window's own rights are about.
  const isWhole = process.env.PLAY_START_ALONE === undefined;
  if (isWhole) await playCommands(window.webContents);
  await playPreload(window.webContents);
  seen.navigation = tryNavigation(window.webContents, seen.phone);
  if (isWhole) {
    await playPermissions();
    await playSerialPorts();
    await playPage();
    // Loads all schemas of the bridge, which takes a start alone a third of its time.
    const { playCustomerDisplay, playKiosk } = await import("./desktop-windows.ts");
    const stage = { window, handler, seen };
    await playCustomerDisplay(stage);
    await playKiosk(stage);
  }
  calls.length = 0;
  app.startSecond([process.execPath, `--data=${data}`]);
  seen.secondInstance = [...calls];
  const exited = once(app, "exited");
  if (process.env.PLAY_UNCAUGHT !== undefined) playUncaught(process.env.PLAY_UNCAUGHT);
  else if (process.env.PLAY_SYSTEM_END !== undefined) playSystemEnd(process.env.PLAY_SYSTEM_END);
  else playTroubleAndEnd(window.webContents);
  await Promise.race([exited, delay(startTimeoutMs)]);
  seen.end = calls.at(-1);
  seen.ending = [...calls];
  seen.last = calls.slice(-2);
  seen.childrenLeft = utilityChildren.filter(
    ({ exitCode, signalCode }) => exitCode === null && signalCode === null,
  ).length;
}
console.log(JSON.stringify(seen));
process.exit(0);
