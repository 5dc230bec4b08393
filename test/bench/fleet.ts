/** `npm run bench -- fleet [--quick]`: what idle terminals and withdrawals cost one process and four, into `docs/benchmarks.md`. */
import { once } from "node:events";
import os from "node:os";
import pg from "pg";
import { systemClock } from "../../backend/adapters.ts";
import { defaultOptions } from "../../backend/context.ts";
import { historyEvents } from "../../backend/operate/proof.ts";
import { everyMerchant } from "../../backend/partner/partners.ts";
import { openStore } from "../../backend/store/open.ts";
import { readFlags } from "../../tools/command-line.ts";
import { createDatabase, startPostgres } from "../service/postgres.ts";
import { writeSection } from "./document.ts";
import { signInAll } from "./service/client.ts";
import { type Cost, countingSettings, createCosts } from "./service/database-cost.ts";
import { callFor, callsOfWithdrawal, idleFor, serveFor, tokenSecret, warmUp, writeTerminals } from "./service/fleet.ts";
import { type Program, startProgram } from "./service/programs.ts";
import { measureProof } from "./service/proof-day.ts";

const usage = `Usage: npm run bench -- fleet [options]

  --quick           shorter phases, for a look; the figures are rougher
  --statements      also prints which statements and writes a withdrawal is made of
  --idle-minutes N  terminals are idle for so long (a minute): 11 hold all that they ask for
                    again every five and ten minutes, too
  --per-second N    withdrawals a second (30)
  --day N           withdrawals of the day that is closed and proved (60,000)
  --no-sync         PostgreSQL waits for no disk: on a slow one withdrawals queue for a commit
                    that they share
  --help            this text`;
const flags = readFlags(usage, {
  quick: { type: "boolean", default: false },
  statements: { type: "boolean", default: false },
  "idle-minutes": { type: "string" },
  "per-second": { type: "string", default: "30" },
  day: { type: "string" },
  "no-sync": { type: "boolean", default: false },
}).values;
const phaseMs = flags.quick ? 8_000 : 30_000;
/** Whole minutes: what a process does once a minute is then in the look at it alone and in the look at its terminals. */
const aloneMs = flags.quick ? phaseMs : 60_000;
const idleMs = flags["idle-minutes"] === undefined ? aloneMs : Number(flags["idle-minutes"]) * 60_000;
const perSecond = Number(flags["per-second"]);
const [restLookMs, restLooksMax] = [5_000, 24];
const idleTerminals = 4_000;
const withdrawalsBehind = 15_000;
/** A process that has run for a day has compiled what it runs: after 300 withdrawals it still compiles for half a millisecond of each. */
const [warmUpWithdrawals, warmUpPerSecond] = [600, 60];

const loadBefore = os.loadavg()[0] ?? 0;
const server = await startPostgres([
  `fsync=${flags["no-sync"] ? "off" : "on"}`,
  "full_page_writes=on",
  "max_wal_size=8GB",
  "checkpoint_timeout=1h",
  ...countingSettings,
]);
const database = await createDatabase(server.adminUrl);
const costs = await createCosts(server.adminUrl, new URL(database).pathname.slice(1));
await (await openStore(database, systemClock, { migrates: true })).close();
const direct = new pg.Client({ connectionString: database });
await direct.connect();

const bank = await startProgram("bank-server.ts");
const startService = () =>
  startProgram("host.ts", {
    DATABASE_URL: database,
    PARTNER_URL: `http://127.0.0.1:${bank.port}`,
    TOKEN_SECRET: tokenSecret,
  });
const portsOf = (programs: readonly Program[]) => programs.map(({ port }) => port);
const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

interface Line {
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  readonly met: boolean | null;
}
const lines: Line[] = [];
const report = (what: string, goal: string, measured: string, met: boolean | null) => {
  lines.push({ what, goal, measured, met });
  console.log(`${met === null ? "       " : met ? "met    " : "NOT MET"} ${what}: ${measured}${goal && ` (${goal})`}`);
};

// As a fleet is a day after its upgrade: what ends leaves the open ones in the commit of its end.
const endApart = "INSERT INTO settings (name, value) VALUES ('ended_apart', '1') ON CONFLICT DO NOTHING";

const printStatements = async (share: number) => {
  for (const { text, calls, meanMs } of await costs.statements())
    console.log(`${(calls / share).toFixed(2)} ${meanMs.toFixed(3)} ms ${text.slice(0, 160)}`);
  for (const { text, records, bytes } of await costs.wal())
    console.log(`${(bytes / share).toFixed(0)} bytes in ${(records / share).toFixed(2)} records ${text}`);
};

const programs = [await startService()];
const signed = await signInAll(programs[0]?.port ?? 0);
const terminals = await writeTerminals(database, idleTerminals);
await direct.query(
  "INSERT INTO partner_merchants (partner_id, merchant_id, created_at) VALUES ('demo-bank', $1, 0) ON CONFLICT DO NOTHING",
  [everyMerchant],
);
// A key that the audit does not know would be looked into at each of its calls.
for (const { child } of programs) {
  child.send("accept");
  await once(child, "message");
}

/** Until a start's work is done, or what calls have left: two looks after each other count as many statements. */
const comeToRest = async () => {
  for (let [looks, last] = [0, Number.NaN]; looks < restLooksMax; looks += 1) {
    const [, { statements }] = await costs.of(programs, () => sleep(restLookMs));
    if (Math.abs(statements - last) <= last / 4) return;
    last = statements;
  }
  throw new Error("the process does not come to rest");
};

/** A process's first purge writes an entry of the audit, after which each shop is read once again: so it does on one day, not in each minute. */
const firstPurge = async () => {
  for (let looks = 0; looks < restLooksMax; looks += 1) {
    const { rowCount } = await direct.query("SELECT 1 FROM audit WHERE event = $1", [historyEvents.forgotten]);
    if (rowCount !== 0) return;
    await sleep(restLookMs);
  }
  throw new Error("nothing was purged");
};

await direct.query(endApart);
await firstPurge();
await comeToRest();
await warmUp(portsOf(programs), terminals);
await comeToRest();
const [, alone] = await costs.of(programs, () => sleep(aloneMs));
await costs.reset();
const [callsPerSecond, idle] = await costs.of(programs, () => idleFor(portsOf(programs), terminals, idleMs));
const thousands = idleTerminals / 1_000;
if (flags.statements) await printStatements(idle.seconds * thousands);
const perThousand = (of: (cost: Cost) => number) => (of(idle) / idle.seconds - of(alone) / alone.seconds) / thousands;
report(
  "A process without terminals: CPU, statements a second",
  "",
  `${(alone.cpuMs / alone.seconds).toFixed(1)} ms/s, ${(alone.statements / alone.seconds).toFixed(1)}`,
  null,
);
const idleCpu = perThousand(({ cpuMs }) => cpuMs);
report("1,000 idle terminals: CPU of the service", "≤ 5 ms/s", `${idleCpu.toFixed(1)} ms/s`, idleCpu <= 5);
report(
  "1,000 idle terminals: calls, statements, commits a second",
  "",
  `${(callsPerSecond / thousands).toFixed(1)}, ${perThousand(({ statements }) => statements).toFixed(1)}, ${perThousand(({ commits }) => commits).toFixed(1)}`,
  null,
);

/** So many that each serves one customer at a time. */
const busy = terminals.slice(0, 128);
/** One round of withdrawals on these processes, warmed up. */
const measure = async (on: readonly Program[], eachSecond = perSecond) => {
  await serveFor(portsOf(on), signed, busy, warmUpPerSecond, (warmUpWithdrawals * 1_000 * on.length) / warmUpPerSecond);
  await costs.reset();
  return costs.of(on, () => serveFor(portsOf(on), signed, busy, eachSecond, phaseMs));
};
const [quarter, costOfQuarter] = await measure(programs, perSecond / 4);
const [one, costOfOne] = await measure(programs);
const each = (total: number) => total / one.withdrawals;
if (flags.statements) await printStatements(one.withdrawals);
const name = `A withdrawal at ${perSecond} a second`;
report(`${name}: commits`, "≤ 5", each(costOfOne.commits).toFixed(1), each(costOfOne.commits) <= 5);
report(`${name}: statements`, "≤ 35", each(costOfOne.statements).toFixed(1), each(costOfOne.statements) <= 35);
const walKb = each(costOfOne.walBytes) / 1000;
report(`${name}: WAL`, "≤ 7 kB", `${walKb.toFixed(1)} kB`, walKb <= 7);
report(`${name}: rows written`, "", each(costOfOne.rows).toFixed(1), null);
report(
  `${name}: CPU of the service, from request to link p99`,
  "",
  `${each(costOfOne.cpuMs).toFixed(1)} ms, ${one.p99Ms.toFixed(0)} ms`,
  null,
);

for (let more = 1; more < 4; more += 1) programs.push(await startService());
await sleep(2_000);
const [four, costOfFour] = await measure(programs);
const ratio = costOfFour.cpuMs / four.withdrawals / each(costOfOne.cpuMs);
report("CPU a withdrawal of four processes against one", "≤ 1.3", ratio.toFixed(2), ratio <= 1.3);
// One that has as much to do as each of the four: what is left is what they cost because they are four.
const alike = costOfFour.cpuMs / four.withdrawals / (costOfQuarter.cpuMs / quarter.withdrawals);
report("The same against one with a quarter of the withdrawals", "", alike.toFixed(2), null);
// What a process loses that has less to do, whatever it does: it sleeps more often, and finds the caches cold.
const bare = await startProgram("bare-server.ts");
const cpuOfBareCall = async (share: number) => {
  await callFor(bare.port, warmUpPerSecond * callsOfWithdrawal, phaseMs / 4);
  const [calls, { cpuMs }] = await costs.of([bare], () =>
    callFor(bare.port, perSecond * callsOfWithdrawal * share, phaseMs),
  );
  return cpuMs / calls;
};
const [bareOfAll, bareOfQuarter] = [await cpuOfBareCall(1), await cpuOfBareCall(1 / 4)];
report(
  "Bare `node:http`, a call among a quarter of the calls against all",
  "",
  (bareOfQuarter / bareOfAll).toFixed(2),
  null,
);
await bare.stop();
report(
  "A withdrawal on four processes: commits, statements, WAL",
  "",
  `${(costOfFour.commits / four.withdrawals).toFixed(1)}, ${(costOfFour.statements / four.withdrawals).toFixed(1)}, ${(costOfFour.walBytes / four.withdrawals / 1000).toFixed(1)} kB`,
  null,
);
if (flags.statements) await printStatements(four.withdrawals);

/** Due one after the other, 500 a second: more than are due at the peak of 5 million a day. */
const due = `$1::bigint + n * 2`;
/** What came and ended in the last seconds, behind a snapshot that keeps all of it: with 1,000 banks' orders and events. */
const comeAndEnd = [
  `INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, deadline_at, created_at,
      expires_at, settle_attempts, idempotency_key, request_hash)
    SELECT 'S' || n, 'bank', 'shop', 'ann', 5000, 'EUR', 1, 'ready', ${due}, ${due} - ${defaultOptions.orderTtlMs}, ${due}, 0, 'S' || n, 'h'
    FROM generate_series(1, ${withdrawalsBehind}) AS n`,
  ...["outbox", "status_events"].map(
    (queue) => `INSERT INTO ${queue} (id, transaction_id, partner_id, body, attempts, due_at, claimed_by, created_at)
      SELECT 'S' || n, n, 'bank-' || (n % 1000), '{}', 1, ${due}, 'w', $1 FROM generate_series(1, ${withdrawalsBehind}) AS n`,
  ),
];
const endAll = [
  "UPDATE withdrawals SET status = 'linked', deadline_at = NULL WHERE id LIKE 'S%'",
  "DELETE FROM outbox WHERE id LIKE 'S%'",
  "DELETE FROM status_events WHERE id LIKE 'S%'",
];
await Promise.all(programs.splice(1).map((program) => program.stop()));
await direct.query("INSERT INTO partners (id, created_at) SELECT 'bank-' || n, 0 FROM generate_series(0, 999) AS n");
const dump = new pg.Client({ connectionString: database });
await dump.connect();
await dump.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
await dump.query("SELECT count(*) FROM withdrawals");
// In one commit: on a machine that is slow it would else be due before it has ended.
await direct.query("BEGIN");
for (const sql of comeAndEnd) await direct.query(sql, [Date.now() + 5_000]);
for (const sql of endAll) await direct.query(sql);
await direct.query("COMMIT");
await direct.query("ANALYZE");
await sleep(8_000);
await costs.reset();
await sleep(phaseMs / 2);
const polled = await costs.statements();
for (const [what, text] of [
  ["expiry poll", /^select "id" from "withdrawals" where "created_at" >=/],
  ["outbox poll, 1,000 banks", /^select "id", min.* from "outbox" where "due_at" >=/],
] as const) {
  const { meanMs = Number.NaN, blocksEach = Number.NaN } = polled.find((each) => text.test(each.text)) ?? {};
  const measured = `${meanMs.toFixed(3)} ms, ${blocksEach} blocks`;
  report(`${withdrawalsBehind} withdrawals behind an old snapshot: ${what}`, "≤ 1 ms", measured, meanMs <= 1);
}
await dump.end();

await Promise.all([...programs, bank].map((program) => program.stop()));
await Promise.all([direct.end(), costs.close()]);

// Of 20,000, what the command compiles once is more than a quarter of its CPU, which no proportion leaves out.
const provenDay = Number(flags.day ?? (flags.quick ? 5_000 : 60_000));
const day = await measureProof(await createDatabase(server.adminUrl), provenDay);
const minutes = (ofSeconds: number) => ((ofSeconds * 5_000_000) / provenDay / 60).toFixed(0);
report(
  `The line of a day of ${provenDay} withdrawals, ${day.rows} rows`,
  "",
  `${day.closeSeconds.toFixed(1)} s; in proportion 5 million: ${minutes(day.closeSeconds)} min`,
  null,
);
const verifySeconds = day.verifySeconds - day.againSeconds;
report(
  `\`audit verify --new\` of that day, in proportion of 5 million`,
  "≤ 10 min",
  `${minutes(verifySeconds)} min, ${minutes(day.verifyCpuSeconds)} of them its own CPU (${day.verifySeconds.toFixed(1)} s; ${day.againSeconds.toFixed(1)} s again, with nothing new)`,
  verifySeconds * (5_000_000 / provenDay) <= 600,
);
const memoryMb = day.peakMb - day.againPeakMb;
report(
  "The memory that it takes more than without a new day",
  "≤ 100 MB",
  `${memoryMb.toFixed(0)} MB`,
  memoryMb <= 100,
);
await server.stop();
writeSection(
  "Fleet",
  [
    `Written by \`npm run bench -- ${["fleet", ...process.argv.slice(2)].join(" ")}\` on ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the run. PostgreSQL ${flags["no-sync"] ? "without" : "with"} fsync, bank and terminals on the same machine; ${idleTerminals} idle terminals over a balancer's kept connections; ${perSecond} withdrawals a second at 128 terminals, the bank's calls at another process than the terminal's. [scale.md](scale.md) says what follows.`,
    "",
    "| figure | goal | measured | met |",
    "| --- | --- | --- | --- |",
    ...lines.map(
      ({ what, goal, measured, met }) =>
        `| ${what} | ${goal || "–"} | ${measured} | ${met === null ? "–" : met ? "yes" : "**no**"} |`,
    ),
  ].join("\n"),
);
