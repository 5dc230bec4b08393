/** A thread of the scanning bench: does one job after the other. */
import { parentPort } from "node:worker_threads";
import { startEngines } from "./engines.ts";
import { doJob, type Job } from "./jobs.ts";

const port = parentPort;
if (!port) throw new Error("This is a thread of the scanning bench; run `npm run bench -- scan`.");
const engines = await startEngines();
port.on("message", (job: Job) => {
  doJob(engines, job).then(
    (done) => port.postMessage(done),
    // Out of the promise, so that it ends the thread and with it the bench.
    (error: unknown) => setImmediate(() => Promise.reject(error)),
  );
});
