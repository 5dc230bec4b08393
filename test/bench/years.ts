/** `npm run bench -- years [--rows n]`: what years of withdrawals on file change, on both stores, into `docs/benchmarks.md`. */
import os from "node:os";
import { readFlags } from "../../tools/command-line.ts";
import { createDatabase, startPostgres } from "../service/postgres.ts";
import { writeSection } from "./document.ts";
import { endings } from "./service/endings.ts";
import { type Years, yearsOnPostgres, yearsOnSqlite } from "./service/years.ts";

const usage = `Usage: npm run bench -- years [--rows 2000000] [--endings]

  --rows n    withdrawals on file; the week that ends has half as many keys, the month 15 % as many withdrawals
  --endings   only how long it takes on PostgreSQL to end a week of keys and a month of withdrawals
  --help      this text`;
const { values } = readFlags(usage, {
  rows: { type: "string", default: "2000000" },
  endings: { type: "boolean", default: false },
});
const rows = Number(values.rows);
const few = 2_000;

const loadBefore = os.loadavg()[0] ?? 0;
const machine = `on ${os.cpus().length} × ${os.cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}, load ${loadBefore.toFixed(1)} before the run`;

const durable = await startPostgres(["fsync=on", "full_page_writes=on"]);
const endMaxMs = 5_000;
const { keys, month } = await endings(await createDatabase(durable.adminUrl), rows * 0.5, rows * 0.15);
await durable.stop();
const ends = [
  [`a week of ${keys.rows} keys and as many terminals' ids`, keys],
  [`a month of ${month.rows} withdrawals with six rows of history each`, month],
] as const;
for (const [what, { tookMs }] of ends)
  console.log(`${tookMs <= endMaxMs ? "met    " : "NOT MET"} ${what}: ${tookMs.toFixed(0)} ms (≤ ${endMaxMs} ms)`);
writeSection(
  "Endings",
  [
    `Written by \`npm run bench -- years --endings --rows ${rows}\` ${machine}. PostgreSQL with fsync; 16 clients ask and confirm meanwhile.`,
    "",
    "| ends | goal | measured | met | confirm, p99 of the 1.5 s around it, and before |",
    "| --- | --- | --- | --- | --- |",
    ...ends.map(
      ([what, { tookMs, confirmDuringMs, confirmBeforeMs }]) =>
        `| ${what} | ≤ ${endMaxMs} ms | ${tookMs.toFixed(0)} ms | ${tookMs <= endMaxMs ? "yes" : "**no**"} | ${confirmDuringMs.toFixed(1)} ms, ${confirmBeforeMs.toFixed(1)} ms |`,
    ),
  ].join("\n"),
);
if (values.endings) process.exit(0);

const server = await startPostgres();
const stores: readonly [string, Years][] = [
  ["SQLite", await yearsOnSqlite(few, rows)],
  [
    "PostgreSQL",
    await yearsOnPostgres(await createDatabase(server.adminUrl), await createDatabase(server.adminUrl), few, rows),
  ],
];
await server.stop();

const lines = stores.flatMap(([store, { get, confirm, reportMs, startMs, purge, purgedRows }]) => [
  [`${store}: GET, p99 against ${few} on file`, "≤ 1.3", get.toFixed(2), get <= 1.3],
  [`${store}: confirm, p99 against ${few} on file`, "≤ 1.3", confirm.toFixed(2), confirm <= 1.3],
  [`${store}: one shop's report of a day`, "≤ 100 ms", `${reportMs.toFixed(0)} ms`, reportMs <= 100],
  [`${store}: start of the built service to its first answer`, "≤ 250 ms", `${startMs.toFixed(0)} ms`, startMs <= 250],
  [
    `${store}: confirm, p99 while ${purgedRows} rows leave the books, against before`,
    "≤ 1.5",
    `${(purge.duringMs / purge.beforeMs).toFixed(2)}: ${purge.duringMs.toFixed(1)} ms, ${purge.beforeMs.toFixed(1)} ms before`,
    purge.duringMs <= 1.5 * purge.beforeMs,
  ],
]);
for (const [what, goal, measured, met] of lines)
  console.log(`${met ? "met    " : "NOT MET"} ${what}: ${measured} (${goal})`);
writeSection(
  "Years of data",
  [
    `Written by \`npm run bench -- years\` with ${rows} withdrawals on file, ${machine}. Medians of rounds in turn; 16 clients.`,
    "",
    "| figure | goal | measured | met |",
    "| --- | --- | --- | --- |",
    ...lines.map(([what, goal, measured, met]) => `| ${what} | ${goal} | ${measured} | ${met ? "yes" : "**no**"} |`),
  ].join("\n"),
);
