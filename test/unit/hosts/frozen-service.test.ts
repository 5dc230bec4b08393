/** A service whose process stands still (SIGSTOP) is no running one: it is ended and started again. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { startNodeChild } from "../../../main/service/node-child.ts";
import { superviseService } from "../../../main/service/supervisor.ts";

const folder = mkdtempSync(path.join(tmpdir(), "tillcash-frozen-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As far as its host sees of a service: says where it listens, and answers a probe. */
const program = path.join(folder, "service.mjs");
writeFileSync(
  program,
  `process.on("message", (asked) => (asked === "stop" ? process.exit(0) : process.send({ kind: "pong", id: asked.id })));
process.on("disconnect", () => process.exit(0));
console.log("pid " + process.pid);
console.log("service listening on http://127.0.0.1:1");
`,
);

test.skipIf(process.platform === "win32")("a frozen service is ended and started again", async () => {
  const pids: number[] = [];
  const supervised = superviseService({
    start: async () => startNodeChild(program, { PATH: process.env.PATH }),
    log: () => {},
    output: (line) => pids.push(Number(line.replace("pid ", ""))),
    monotonicMs: () => performance.now(),
    probeEveryMs: 200,
  });
  await supervised.listening;
  const [first = 0] = pids;
  process.kill(first, "SIGSTOP");
  await expect.poll(() => pids.at(-1)).not.toBe(first);
  await expect.poll(() => supervised.channel()).not.toBe(null);
  // One that stands still on a busy machine is ended for that, too, and there is a next one.
  await expect
    .poll(() =>
      supervised
        .channel()
        ?.ping()
        .then(() => "answers"),
    )
    .toBe("answers");
  expect(() => process.kill(first, 0)).toThrow(/ESRCH/);
  await supervised.stop();
});
