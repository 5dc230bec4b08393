/** The alerts and the dashboard of docs/operate: PromQL that parses, over metrics and labels that the service exports. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { metricsExample } from "../../backend/http/examples.ts";
import { createMetrics } from "../../backend/http/metrics.ts";
import { shapes } from "../../backend/operate/arguments.ts";
import { serviceVersion } from "../../backend/version.ts";

const folder = resolve(import.meta.dirname, "../../docs/operate");
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}
interface Panel {
  readonly title: string;
  readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
  readonly targets: readonly { readonly expr: string }[];
}
const rules: readonly Rule[] = parse(readFileSync(join(folder, "alerts.yml"), "utf8")).groups.flatMap(
  (group: { rules: Rule[] }) => group.rules,
);
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(
  readFileSync(join(folder, "dashboard.json"), "utf8"),
);
const queries: readonly [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }): [string, string] => [title, expr])),
];

/** What Prometheus itself adds to each series. */
const addedLabels = ["job", "instance"];
/** By series name, as exported. */
const exported = new Map<string, Set<string>>([["up", new Set()]]);
let scraped = "";

beforeAll(async () => {
  const { telemetry, observer, render } = createMetrics();
  telemetry.transition("ready", "declined", "partner_unreachable");
  telemetry.transition("settled", "linked", null);
  telemetry.partnerCall("start", "accepted", 5);
  telemetry.partnerAlarm("bank", "settle", "http_503");
  telemetry.outbox({ depth: 1, oldestAgeMs: 5 });
  telemetry.statusEvents({ depth: 1, oldestAgeMs: 5 });
  telemetry.purged("withdrawals_archived" as never, 1);
  telemetry.silentTerminals(1);
  telemetry.unlinked({ "0s": 1, "2m": 0, "15m": 0, "24h": 0 });
  telemetry.backup(1);
  observer.answered({ method: "POST", route: "/x", status: 500, durationMs: 1, requestId: "x" });
  ({ text: scraped } = await render());
  for (const [, name = "", labels = ""] of scraped.matchAll(/^([a-z_]+\w*)(?:\{(.*)\})? /gm)) {
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label ?? "");
    exported.set(name, new Set([...(exported.get(name) ?? []), ...names]));
  }
});

/** The series that a query reads, with the labels that it names of each; Grafana's own variable is a duration. */
const read = (query: string): readonly { readonly name: string; readonly labels: readonly string[] }[] => {
  const text = query.replaceAll("$__rate_interval", "5m");
  const names: { name: string; labels: string[] }[] = [];
  const groups: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      const word = text.slice(from, to);
      if (type.isError) throw new Error(`${query}: cannot be read at ${from}`);
      if (type.name === "GroupingLabels") groups.push(...(word.match(/\w+/g) ?? []));
      if (type.name === "VectorSelector")
        names.push({
          name: node.getChild("Identifier")
            ? text.slice(node.getChild("Identifier")?.from, node.getChild("Identifier")?.to)
            : word,
          labels: [],
        });
      if (type.name === "LabelName" && node.parent?.name.includes("Matcher")) names.at(-1)?.labels.push(word);
    },
  });
  return names.map(({ name, labels }) => ({ name, labels: [...labels, ...groups] }));
};

test.each(queries)("%s asks for what there is", (_, query) => {
  const series = read(query);
  expect(series.length).toBeGreaterThan(0);
  for (const { name, labels } of series) {
    const known = exported.get(name);
    expect([name, known !== undefined]).toEqual([name, true]);
    expect(labels.filter((label) => !known?.has(label) && !addedLabels.includes(label))).toEqual([]);
  }
});

test("the guide lists every metric of ours, and no other", () => {
  const guide = readFileSync(join(folder, "../api.md"), "utf8");
  const listed = guide.split("\n").find((line) => line.startsWith("| metrics |")) ?? "";
  const ours = [...scraped.matchAll(/^# TYPE (tillcash_\w+) /gm)].map(([, name]) => name);
  expect([...listed.matchAll(/`(tillcash_\w+)`/g)].map(([, name]) => name).sort()).toEqual(ours.sort());
});

test("the reference's example is as it is scraped", () => {
  for (const line of metricsExample.trim().split("\n")) expect(scraped).toContain(line);
});

test("a query that is wrong is noticed", () => {
  expect(() => read("sum by (to (up)")).toThrow(/cannot be read/);
  expect(read('sum by (to) (increase(tillcash_transitions_total{reason="x"}[5m]))')).toEqual([
    { name: "tillcash_transitions_total", labels: ["reason", "to"] },
  ]);
  expect(read("sum by (a) (up) > 0 or sum by (b) (up) > 0").map(({ labels }) => labels)).toEqual([
    ["a", "b"],
    ["a", "b"],
  ]);
});

test("every alert says what is the matter, and the guide what to do: a command", () => {
  const guide = readFileSync(join(folder, "../operate.md"), "utf8").split("\n");
  for (const { alert, annotations } of rules) {
    expect(annotations.summary.length).toBeGreaterThan(20);
    const line = guide.find((each) => new RegExp(`^\\| ([\\w, ]+, )?${alert}[ ,]`).test(each));
    expect([alert, line]).toEqual([alert, expect.stringMatching(/`(tillcash|journalctl|systemctl|top)\b/)]);
    for (const [, words = ""] of line?.matchAll(/`tillcash ([a-z]+( [a-z]+)?)/g) ?? [])
      expect([alert, Object.keys(shapes)]).toEqual([alert, expect.arrayContaining([words])]);
  }
});

test("what nobody has said yet is no number: no copy, and no queue that another process counts", async () => {
  const { telemetry, render } = createMetrics();
  telemetry.unlinked(null);
  telemetry.silentTerminals(null);
  telemetry.outbox(null);
  telemetry.statusEvents(null);
  const { text } = await render();
  expect(text).not.toMatch(
    /^tillcash_(backup_timestamp_seconds|unlinked_withdrawals|silent_terminals|outbox_depth|status_events_depth)\b/m,
  );
  expect(text).toMatch(new RegExp(`^tillcash_build_info\\{version="${serviceVersion}"\\} 1$`, "m"));
});

test("declines for want of a bank are counted from 0: an increase does not see a series that is born with the first of them", async () => {
  expect((await createMetrics().render()).text).toContain(`${unreachable} 0\n`);
});

test("unlinked money is counted by its age, and banks have a label each up to a bound", async () => {
  const { telemetry, render } = createMetrics();
  telemetry.unlinked({ "0s": 4, "2m": 3, "15m": 2, "24h": 1 });
  for (let n = 0; n < 102; n += 1) telemetry.partnerAlarm(`bank-${n}`, "start", "timeout");
  const { text } = await render();
  const counted = [...text.matchAll(/^tillcash_unlinked_withdrawals\{older_than="(\w+)"\} (\d)$/gm)];
  expect(counted.map(([, age, count]) => `${age} ${count}`)).toEqual(["0s 4", "2m 3", "15m 2", "24h 1"]);
  expect(text.match(/^tillcash_partner_alarms_total\{bank="bank-\d+"/gm)).toHaveLength(100);
  expect(text).toMatch(/^tillcash_partner_alarms_total\{bank="other",call="start",why="timeout"\} 2$/m);
});

const bucket = (le: string) => `tillcash_partner_call_seconds_bucket{le="${le}",call="settle"}`;
const errors = 'tillcash_http_request_seconds_count{route="/transaction",status="500"}';
const alarms = 'tillcash_partner_alarms_total{bank="b",call="settle",why="timeout"}';
const unreachable = 'tillcash_transitions_total{from="requested",to="declined",reason="partner_unreachable"}';
const unlinked = (age: string) => `tillcash_unlinked_withdrawals{older_than="${age}"}`;
const lag = 'nodejs_eventloop_lag_p99_seconds{job="tillcash"}';
type Series = Readonly<Record<string, string>>;
/** As promtool writes them: each rule with series for which it fires at the end, and with some for which it does not. */
const played: Readonly<Record<string, { readonly fires: readonly Series[]; readonly quiet: readonly Series[] }>> = {
  TillcashDown: { fires: [{ 'up{job="tillcash"}': "1 0 0 0" }], quiet: [{ 'up{job="tillcash"}': "0 0 1 1" }] },
  TillcashSettleOrderWaits: {
    fires: [{ tillcash_outbox_oldest_age_seconds: "0 61 121" }],
    quiet: [{ tillcash_outbox_oldest_age_seconds: "0 59 60" }],
  },
  TillcashCashUnlinked: {
    fires: [{ [unlinked("15m")]: "0 1" }],
    quiet: [{ [unlinked("15m")]: "1 0", [unlinked("2m")]: "1 1" }],
  },
  TillcashCashUnlinkedForADay: { fires: [{ [unlinked("24h")]: "0 1" }], quiet: [{ [unlinked("24h")]: "1 0" }] },
  TillcashTerminalsSilent: {
    fires: [{ tillcash_silent_terminals: "0 1x5" }],
    quiet: [{ tillcash_silent_terminals: "0 1x4" }, { tillcash_silent_terminals: "0x6" }],
  },
  TillcashBankGivesNoAnswer: {
    fires: [{ [alarms]: "_x20 1 1" }, { [alarms]: "0x20 1 1" }],
    quiet: [{ [alarms]: "1x40" }, { [alarms]: "_x5 1x30" }],
  },
  TillcashBankNotCalled: { fires: [{ tillcash_unusable_partners: "1" }], quiet: [{ tillcash_unusable_partners: "0" }] },
  TillcashCommitsLost: { fires: [{ tillcash_commits_lost: "1" }], quiet: [{ tillcash_commits_lost: "0" }] },
  TillcashStatusEventsWait: {
    fires: [{ tillcash_status_events_oldest_age_seconds: "301x6" }],
    quiet: [{ tillcash_status_events_oldest_age_seconds: "300x6" }],
  },
  TillcashBankUnreachable: {
    fires: [{ [unreachable]: "0+1x20" }],
    quiet: [{ [unreachable]: "0 0 0 0 0 0 0 0 1 1 1" }],
  },
  TillcashBankSlow: {
    fires: [{ [bucket("2.5")]: "0x30", [bucket("5")]: "0+10x30", [bucket("+Inf")]: "0+10x30" }],
    quiet: [{ [bucket("2.5")]: "0+10x30", [bucket("5")]: "0+10x30", [bucket("+Inf")]: "0+10x30" }],
  },
  TillcashServerErrors: {
    fires: [{ [errors]: "_x20 1 1" }, { [errors]: "0x20 1 1" }],
    quiet: [{ [errors]: "1x40" }, { [errors.replace("500", "404")]: "0+1x20" }],
  },
  TillcashBackupOld: {
    // The second one says that there never was a copy.
    fires: [{ tillcash_backup_timestamp_seconds: "1x80" }, { tillcash_backup_timestamp_seconds: "0x80" }],
    quiet: [{ tillcash_backup_timestamp_seconds: "_x80" }, { tillcash_backup_timestamp_seconds: "0+3600x80" }],
  },
  TillcashBusy: { fires: [{ [lag]: "0.3x10" }], quiet: [{ [lag]: "0.3x3 0.1x2" }] },
};
const promtool = spawnSync("promtool", ["--version"]).status === 0;

/** How many values a series has: `0+1x20` is 21 of them. */
const lengthOf = (values: string): number =>
  values.split(" ").reduce((sum, word) => sum + Number(/x(\d+)$/.exec(word)?.[1] ?? 0) + (/^_x/.test(word) ? 0 : 1), 0);

test.runIf(promtool)("each alert fires for what it is there for, and for nothing else (needs promtool)", () => {
  expect(Object.keys(played)).toEqual(rules.map(({ alert }) => alert));
  const at = mkdtempSync(join(tmpdir(), "tillcash-alerts-"));
  // A copy is made once a day: its series have a value an hour.
  const files = (["1h", "1m"] as const).map((step) => {
    const file = join(at, `${step}.yml`);
    const tests = Object.entries(played).flatMap(([alert, { fires, quiet }]) => {
      if ((alert === "TillcashBackupOld") !== (step === "1h")) return [];
      const both = [...fires.map((series) => ({ series, value: 1 })), ...quiet.map((series) => ({ series, value: 0 }))];
      return both.map(({ series, value }) => ({
        interval: step,
        name: `${alert} ${value === 1 ? "fires" : "is quiet"} for ${JSON.stringify(series)}`,
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) or vector(0)`,
            eval_time: `${Math.max(...Object.values(series).map(lengthOf)) - 1}${step.slice(1)}`,
            exp_samples: [{ value }],
          },
        ],
      }));
    });
    writeFileSync(file, stringify({ rule_files: [join(folder, "alerts.yml")], evaluation_interval: step, tests }));
    return file;
  });
  const { status, stdout, stderr } = spawnSync("promtool", ["test", "rules", ...files], {
    encoding: "utf8",
  });
  rmSync(at, { recursive: true });
  expect(`${stdout}${stderr}`).toMatch(/SUCCESS/);
  expect(status).toBe(0);
});

test("the panels of the dashboard do not overlap", () => {
  const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => [`${x + (n % w)} ${y + Math.floor(n / w)}`, title]),
  );
  expect(new Set(cells.map(([cell]) => cell)).size).toBe(cells.length);
  expect(Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBe(24);
});
