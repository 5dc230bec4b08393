/** Finds a port of 127.0.0.1 that can be listened on now. */
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

const triesMax = 15;
const pauseMs = 100;

const probe = (port: number): Promise<number | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(null));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? null) : null));
    });
  });

/**
 * `wanted` if it is free, else any other; `patient` waits 1.5 s for it, as after a crash, when the old owner is just ending.
 * @param reserved never these, though they are free now. Default: none.
 */
export async function choosePort(wanted: number, patient: boolean, reserved: readonly number[] = []): Promise<number> {
  const tries = reserved.includes(wanted) ? 0 : patient ? triesMax : 1;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    if (attempt > 0) await delay(pauseMs);
    const port = await probe(wanted);
    if (port !== null) return port;
  }
  const other = await probe(0);
  if (other === null) throw new Error("No free port on 127.0.0.1 for the service.");
  return reserved.includes(other) ? choosePort(0, false, reserved) : other;
}
