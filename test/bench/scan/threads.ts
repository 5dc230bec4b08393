import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Done, Job } from "./jobs.ts";

/** Does all jobs on `count` threads, each of which takes the next job when it is done with one. Rejects when a thread dies. */
export const onThreads = async (jobs: readonly Job[], count: number, onDone: (done: Done) => void): Promise<void> => {
  const left = [...jobs];
  const thread = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.ts", import.meta.url));
    try {
      for (let job = left.shift(); job; job = left.shift()) {
        const done = once(worker, "message") as Promise<[Done]>;
        worker.postMessage(job);
        const [answer] = await done;
        onDone(answer);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: count }, thread));
};
