import { isInProgram } from "../../ui/bridge.ts";

/** The picture that decoding is tuned for; a camera gives the nearest it has. */
const wantedPicture = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 } } as const;

/** A camera that the browser knows. */
export interface CameraDevice {
  readonly deviceId: string;
  /** Empty until the permission was given. */
  readonly label: string;
}

/** All cameras; without a permission their ids are empty, and they are left out. */
const listCameras = async (): Promise<readonly CameraDevice[]> => {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices
    .filter(({ kind, deviceId }) => kind === "videoinput" && deviceId !== "")
    .map(({ deviceId, label }) => ({ deviceId, label }));
};

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

/** Opens the remembered camera, or any other one where that is gone. */
const openCamera = async (deviceId: string | null): Promise<MediaStream> => {
  const open = (device: MediaTrackConstraints): Promise<MediaStream> =>
    navigator.mediaDevices.getUserMedia({ video: { ...wantedPicture, ...device } });
  const anyCamera = { facingMode: { ideal: "environment" } };
  if (deviceId === null) return open(anyCamera);
  try {
    return await open({ deviceId: { exact: deviceId } });
  } catch (error) {
    if (nameOf(error) !== "OverconstrainedError") throw error;
    return open(anyCamera);
  }
};

/** Stops a stream: the camera's light goes out. */
const closeCamera = (stream: MediaStream): void => {
  for (const track of stream.getTracks()) track.stop();
};

/** Why there is no picture; each has a text with a remedy under `scan.problem.*`. */
export type CameraProblem = "none" | "taken" | Denied | "insecure" | "unplugged" | "failed";

/** In a browser nobody knows whether it or the system refused; in the desktop program it was the system. */
type Denied = "denied" | "denied_windows" | "denied_mac" | "denied_linux";

/** Whose refusal it was. @param userAgent of the desktop program's page; null in a browser. */
const deniedBy = (userAgent: string | null): Denied => {
  if (userAgent === null) return "denied";
  if (userAgent.includes("Windows")) return "denied_windows";
  return userAgent.includes("Macintosh") ? "denied_mac" : "denied_linux";
};

/** What `getUserMedia` throws, by its DOMException name. */
const byName: Readonly<Record<string, CameraProblem>> = {
  NotFoundError: "none",
  OverconstrainedError: "none",
  NotReadableError: "taken",
  AbortError: "taken",
  NotAllowedError: "denied",
  SecurityError: "denied",
};

/**
 * The problem behind what `getUserMedia` threw; `failed` where it is none that is known.
 * @param userAgent of the desktop program's page; null in a browser.
 */
export const problemOf = (error: unknown, userAgent: string | null): CameraProblem => {
  const problem = byName[nameOf(error)] ?? "failed";
  return problem === "denied" ? deniedBy(userAgent) : problem;
};

/** Whether another try by itself may help. A refused permission waits for a person. */
const isWorthRetrying = (problem: CameraProblem): boolean => !problem.startsWith("denied") && problem !== "insecure";

/** What became of opening the camera. */
export type CameraState =
  | { readonly kind: "starting" }
  | { readonly kind: "live"; readonly stream: MediaStream; readonly deviceId: string }
  | { readonly kind: "problem"; readonly problem: CameraProblem };

/** Callbacks for the camera's state, and of cameras that come and go. */
interface CameraListener {
  readonly onState: (state: CameraState) => void;
  readonly onDevices: (devices: readonly CameraDevice[]) => void;
}

const retryAfterMs = 3000;

/** Keeps one camera open: notices when it is pulled out, taken away, asleep or back, and opens it again by itself. */
export class CameraSession {
  readonly #deviceId: string | null;
  readonly #listener: CameraListener;
  readonly #ended = new AbortController();
  #stream: MediaStream | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #opening = false;
  #problem = false;

  constructor(deviceId: string | null, listener: CameraListener) {
    this.#deviceId = deviceId;
    this.#listener = listener;
    const { signal } = this.#ended;
    navigator.mediaDevices?.addEventListener("devicechange", () => this.#reopenIfLost(), { signal });
    document.addEventListener("visibilitychange", () => this.#reopenIfLost(), { signal });
    void this.#open();
  }

  /** Opens the camera again: after a stall, or when a person asks for another try. */
  restart(): void {
    if (this.#ended.signal.aborted) return;
    this.#drop();
    void this.#open();
  }

  close(): void {
    this.#ended.abort();
    this.#drop();
  }

  #drop(): void {
    clearTimeout(this.#retry);
    if (this.#stream) closeCamera(this.#stream);
    this.#stream = null;
  }

  async #open(): Promise<void> {
    if (this.#opening) return;
    if (!navigator.mediaDevices?.getUserMedia) {
      this.#fail("insecure");
      return;
    }
    this.#opening = true;
    // While a problem is tried again and again, its text stays: nothing may flicker.
    if (!this.#problem) this.#listener.onState({ kind: "starting" });
    try {
      const stream = await openCamera(this.#deviceId);
      if (this.#ended.signal.aborted) closeCamera(stream);
      else this.#live(stream);
    } catch (error) {
      this.#fail(problemOf(error, isInProgram() ? navigator.userAgent : null));
    } finally {
      this.#opening = false;
    }
    await this.#notifyDevices();
  }

  #live(stream: MediaStream): void {
    this.#stream = stream;
    const [track] = stream.getVideoTracks();
    if (!track) {
      this.#fail("none");
      return;
    }
    this.#problem = false;
    track.addEventListener("ended", () => this.#stream === stream && this.#fail("unplugged"));
    const deviceId = track.getSettings().deviceId ?? "";
    this.#listener.onState({ kind: "live", stream, deviceId });
  }

  #fail(problem: CameraProblem): void {
    if (this.#ended.signal.aborted) return;
    this.#drop();
    this.#problem = true;
    this.#listener.onState({ kind: "problem", problem });
    if (isWorthRetrying(problem)) this.#retry = setTimeout(() => this.restart(), retryAfterMs);
  }

  async #notifyDevices(): Promise<void> {
    const devices = await listCameras().catch(() => []);
    if (!this.#ended.signal.aborted) this.#listener.onDevices(devices);
  }

  /** Something was plugged or the machine woke: where the picture is gone, get it back at once. */
  #reopenIfLost(): void {
    void this.#notifyDevices();
    if (document.visibilityState !== "visible") return;
    const alive = this.#stream?.getVideoTracks().some((track) => track.readyState === "live") ?? false;
    if (!alive) this.restart();
  }
}
