/** `npm run bench -- service [--quick]`: the service's figures, side by side in one run, into `docs/benchmarks.md`. */
import os from "node:os";
import { readFlags } from "../../tools/command-line.ts";
import { writeSection } from "./document.ts";

const usage = `Usage: npm run bench -- service [--quick]

  --quick   fewer and shorter rounds, for a look; the figures are rougher
  --help    this text`;
const quick = readFlags(usage, { quick: { type: "boolean", default: false } }).values.quick;
// Flags are refused without the service.
const { systemClock } = await import("../../backend/adapters.ts");
const { openStore } = await import("../../backend/store/open.ts");
const { createDatabase, dropDatabase, startPostgres } = await import("../service/postgres.ts");
const { compareGetAndPost } = await import("./service/get-and-post.ts");
const { confirmWhileHeld } = await import("./service/held-reads.ts");
const { measureMemoryAndStart } = await import("./service/memory-and-start.ts");
const { measurePeers } = await import("./service/peer.ts");
const { soak } = await import("./service/soak.ts");
const { comparePostgres, compareStores } = await import("./service/whole-withdrawals.ts");
const rounds = quick ? 3 : 7;
const roundMs = quick ? 1_000 : 3_000;
const withdrawals = quick ? 5_000 : 100_000;
const openWaits = quick ? 1_000 : 10_000;

interface Figure {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** `null`: could not be measured here, and why is in `how`. */
  readonly met: boolean | null;
  readonly how: string;
}

const loadBefore = os.loadavg()[0] ?? 0;
const isBusy = loadBefore > os.cpus().length / 2;
const figures: Figure[] = [];
const report = (figure: Figure): void => {
  figures.push(figure);
  const word = figure.met === null ? "skipped" : figure.met ? "met    " : "NOT MET";
  console.log(`${word} ${figure.what}: ${figure.measured} (${figure.goal}; ${figure.how})`);
};
const perSecond = (value: number) => `${value.toFixed(0)}/s`;
const micros = (value: number) => `${value.toFixed(0)} µs`;

const [get, post] = await compareGetAndPost(rounds, roundMs);
if (get === undefined || post === undefined) throw new Error("nothing was measured");
for (const [compared, least] of [
  [get, 0.5],
  [post, 0.5],
] as const)
  report({
    what: `${compared.what} against bare node:http`,
    goal: `≥ ${least}`,
    measured: compared.ratio.toFixed(2),
    met: compared.ratio >= least,
    how: `${perSecond(compared.ours)} against ${perSecond(compared.bare)}; ${micros(compared.cpuOursMicros)} of CPU against ${micros(compared.cpuBareMicros)} (${(compared.cpuBareMicros / compared.cpuOursMicros).toFixed(2)})`,
  });

report({
  what: "The same of Hono, one read of SQLite and its JSON, and nothing else",
  goal: "–",
  measured: get.leastRatio.toFixed(2),
  met: null,
  how: `${micros(get.cpuLeastMicros)} of CPU: no token, request id, clock, snapshot or metrics`,
});

const peers = (await measurePeers(roundMs)).toSorted((one, other) => other.perSecond - one.perSecond);
const bestPeer = peers[0]?.perSecond ?? null;
report({
  what: "GET /transaction against the best peer with our document",
  goal: "≥ 4",
  measured: bestPeer === null ? "not measured" : (get.ours / bestPeer).toFixed(1),
  met: bestPeer === null ? null : get.ours / bestPeer >= 4,
  how:
    bestPeer === null
      ? "neither `prism` nor `mockoon-cli` is on the PATH; nothing is downloaded for a bench"
      : peers.map((peer) => `${peer.name} ${perSecond(peer.perSecond)}`).join(", "),
});

const { durable, memory, alone } = await compareStores(rounds, roundMs);
const least = isBusy ? 0.65 : 0.8;
report({
  what: "Whole durable withdrawals, 64 clients, bank included, against the store in memory",
  goal: `≥ ${least} (${isBusy ? "busy" : "quiet"} machine)`,
  measured: (durable.perSecond / memory.perSecond).toFixed(2),
  met: durable.perSecond / memory.perSecond >= least,
  how: `${perSecond(durable.perSecond)} against ${perSecond(memory.perSecond)}; ${micros(durable.cpuMicros)} of CPU against ${micros(memory.cpuMicros)}; p99 ${durable.p99Ms.toFixed(0)} ms`,
});
report({
  what: "The same against one commit a request",
  goal: "≥ 3",
  measured: (durable.perSecond / alone.perSecond).toFixed(1),
  met: durable.perSecond / alone.perSecond >= 3,
  how: `${perSecond(durable.perSecond)} against ${perSecond(alone.perSecond)}`,
});

// As durable as the file it is compared with: the suite's own servers never sync.
const server = await startPostgres(["fsync=on", "full_page_writes=on"]);
const database = await createDatabase(server.adminUrl);
await (await openStore(database, systemClock, { migrates: true })).close();
const postgres = await comparePostgres(database, rounds, roundMs);
const heldReads: readonly [string, number, number, number][] = [
  ["LISTEN cut once a second", openWaits, 1_000, 50],
  ["no LISTEN to be had", openWaits / 2, 20, 100],
];
const confirms: Figure[] = [];
for (const [listening, held, cutEveryMs, mostMs] of heldReads) {
  const p99Ms = await confirmWhileHeld(database, held, cutEveryMs, rounds * roundMs);
  confirms.push({
    what: `Confirm while ${held} reads are held on PostgreSQL, ${listening}, p99`,
    goal: `≤ ${mostMs} ms`,
    measured: `${p99Ms.toFixed(0)} ms`,
    met: p99Ms <= mostMs,
    how: "one process; a request and a confirm every 25 ms",
  });
}
await dropDatabase(server.adminUrl, database);
await server.stop();
confirms.forEach(report);
report({
  what: "Whole withdrawals on PostgreSQL, one process, against SQLite's durable rate",
  goal: "≥ 0.45",
  measured: postgres.againstDurable.toFixed(2),
  met: postgres.againstDurable >= 0.45,
  how: `${perSecond(postgres.one.perSecond)} against ${perSecond(postgres.durable.perSecond)}; ${micros(postgres.one.cpuMicros)} of the service's CPU against ${micros(postgres.durable.cpuMicros)}`,
});
report({
  what: "CPU a withdrawal of two processes on PostgreSQL against one",
  goal: "≤ 1.10",
  measured: postgres.cpuOfTwo.toFixed(2),
  met: postgres.cpuOfTwo <= 1.1,
  how: `${micros(postgres.two.cpuMicros)} against ${micros(postgres.one.cpuMicros)}, the service's processes alone`,
});
const [one, two] = [postgres.one.perSecond, postgres.two.perSecond];
const coresAllow = os.cpus().length >= 6;
report({
  what: "Whole withdrawals on PostgreSQL, two processes against one",
  goal: "≥ 1.5 where the cores allow",
  measured: (two / one).toFixed(2),
  met: coresAllow ? two / one >= 1.5 : null,
  how: `${perSecond(two)} against ${perSecond(one)}${coresAllow ? "" : `; ${os.cpus().length} cores for two services, PostgreSQL, bank and clients`}`,
});

const { earlyMb, lateMb, startMs, bareStartMs } = await measureMemoryAndStart(withdrawals);
report({
  what: `Memory after ${withdrawals} withdrawals against a fifth of them`,
  goal: "± 10 %",
  measured: `${((lateMb / earlyMb - 1) * 100).toFixed(1)} %`,
  met: Math.abs(lateMb / earlyMb - 1) <= 0.1,
  how: `heap and buffers after a collection: ${earlyMb.toFixed(1)} MB, ${lateMb.toFixed(1)} MB`,
});
report({
  what: `Start to first answer with ${withdrawals} withdrawals in the file`,
  goal: "≤ 250 ms",
  measured: Number.isNaN(startMs) ? "not measured" : `${startMs.toFixed(0)} ms`,
  met: Number.isNaN(startMs) ? null : startMs <= 250,
  how: Number.isNaN(startMs)
    ? "`out/main/service.js` is not built"
    : `the built service, median of 7; bare node:http ${bareStartMs.toFixed(0)} ms`,
});

const { waits, heldMb, p99LateMs, wrong } = await soak(openWaits);
report({
  what: `Lateness of a cancellation in what ${waits} held readers see, p99`,
  goal: "≤ 250 ms",
  measured: `${p99LateMs.toFixed(0)} ms`,
  met: p99LateMs <= 250 && wrong === 0,
  how: `${wrong} readers told anything else; ${heldMb.toFixed(0)} MB held meanwhile`,
});

const rows = figures.map(({ what, goal, measured, met, how }) => {
  const word = met === null ? "–" : met ? "yes" : "**no**";
  return `| ${what} | ${goal} | ${measured} | ${word} | ${how} |`;
});
const machine = `${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the run`;
writeSection(
  "Service",
  [
    `Written by \`npm run bench -- service${quick ? " --quick" : ""}\` on ${machine}. Medians of ${rounds} rounds of ${roundMs} ms; what is compared takes turns, each in a process of its own, the clients in another. The service logs failures only.`,
    "",
    "| figure | goal | measured | met | how |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n"),
);
process.exit(figures.every(({ met }) => met !== false) ? 0 : 1);
