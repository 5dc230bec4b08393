/**
 * Stands in for the `electron` module on plain Node: remembers what the program under test asks of it, and lets a stage
 * play the browser engine's and the user's part. Node's loader gives it out under the name `electron` (see stage.ts).
 */
import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter } from "node:events";

/** A function of the program under test; the stage knows what it takes. */
type Handler = (...args: never[]) => unknown;

/** What the program gives a new window, as far as it is looked at. */
export interface WindowOptions {
  readonly x?: number;
  readonly fullscreen?: boolean;
  readonly focusable?: boolean;
  readonly webPreferences: Readonly<Record<string, unknown>> & { readonly preload: string };
}

/** What was done, in order: names with their first argument where it says something. */
export const calls: string[] = [];
/** Every window that was opened, closed ones included. */
export const windows: BrowserWindow[] = [];
/** Answers of the user, taken in turn by the dialogs. */
export const answers: number[] = (process.env.FAKE_ANSWERS ?? "").split(",").filter(Boolean).map(Number);
/** What listens to an event or an IPC channel, by its name. */
export const handlers = new Map<string, Handler>();
/** Privileges that were registered. */
export const schemes: object[] = [];
/** What the machine is like; a stage changes it before the program asks. */
export const conditions = {
  /**
   * Electron's own lock: `taken` by another start, or `failing` as on a network folder, which the program is told as the same; so is
   * a folder for temporary files that takes nothing, in which its socket would lie (process_singleton_posix.cc, Create).
   */
  lock: (process.env.FAKE_LOCK ?? "had") as "had" | "taken" | "failing",
  /** Linux's keyring; `basic`: none is known for this desktop. Any other system has a working one. */
  keyStore: (process.env.FAKE_KEY_STORE ?? "working") as "working" | "locked" | "missing" | "basic",
  /** Of another installation: what was sealed before cannot be opened, and the store works. */
  isKeyLost: process.env.FAKE_KEY_LOST !== undefined,
  isKeyRenewed: false,
  windowFails: process.env.FAKE_WINDOW_FAILS !== undefined,
  pageFails: process.env.FAKE_PAGE_FAILS !== undefined,
  isPackaged: process.env.FAKE_PACKAGED !== undefined,
  switches: (process.env.FAKE_SWITCHES ?? "").split(","),
  /** docs/breaking-changes.md (38): by the session's type, unless the switch says otherwise. */
  isWayland: process.env.XDG_SESSION_TYPE === "wayland" && !process.env.FAKE_SWITCHES?.includes("ozone-platform=x11"),
  windowX: Number(process.env.FAKE_WINDOW_X ?? 0),
};

const remember = (name: string) => (handler: Handler) => {
  handlers.set(name, handler);
};

class App extends EventEmitter {
  readonly isPackaged = conditions.isPackaged;
  readonly commandLine = {
    hasSwitch: (name: string): boolean => conditions.switches.includes(name),
    getSwitchValue: (name: string): string =>
      conditions.switches.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1) ?? "",
  };
  #paths = new Map<string, string>();
  #ready = Promise.withResolvers<void>();
  #isReady = false;
  isReady = (): boolean => this.#isReady;
  /** lib/browser/init.ts, appCodeLoaded: Electron goes on, and becomes ready, once the entry module was evaluated. */
  evaluated = (): void => {
    // A program that quit or exited meanwhile does not become ready.
    if (calls.some((call) => /^(?:quit|exit)/.test(call))) return;
    calls.push("ready");
    this.#isReady = true;
    this.#ready.resolve();
  };
  whenReady = (): Promise<void> => this.#ready.promise;
  getPath = (name: string): string => this.#paths.get(name) ?? process.cwd();
  setPath = (name: string, value: string): void => {
    this.#paths.set(name, value);
  };
  getVersion = (): string => "0.0.0";
  getName = (): string => "Tillcash";
  /** electron.d.ts (45), App.resolveProxy: the list that Chromium writes. */
  resolveProxy = async (): Promise<string> => "DIRECT";
  /** shell/browser/api/electron_api_app.cc, EnableSandbox: only before `ready`; the switch is gone for whoever looks later. */
  enableSandbox = (): void => {
    if (this.#isReady) throw new Error("app.enableSandbox() can only be called before app is ready");
    calls.push("enableSandbox");
    conditions.switches = conditions.switches.filter((name) => name !== "no-sandbox");
  };
  /** shell/browser/api/electron_api_app.cc, RequestSingleInstanceLock: LOCK_ERROR and PROCESS_NOTIFIED are both false. */
  requestSingleInstanceLock = (): boolean => {
    calls.push(`lock ${this.getPath("userData")}`);
    return conditions.lock === "had";
  };
  /** The same file, NotificationCallbackWrapper and OnSecondInstance: at once when ready, else in a task of its own. */
  startSecond = (argv: readonly string[]): void => {
    const tell = (): boolean => this.emit("second-instance", {}, argv, process.cwd(), undefined);
    if (this.#isReady) tell();
    else setImmediate(tell);
  };
  /** electron.d.ts (45), App.relaunch: the arguments take the place of the present ones, and the program goes on until it exits. */
  relaunch = ({ args, execPath }: { args: string[]; execPath?: string }): void => {
    calls.push(["relaunch", ...(execPath === undefined ? [] : [execPath]), ...args].join(" "));
  };
  releaseSingleInstanceLock = (): void => {
    calls.push("lock released");
  };
  /** electron.d.ts (45), App.quit: closes the windows, each of which may refuse; then says that it will quit, which may be put off. */
  quit = (): void => {
    calls.push("quit");
    for (const window of windows) window.close();
    if (windows.some((window) => !window.isClosed)) return;
    const event = { prevented: false, preventDefault: () => undefined };
    this.emit("will-quit", event);
  };
  exit = (code: number): void => {
    calls.push(`exit ${code}`);
    this.emit("exited", code);
  };
}
/** Electron's `app`. */
export const app = new App();

/**
 * electron.d.ts (45), WebContents: as much of it as the program uses. Once it is destroyed each call but `isDestroyed` throws
 * (shell/common/gin_helper/function_template.h, ArgumentHolder).
 */
class WebContents extends EventEmitter {
  readonly mainFrame = { url: "app://till/" };
  readonly sent: { channel: string; payload: unknown }[] = [];
  #isDestroyed = false;
  isDestroyed = (): boolean => this.#isDestroyed;
  /** electron_api_browser_window.cc, WebContentsDestroyed: the page goes before its window is closed. */
  destroy = (): void => {
    this.#isDestroyed = true;
    this.emit("destroyed");
  };
  #living = (): void => {
    if (this.#isDestroyed) throw new TypeError("Object has been destroyed");
  };
  getURL = (): string => this.mainFrame.url;
  setWindowOpenHandler = remember("window open");
  setWebRTCIPHandlingPolicy = (policy: string): void => {
    calls.push(`webrtc ${policy}`);
  };
  reload = (): void => {
    this.#living();
    calls.push("reload");
    if (conditions.pageFails) this.failLoad();
  };
  /** electron_api_web_contents.cc, DidFinishNavigation: what comes instead is an empty page, which is never ready to be shown. */
  failLoad = (): void => {
    this.emit("did-fail-load", {}, -9, "ERR_UNEXPECTED", this.mainFrame.url, true);
  };
  forcefullyCrashRenderer = (): void => {
    this.#living();
    calls.push("crash");
  };
  send = (channel: string, payload: unknown): void => {
    this.#living();
    this.sent.push({ channel, payload });
    this.emit("sent", channel, payload);
  };
}

/** Electron's `BrowserWindow`, without a window. */
export class BrowserWindow extends EventEmitter {
  readonly options: WindowOptions;
  readonly webContents = new WebContents();
  isClosed = false;
  constructor(options: WindowOptions) {
    super();
    if (conditions.windowFails) throw new Error("no display");
    this.options = options;
    windows.push(this);
    app.emit("web-contents-created", {}, this.webContents);
  }
  /** lib/browser/api/web-contents.ts, loadURL: rejects what the event was emitted for, too. */
  loadURL = async (address: string): Promise<void> => {
    calls.push(`load ${address}`);
    if (conditions.pageFails) {
      this.webContents.failLoad();
      throw new Error(`ERR_UNEXPECTED (-9) loading '${address}'`);
    }
    queueMicrotask(() => this.emit("ready-to-show"));
  };
  show = (): void => {
    calls.push("show");
  };
  showInactive = (): void => {
    calls.push("show inactive");
  };
  isDestroyed = (): boolean => this.isClosed;
  /** electron.d.ts (45), BrowserWindow.setKiosk and setFullScreen: noted when they change something. */
  #shown = { kiosk: false, fullScreen: false };
  #show = (what: "kiosk" | "fullScreen", is: boolean): void => {
    if (this.#shown[what] !== is) calls.push(`${what} ${is}`);
    this.#shown[what] = is;
  };
  setKiosk = (is: boolean): void => this.#show("kiosk", is);
  setFullScreen = (is: boolean): void => this.#show("fullScreen", is);
  /** shell/browser/native_window_views.cc, OnWidgetMove: whoever moved it. */
  moveTo = (x: number): void => {
    conditions.windowX = x;
    this.emit("move");
  };
  /** docs/api/base-window.md, getBounds: under Wayland nobody is told where a window is. A person moved the first one to `windowX`. */
  getBounds = () => {
    const place = conditions.isWayland ? 0 : (this.options.x ?? conditions.windowX);
    return { x: place, y: 0, width: 1280, height: 800 };
  };
  focus = (): void => {
    calls.push("focus");
  };
  restore = (): void => {
    calls.push("restore");
  };
  isMinimized = (): boolean => true;
  close = (): void => {
    let isPrevented = false;
    if (this.isClosed) return;
    const preventDefault = (): void => {
      isPrevented = true;
    };
    this.emit("close", { preventDefault });
    if (!isPrevented) this.destroy();
  };
  /** docs/api/browser-window.md, destroy: without `close`, which could be prevented. */
  destroy = (): void => {
    this.webContents.destroy();
    this.isClosed = true;
    this.emit("closed");
  };
}

class IpcMain extends EventEmitter {
  handle = (channel: string, handler: Handler): void => {
    handlers.set(`invoke ${channel}`, handler);
  };
}
/** Electron's `ipcMain`: `handlers` has what it was given. */
export const ipcMain = new IpcMain();

/** Who asks for a permission. */
interface Frame {
  readonly url: string;
  readonly isMain: boolean;
}
const ownFrame: Frame = { url: "app://till/", isMain: true };
const call = (name: string, ...args: unknown[]): unknown =>
  (handlers.get(name) as ((...given: unknown[]) => unknown) | undefined)?.(...args);

class Session extends EventEmitter {
  readonly protocol = {
    handle: (scheme: string, handler: Handler): void => {
      handlers.set(`scheme ${scheme}`, handler);
    },
  };
  readonly webRequest = { onBeforeRequest: remember("before request") };
  setPermissionRequestHandler = remember("permission request");
  setPermissionCheckHandler = remember("permission check");
  setDevicePermissionHandler = remember("device permission");

  /**
   * shell/browser/electron_permission_manager.cc, RequestPermissionsWithDetails: the frame's own address goes over the asker's
   * details, and the first answer counts; without a handler everything is granted.
   */
  request = (permission: string, details: object = {}, frame: Frame = ownFrame): Promise<boolean> =>
    new Promise((resolve) => {
      const asked = { ...details, requestingUrl: frame.url, isMainFrame: frame.isMain };
      if (handlers.has("permission request")) call("permission request", {}, permission, resolve, asked);
      else resolve(true);
    });

  /** CheckPermissionWithDetails there: the origin is an address with a slash, and who asks without a frame is no main frame. */
  check = (
    permission: string,
    details: object = {},
    frame: Frame | null = ownFrame,
    origin = ownFrame.url,
  ): unknown => {
    const from = frame === null ? {} : { requestingUrl: frame.url };
    const asked = { ...details, ...from, isMainFrame: frame?.isMain ?? false };
    const at = frame === null ? origin : new URL("/", frame.url).href;
    return handlers.has("permission check")
      ? call("permission check", frame && {}, permission, at, asked)
      : permission !== "deprecated-sync-clipboard-read";
  };

  /** CheckDevicePermission there: url::Origin::Serialize ends in no slash. */
  mayUse = (deviceType: "hid" | "serial" | "usb", device: object, origin = "app://till"): unknown =>
    call("device permission", { deviceType, origin, device });

  /**
   * shell/browser/hid/hid_chooser_controller.cc, OnGotDevices and OnDeviceChosen: a listener has to prevent the event before it
   * returns, or nothing is chosen; no id, an empty one and one that was not offered are nothing too.
   */
  chooseHid = (deviceList: readonly { readonly deviceId: string }[]): Promise<string | null> =>
    this.#choose("select-hid-device", [{ deviceList, frame: {} }], deviceList, ({ deviceId }) => deviceId);

  /** shell/browser/serial/serial_chooser_controller.cc, the same names. Its answer is a text, and a port is told with its page. */
  choosePort = (ports: readonly { readonly portId: string }[]): Promise<string | null> =>
    this.#choose("select-serial-port", [ports, {}], ports, ({ portId }) => portId);

  #choose<T>(name: string, told: readonly object[], offered: readonly T[], idOf: (one: T) => string) {
    return new Promise<string | null>((resolve) => {
      const answer = (id?: string | null): void => resolve(offered.map(idOf).find((one) => one === id) ?? null);
      let isPrevented = false;
      const preventDefault = (): void => {
        isPrevented = true;
      };
      this.emit(name, { preventDefault }, ...told, answer);
      if (!isPrevented) resolve(null);
    });
  }
}
/** Electron's `session`. */
export const session = { defaultSession: new Session() };

/** Electron's `protocol`. */
export const protocol = {
  /** shell/browser/api/electron_api_protocol.cc, RegisterSchemesAsPrivileged: only before `ready`. */
  registerSchemesAsPrivileged: (list: object[]): void => {
    if (app.isReady()) throw new Error("protocol.registerSchemesAsPrivileged should be called before app is ready");
    calls.push("schemes");
    schemes.push(...list);
  },
};

/** Electron's `dialog`: answers from `answers`, else as if it was closed. */
export const dialog = {
  /** The options come last; without a window the dialog is one of the program's own. */
  async showMessageBox(...args: object[]): Promise<{ response: number }> {
    const options = args.at(-1) as { message: string; cancelId: number };
    calls.push(`asked: ${options.message}`);
    return { response: answers.shift() ?? options.cancelId };
  },
  /** docs/api/dialog.md, showErrorBox: before `ready` Linux shows nothing and writes to stderr. */
  showErrorBox: (title: string, text: string): void => {
    const isShown = app.isReady() || process.platform !== "linux";
    calls.push(`${isShown ? "error" : "only on stderr"}: ${title}: ${text}`);
  },
};

/** Turns every bit: enough to tell that it was called. */
const flip = (bytes: Buffer): Buffer => Buffer.from(bytes.map((byte) => byte ^ 0xff));
/**
 * Electron's `safeStorage` on Linux, its asynchronous calls (shell/browser/api/electron_api_safe_storage.cc). What a keyring's
 * key sealed begins with `v11`; where there is none, or it is locked, Chromium's os_crypt takes a key that is published in its
 * sources and writes `v10` (components/os_crypt/async/browser, PosixKeyProvider and FreedesktopSecretKeyProvider).
 */
export const safeStorage = {
  /** OnOsCryptReady: true whichever key was found. */
  isAsyncEncryptionAvailable: async (): Promise<boolean> => app.isReady(),
  /** Follows the desktop's name, not a keyring that answers. */
  getSelectedStorageBackend: (): string => (conditions.keyStore === "basic" ? "basic_text" : "gnome_libsecret"),
  encryptStringAsync: async (text: string): Promise<Buffer> =>
    Buffer.concat([Buffer.from(conditions.keyStore === "working" ? "v11" : "v10"), flip(Buffer.from(text))]),
  async decryptStringAsync(bytes: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> {
    if (bytes.subarray(0, 3).toString("latin1") === "v11") {
      if (conditions.keyStore === "locked")
        throw new Error("safeStorage.decryptStringAsync is temporarily unavailable. Please try again.");
      if (conditions.keyStore !== "working" || conditions.isKeyLost)
        throw new Error("Error while decrypting the ciphertext provided to safeStorage.decryptStringAsync.");
    }
    return { result: flip(bytes.subarray(3)).toString(), shouldReEncrypt: conditions.isKeyRenewed };
  },
};

/** Every child that was forked. */
export const utilityChildren: ChildProcess[] = [];
/** electron.d.ts (45), UtilityProcess.fork: a utility process as a forked one, which has the same messages and the same end. */
export const utilityProcess = {
  fork(file: string, args: string[], options: { env: Record<string, string>; serviceName: string }): object {
    calls.push(`utility process: ${options.serviceName}`);
    // Without the stage of this process: the service knows no Electron.
    const child = fork(file, args, { env: options.env, execArgv: [], stdio: ["ignore", "pipe", "pipe", "ipc"] });
    utilityChildren.push(child);
    child.once("exit", () => calls.push("utility process ended"));
    return Object.assign(child, { postMessage: (message: object) => child.send(message, () => undefined) });
  },
};

/** electron.d.ts (45), CrashReporterStartOptions: remembers where dumps go, and whether they are sent. */
export const crashReporter = {
  start: ({ uploadToServer }: { uploadToServer: boolean }): void => {
    calls.push(`crash dumps ${app.getPath("crashDumps")}, sent: ${uploadToServer}`);
  },
};

/** Emits `resume` and `unlock-screen` (electron.d.ts, PowerMonitor). */
export const powerMonitor = new EventEmitter();

/** electron.d.ts (45), PowerSaveBlocker: notes what begins and ends. */
export const powerSaveBlocker = {
  start: (type: string): number => calls.push(`awake: ${type}`),
  stop: (): void => {
    calls.push("may sleep");
  },
};

/**
 * docs/api/power-monitor.md, shutdown: Linux and macOS wait for a program that prevented the event, which then has to quit.
 * @returns whether they wait.
 */
export const shutDown = (): boolean => {
  let isDelayed = false;
  const preventDefault = (): void => {
    isDelayed = true;
  };
  powerMonitor.emit("shutdown", { preventDefault });
  return isDelayed;
};

/**
 * shell/browser/native_window_views_win.cc, WM_QUERYENDSESSION and WM_ENDSESSION: every window hears of it, and the process is
 * terminated as soon as they return. Neither `close` nor `will-quit` comes. @returns whether the session's end was held up.
 */
export const endSession = (): boolean => {
  let isHeldUp = false;
  const preventDefault = (): void => {
    isHeldUp = true;
  };
  for (const name of ["query-session-end", "session-end"])
    for (const window of windows) window.emit(name, { preventDefault, reasons: ["shutdown"] });
  return isHeldUp;
};

/** Two screens, the second to the right (electron.d.ts 45, Display); emits `display-added` and `display-removed`. */
class Screens extends EventEmitter {
  readonly displays = [
    { id: 1, label: "Counter", bounds: { x: 0, y: 0, width: 1280, height: 800 } },
    { id: 2, label: "Customer", bounds: { x: 1280, y: 0, width: 800, height: 480 } },
  ];
  getAllDisplays = (): object[] => (process.env.FAKE_NO_DISPLAY === undefined ? this.displays : []);
  getDisplayMatching = ({ x }: { readonly x: number }): object =>
    this.displays.findLast(({ bounds }) => bounds.x <= x) ?? this.displays[0] ?? {};
}
/** Electron's `screen`. */
export const screen = new Screens();

/** electron.d.ts (45), SystemPreferences.getMediaAccessStatus and askForMediaAccess. */
export const systemPreferences = {
  getMediaAccessStatus: (): string => "granted",
  askForMediaAccess: async (): Promise<boolean> => true,
};

/** Electron's `shell`: notes what it would open. */
export const shell = {
  openExternal: async (address: string): Promise<void> => {
    calls.push(`open ${address}`);
  },
};
/** Electron's `Menu`. */
export const Menu = { setApplicationMenu: (): void => undefined };

export default {
  app,
  BrowserWindow,
  ipcMain,
  session,
  protocol,
  dialog,
  safeStorage,
  utilityProcess,
  crashReporter,
  powerMonitor,
  powerSaveBlocker,
  screen,
  shell,
  systemPreferences,
  Menu,
};
