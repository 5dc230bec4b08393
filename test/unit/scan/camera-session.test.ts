/**
 * One camera over a shop's day: chosen, gone, taken, refused, pulled out, plugged in again. The browser is a double after the W3C's
 * "Media Capture and Streams": a device that `deviceId: { exact }` names and nobody has is an OverconstrainedError, none at all a
 * NotFoundError (10.2); `stop()` fires no event, a source that goes away ends its track and fires `ended` (4.3.1); before a permission
 * `enumerateDevices` gives empty ids and labels (9.2).
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CameraDevice, CameraSession } from "../../../renderer/scan/camera/camera-session.ts";

class Track extends EventTarget {
  readyState: "live" | "ended" = "live";
  readonly deviceId: string;
  constructor(deviceId: string) {
    super();
    this.deviceId = deviceId;
  }
  get label(): string {
    return `Camera ${this.deviceId}`;
  }
  getSettings() {
    return { deviceId: this.deviceId };
  }
  stop(): void {
    this.readyState = "ended";
  }
  /** Its cable is pulled. */
  pull(): void {
    this.readyState = "ended";
    this.dispatchEvent(new Event("ended"));
  }
}

const devices = new (class extends EventTarget {
  plugged: string[] = ["a", "b"];
  isAllowed = true;
  /** What a browser throws before it looks for a device. */
  refusal: string | null = null;
  asked: MediaTrackConstraints[] = [];
  listings = 0;
  opened: Track[] = [];
  hasPicture = true;
  answer: Promise<void> = Promise.resolve();

  async getUserMedia({ video }: { readonly video: MediaTrackConstraints }) {
    this.asked.push(video);
    await this.answer;
    if (this.refusal !== null) throw new DOMException("", this.refusal);
    const exact = (video.deviceId as { exact?: string } | undefined)?.exact;
    const found = exact === undefined ? this.plugged[0] : this.plugged.find((name) => name === exact);
    if (found === undefined) throw new DOMException("", exact === undefined ? "NotFoundError" : "OverconstrainedError");
    const track = new Track(found);
    this.opened.push(track);
    return { getTracks: () => [track], getVideoTracks: () => (this.hasPicture ? [track] : []) };
  }
  async enumerateDevices() {
    this.listings += 1;
    if (this.refusal === "SecurityError") throw new DOMException("", "SecurityError");
    const video = this.plugged.map((name) =>
      this.isAllowed
        ? { kind: "videoinput", deviceId: name, label: `Camera ${name}`, groupId: "1" }
        : { kind: "videoinput", deviceId: "", label: "", groupId: "" },
    );
    return [{ kind: "audioinput", deviceId: "m", label: "Microphone", groupId: "1" }, ...video];
  }
  get lit(): readonly string[] {
    return this.opened.filter(({ readyState }) => readyState === "live").map(({ deviceId }) => deviceId);
  }
})();

const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
let seen: string[] = [];
let listed: readonly CameraDevice[] = [];
let session: CameraSession;

const settle = () => vi.advanceTimersByTimeAsync(0);
const open = async (deviceId: string | null = null): Promise<void> => {
  session = new CameraSession(deviceId, {
    onState: (state) =>
      seen.push(state.kind === "live" ? state.deviceId : state.kind === "problem" ? state.problem : state.kind),
    onDevices: (found) => {
      listed = found;
    },
  });
  await settle();
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("navigator", { mediaDevices: devices, userAgent: "Mozilla/5.0 (X11; Linux x86_64)" });
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", {});
  Object.assign(devices, { plugged: ["a", "b"], isAllowed: true, refusal: null, asked: [], opened: [] });
  Object.assign(devices, { hasPicture: true, answer: Promise.resolve() });
  page.visibilityState = "visible";
  [seen, listed] = [[], []];
});
afterEach(() => {
  session.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(devices.lit).toEqual([]);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("which camera", () => {
  test.each<[string, string | null, readonly string[], readonly string[]]>([
    ["none chosen: whichever the browser gives", null, ["a", "b"], ["starting", "a"]],
    ["the chosen one", "b", ["a", "b"], ["starting", "b"]],
    ["the chosen one is gone: any other", "b", ["a"], ["starting", "a"]],
    ["there is none", "b", [], ["starting", "none"]],
    ["none chosen, and none there", null, [], ["starting", "none"]],
  ])("%s", async (_, chosen, plugged, states) => {
    devices.plugged = [...plugged];
    await open(chosen);
    expect(seen).toEqual(states);
  });

  test("one that looks away from the cashier, with the picture that decoding is tuned for", async () => {
    await open();
    const picture = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } };
    expect(devices.asked).toEqual([{ ...picture, facingMode: { ideal: "environment" } }]);
  });

  test("a chosen one that another program has is not replaced by another", async () => {
    devices.refusal = "NotReadableError";
    await open("b");
    expect([seen, devices.asked.length]).toEqual([["starting", "taken"], 1]);
  });
});

test.each([
  ["NotFoundError", "none"],
  ["OverconstrainedError", "none"],
  ["NotReadableError", "taken"],
  ["AbortError", "taken"],
  ["InvalidStateError", "failed"],
])("%s is %s, and tried again every three seconds without a flicker until it works", async (name, problem) => {
  devices.refusal = name;
  await open();
  expect(seen).toEqual(["starting", problem]);
  await vi.advanceTimersByTimeAsync(2_999);
  expect(seen).toEqual(["starting", problem]);
  await vi.advanceTimersByTimeAsync(1);
  expect(seen).toEqual(["starting", problem, problem]);
  devices.refusal = null;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(seen).toEqual(["starting", problem, problem, "a"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(devices.opened).toHaveLength(1);
  // The next trouble is a new one.
  session.restart();
  await settle();
  expect(seen.slice(-2)).toEqual(["starting", "a"]);
});

test.each(["NotAllowedError", "SecurityError"])(
  "%s waits for a person, who may press or give the permission",
  async (name) => {
    devices.refusal = name;
    await open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect([seen, devices.asked.length]).toEqual([["starting", "denied"], 1]);
    devices.refusal = null;
    session.restart();
    await settle();
    expect(seen).toEqual(["starting", "denied", "a"]);
  },
);

test("in the desktop program it was the system that refused", async () => {
  vi.stubGlobal("window", { till: {} });
  devices.refusal = "NotAllowedError";
  await open();
  expect(seen).toEqual(["starting", "denied_linux"]);
});

test("a page that may have no camera says so, also to whoever presses for another try", async () => {
  vi.stubGlobal("navigator", {});
  await open();
  session.restart();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(seen).toEqual(["insecure", "insecure"]);
});

test("pulled out, it says so, and takes it again when it is plugged in, not three seconds later", async () => {
  await open("a");
  devices.plugged = [];
  devices.opened[0]?.pull();
  expect(seen).toEqual(["starting", "a", "unplugged"]);
  await vi.advanceTimersByTimeAsync(1_000);
  devices.plugged = ["a"];
  devices.dispatchEvent(new Event("devicechange"));
  await settle();
  expect(seen).toEqual(["starting", "a", "unplugged", "a"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(devices.opened).toHaveLength(2);
});

test("another camera that comes or goes is listed, and the open one goes on", async () => {
  await open("a");
  expect(listed).toEqual(["a", "b"].map((name) => ({ deviceId: name, label: `Camera ${name}` })));
  devices.plugged = ["a"];
  devices.dispatchEvent(new Event("devicechange"));
  await settle();
  expect(listed).toEqual([{ deviceId: "a", label: "Camera a" }]);
  expect([seen, devices.lit]).toEqual([["starting", "a"], ["a"]]);
});

test("before the permission nothing can be chosen; a browser that lists none is none", async () => {
  devices.isAllowed = false;
  await open();
  expect(listed).toEqual([]);
  [devices.refusal, listed] = ["SecurityError", [{ deviceId: "old", label: "" }]];
  devices.dispatchEvent(new Event("devicechange"));
  await settle();
  expect(listed).toEqual([]);
});

test("a picture that fell asleep with the machine is back when the page is seen, and not behind its back", async () => {
  await open();
  devices.opened[0]?.stop();
  page.visibilityState = "hidden";
  page.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(devices.opened).toHaveLength(1);
  page.visibilityState = "visible";
  page.dispatchEvent(new Event("visibilitychange"));
  await settle();
  expect(devices.lit).toEqual(["a"]);
});

test("opened again after a stall, the old picture's end is no news", async () => {
  await open();
  session.restart();
  await settle();
  devices.opened[0]?.pull();
  await settle();
  expect([seen, devices.lit]).toEqual([["starting", "a", "starting", "a"], ["a"]]);
});

test("presses while it opens open no second one", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  devices.answer = promise;
  await open();
  for (let press = 0; press < 3; press += 1) session.restart();
  resolve();
  await settle();
  expect([seen, devices.asked.length]).toEqual([["starting", "a"], 1]);
});

test.each([
  ["a picture", null],
  ["a refusal", "NotReadableError"],
])("closed while it opens, %s that comes late is nobody's, and its light goes out", async (_, refusal) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  devices.answer = promise;
  await open();
  session.close();
  devices.refusal = refusal;
  resolve();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([seen, devices.lit, listed]).toEqual([["starting"], [], []]);
  devices.listings = 0;
  devices.dispatchEvent(new Event("devicechange"));
  page.dispatchEvent(new Event("visibilitychange"));
  session.restart();
  await settle();
  expect([devices.asked.length, devices.listings]).toEqual([1, 0]);
});

test("a device without a picture is none, and is let go", async () => {
  devices.hasPicture = false;
  await open();
  expect([seen, devices.lit]).toEqual([["starting", "none"], []]);
});
