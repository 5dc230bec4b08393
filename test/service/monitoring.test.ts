/** The alerts and the dashboard of docs/operate: PromQL that parses, over metrics and labels that the service exports. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parser } from "@prometheus-io/lezer-promql";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { metricsExample } from "../../backend/http/examples.ts";
import { createMetrics } from "../../backend/http/metrics.ts";

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
  telemetry.partnerAlarm("settle", "http_503");
  telemetry.outbox({ depth: 1, oldestAgeMs: 5 });
  telemetry.statusEvents({ depth: 1, oldestAgeMs: 5 });
  telemetry.purged("withdrawals_archived" as never, 1);
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
  let groups: string[] = [];
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      const word = text.slice(from, to);
      if (type.isError) throw new Error(`${query}: cannot be read at ${from}`);
      if (type.name === "GroupingLabels") groups = word.match(/\w+/g) ?? [];
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
});

test("every alert says what is the matter, and the guide what to do", () => {
  const guide = readFileSync(join(folder, "../operate.md"), "utf8");
  for (const { alert, annotations } of rules) {
    expect(annotations.summary.length).toBeGreaterThan(20);
    expect([alert, guide.includes(`| ${alert} |`)]).toEqual([alert, true]);
  }
});

test("the panels of the dashboard do not overlap", () => {
  const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => [`${x + (n % w)} ${y + Math.floor(n / w)}`, title]),
  );
  expect(new Set(cells.map(([cell]) => cell)).size).toBe(cells.length);
  expect(Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.x + gridPos.w))).toBe(24);
});
