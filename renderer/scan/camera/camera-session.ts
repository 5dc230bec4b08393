import { isInProgram } from "../../ui/bridge.ts";
import { type CameraDevice, closeCamera, listCameras, openCamera } from "./open-camera.ts";
import { type CameraProblem, isWorthRetrying, problemOf } from "./problems.ts";

/** What became of opening the camera. */
export type CameraState =
  | { readonly kind: "starting" }
  | { readonly kind: "live"; readonly stream: MediaStream; readonly deviceId: string; readonly label: string }
  | { readonly kind: "problem"; readonly problem: CameraProblem };

/** Callbacks for the camera's state, and of cameras that come and go. */
export interface CameraListener {
  readonly onState: (state: CameraState) => void;
  readonly onDevices: (devices: readonly CameraDevice[]) => void;
}

const retryAfterMs = 3000;

/**
 * Keeps one camera open for as long as it lives: opens it, notices when it is pulled out, taken away, asleep or plugged in again, and
 * opens it again by itself.
 */
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
    if (!navigator.mediaDevices?.getUserMedia) {
      listener.onState({ kind: "problem", problem: "insecure" });
      return;
    }
    const { signal } = this.#ended;
    navigator.mediaDevices.addEventListener("devicechange", () => this.#reopenIfLost(), { signal });
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
    const [track] = stream.getVideoTracks();
    if (!track) {
      this.#fail("none");
      return;
    }
    this.#stream = stream;
    this.#problem = false;
    track.addEventListener("ended", () => this.#stream === stream && this.#fail("unplugged"), { once: true });
    const deviceId = track.getSettings().deviceId ?? "";
    this.#listener.onState({ kind: "live", stream, deviceId, label: track.label });
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
