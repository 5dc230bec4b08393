/** Snapshots as server-sent events. A slow reader gets the latest, never a queue. */
/** A comment now and then, so that a dead connection is noticed on both sides. */
const heartbeatMs = 15_000;

/** What can be listened to: snapshots, or the customer's part of them. */
type Subscribe<T> = (listener: (value: T) => void) => () => void;

/** One reader's stream of `data: SNAPSHOT` events; `ended` runs once, when the reader has gone. */
export function snapshotStream<T extends object>(
  subscribe: Subscribe<T>,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let latest: T | null = null;
  let stop = (): void => undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (latest === null || (controller.desiredSize ?? 0) <= 0) return;
    controller.enqueue(text.encode(`data: ${JSON.stringify(latest)}\n\n`));
    latest = null;
  };

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text.encode("retry: 1000\n\n"));
      stop = subscribe((snapshot) => {
        latest = snapshot;
        send(controller);
      });
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(text.encode(": here\n\n"));
      }, heartbeatMs);
    },
    pull: send,
    cancel() {
      clearInterval(heartbeat);
      stop();
      ended();
    },
  });
}
