/** One open connection to a device: bytes out, bytes in, everything bounded in time. Nothing here rejects. */
export type Sent = "sent" | "not_sent" | "maybe_sent";

/** One open connection. Once it is gone, `send` answers `not_sent` and `listen` null. */
export interface Line {
  /** `not_sent` when the connection was gone before the first byte; `maybe_sent` when it broke or stalled on the way. */
  send(bytes: Uint8Array, timeoutMs: number): Promise<Sent>;
  /** Gives each byte that comes in to `read` until it returns something, or null when time is up or the line is gone. */
  listen<T>(read: (byte: number) => T | null, timeoutMs: number): Promise<T | null>;
  pause(ms: number): Promise<void>;
  /** A cable takes bytes also when nobody is behind it; a connection that was accepted has somebody, who may be mute. */
  readonly silenceMeansAbsent: boolean;
  close(): void;
}

/** Opens a line, or gives null: refused, no such device, or no answer in time. */
export type OpenLine = () => Promise<Line | null>;
