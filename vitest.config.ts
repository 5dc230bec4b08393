import { defineConfig } from "vitest/config";
import { LongFirst } from "./test/runner/long-first.ts";

/** Bounds for what hangs, on a machine that does much else. */
const usual = { testTimeout: 900_000, hookTimeout: 900_000, expect: { poll: { timeout: 60_000 } } } as const;

/** Tests that start programs of their own, or wait for a stop that takes its time. The others may not (`test/runner/no-process.ts`). */
const startsProcesses = [
  "test/service/deploy-files.test.ts",
  "test/service/clients/clients.test.ts",
  "test/service/integration/integration.test.ts",
  "test/service/deploys.test.ts",
  "test/service/{cli,cli-files,cli-pipe,clocks,compile-cache,failover,failover-lossy,fleet-clock,held-reads,installation,integrate-guide,journal-verify,kill,migrate,monitoring,operate-guide,patroni,postgres-silence,restore-cuts,restart,rolling-release,second-service,signing-examples,stop,token-secret}.test.ts",
  "test/simulation/{kill-real,replay}.test.ts",
  "test/upgrade/upgrade.test.ts",
  "test/unit/{lint,log-stream,packaging,release}.test.ts",
  "test/unit/updates/{appimage-update,install-and-end}.test.ts",
  "test/unit/hosts/{behind-a-proxy,browser-host,desktop,desktop-starts,desktop-updates,electron-checklist,entry-file,frozen-service,json-file,launch,own-service,qa-guide,runtime,secrets,stranger}.test.ts",
  "test/unit/runner/command-line.test.ts",
  "test/unit/scan/cli.test.ts",
  "test/unit/terminal/{disk-room,find-printers,journal-cli,serial-line}.test.ts",
];

/**
 * Take a third of a second of a core or more each, and that for few tests: drawn pictures, hundreds of requests or stories, waits of the
 * product. `npm run check` leaves them to `npm test`.
 */
const takesSeconds = [
  "test/service/{access,access-attacks,archive,backup,bank-calls,cashier-code,decided-cash,ended,enrolment,fuzz,head-office,history-days,history-proof,honest-history,http,http-refusals,large-body,lifecycle,openapi,openapi-examples,openapi-quality,operations,operator-commands,outbox,outbox-workers,partner-keys-command,partner-transport,power-loss}.test.ts",
  "test/service/{proven-rows,races,request-id,restored,restored-bounds,restored-twice,retention,sandbox-bank,serve,service-key,status-events,status-events-kept,store-failures,tampering,tampering-rows,terminals,tracing,unaudited-access,users,websdk,websdk-hostile,websdk-shops,websdk-truth,withdrawals-reconcile}.test.ts",
  "test/security/{phone-access,phone-play,service-requests}.test.ts",
  "test/simulation/**/*.test.ts",
  "test/service/{fleet-start,journal-head-with-report,manager-reset,withdrawals-wait}.test.ts",
  "test/unit/{access/secrets,access/tokens,hosts/supervisor,operate/restore-proof,operate/verify-history,people/sign-in,renderer/install-guide}.test.ts",
  "test/unit/terminal/{drawer-watch,printer-line}.test.ts",
  "test/unit/{access/setting-entries,operate/backups,operate/read-audit,operate/restore,outbound/outbound,people/rights,people/tries}.test.ts",
  "test/unit/{store/opened,store/sqlite-queues,updates/feed-source}.test.ts",
  "test/unit/hosts/{held-settings,own-service-{changes,cut-off,port},page-port}.test.ts",
  "test/unit/scan/{bars,code128,conditions,hints,pipeline,still,weak-qr}.test.ts",
  "test/unit/terminal/{answers-in-any-order,books,checkpoint,crash,day-trouble,drawer,figures,fleet-probes,foreign-lock,hmac,journal,long-life}.test.ts",
  "test/unit/terminal/{opens-by-itself,printer,printing,receipts,recovery-journal,service-restored,transport,versions}.test.ts",
  "test/unit/terminal/journal-{archive,archive-damage,archive-slices,forks,hidden-pages}.test.ts",
];
const isQuick = process.env.EFFORT === "quick";
const left = ["**/node_modules/**", ...startsProcesses, ...(isQuick ? takesSeconds : [])];

/** These packages name a file for browsers alone; tests put a double in its place. */
const forBrowsers = {
  find: /^@point-of-sale\/(web\w+-barcode-scanner)$/,
  replacement: `${import.meta.dirname}/node_modules/@point-of-sale/$1/dist/$1.esm.js`,
};

export default defineConfig({
  test: {
    // One database server for all projects.
    globalSetup: "test/service/global-setup.ts",
    // Twice the two cores of a usual machine: those that start programs wait most of their time. Playwright has three beside these.
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        resolve: { alias: [forBrowsers] },
        test: {
          ...usual,
          name: "fast",
          include: ["test/{unit,service,security,upgrade}/**/*.test.{ts,tsx}"],
          exclude: left,
          setupFiles: "test/runner/no-process.ts",
          // A worker loads the programs' modules once, for all the files that it runs.
          isolate: false,
        },
      },
      {
        test: {
          ...usual,
          // It replaces the process's Response, and counts what it leaves behind: a worker for each file.
          name: "simulation",
          include: ["test/simulation/**/*.test.ts"],
          exclude: left,
          setupFiles: "test/runner/no-process.ts",
        },
      },
      {
        test: {
          ...usual,
          name: "processes",
          include: startsProcesses,
          setupFiles: "test/runner/own-connections.ts",
          isolate: false,
        },
      },
    ],
  },
});
