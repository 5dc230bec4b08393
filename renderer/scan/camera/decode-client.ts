import type { Engine } from "../decode/decoder.ts";
import type { ScanRules } from "../decode/rules.ts";
import type { FromWorker, ToWorker } from "./worker-protocol.ts";

/** The worker's answer to one frame. */
export type Outcome = Extract<FromWorker, { kind: "outcome" }>;

/** The worker gives no answer for this long: it hangs, and is replaced. */
const hungAfterMs = 4000;
const workersMax = 5;

/** The page's end of the decoding worker. At most one frame is out: what comes meanwhile is not queued but dropped. */
export class DecodeClient {
  readonly #onOutcome: (outcome: Outcome) => void;
  readonly #onEngines: (engines: readonly Engine[]) => void;
  #rules: ScanRules;
  #worker: Worker | null = null;
  #workers = 0;
  #id = 0;
  #sentAtMs: number | null = null;

  constructor(
    rules: ScanRules,
    onOutcome: (outcome: Outcome) => void,
    onEngines: (engines: readonly Engine[]) => void,
  ) {
    this.#rules = rules;
    this.#onOutcome = onOutcome;
    this.#onEngines = onEngines;
    this.#start();
  }

  #start(): void {
    this.#worker?.terminate();
    this.#sentAtMs = null;
    this.#worker = null;
    if (this.#workers >= workersMax) return;
    this.#workers += 1;
    const worker = new Worker(new URL("./decode-worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === "ready") this.#onEngines(data.engines);
      else if (data.id === this.#id) {
        this.#sentAtMs = null;
        this.#onOutcome(data);
      }
    };
    worker.onerror = () => this.#start();
    this.#worker = worker;
    this.#post({ kind: "rules", rules: this.#rules });
  }

  #post(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  change(rules: ScanRules): void {
    this.#rules = rules;
    this.#post({ kind: "rules", rules });
  }

  /** Whether a frame may be sent now. */
  isIdle(nowMs: number): boolean {
    if (this.#sentAtMs !== null && nowMs - this.#sentAtMs > hungAfterMs) this.#start();
    return this.#worker !== null && this.#sentAtMs === null;
  }

  /** Gives the frame away; the answer comes to `onOutcome` under the id. */
  send(picture: VideoFrame | ImageBitmap, nowMs: number): number {
    this.#id += 1;
    this.#sentAtMs = nowMs;
    this.#post({ kind: "frame", id: this.#id, picture }, [picture]);
    return this.#id;
  }

  /** Forgets the frame that is out, so that a late answer does not count. */
  forget(): void {
    this.#id += 1;
    this.#sentAtMs = null;
  }

  close(): void {
    this.#worker?.terminate();
    this.#worker = null;
    this.#workers = workersMax;
  }
}
