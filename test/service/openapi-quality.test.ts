/** The API document under the linters that banks run over it, and complete: a description and an example for everything. */
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Document, type RuleDefinition, type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { Json } from "@stoplight/spectral-parsers";
import { oas } from "@stoplight/spectral-rulesets";
import { beforeAll, expect, test } from "vitest";
import { isTransactionId } from "../../backend/contract/ids.ts";
import { openApiText } from "../../backend/http/openapi.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { serviceVersion } from "../../backend/version.ts";

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
type Node = any;

const settings = { publicUrl: "https://cash.tillcash.test", scaSeconds: 40, orderTtlSeconds: 900 };
let text: string;
let document: Node;
beforeAll(async () => {
  text = await openApiText(operations, settings);
  document = JSON.parse(text);
});

/**
 * Spectral's own rule for the examples of schemas, which compiles a named one again for each operation that shows it: here those are
 * looked at where they are defined, and in operations what has no name.
 */
const schemaExamples = () => {
  const { rules } = oas as unknown as { readonly rules: Readonly<Record<string, RuleDefinition>> };
  const rule = rules["oas3-valid-schema-example"];
  const [named, inOperations, ...others] = [rule?.given ?? []].flat();
  if (rule === undefined || !named?.startsWith("$.components.schemas..") || !inOperations?.startsWith("$..content.."))
    throw new Error("Spectral has another rule for the examples of schemas");
  return {
    "oas3-valid-schema-example": { ...rule, given: [named, ...others] },
    "unnamed-schema-example": { ...rule, given: inOperations, resolved: false },
  };
};
const spectral = async (source: string) => {
  const linter = new Spectral();
  // A contact with an address and a mailbox is for the operator's own copy.
  const rules = { "contact-properties": "off", ...schemaExamples() } as const;
  linter.setRuleset({ extends: [[oas as RulesetDefinition, "all"]], rules });
  const findings = await linter.run(new Document(source, Json, "openapi.json"));
  return findings.map(({ code, path, message }) => `${code} ${path.join("/")} ${message}`);
};
const redocly = async (source: string) => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const findings = await lintFromString({ source, absoluteRef: "openapi.json", config });
  return findings.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer} ${message}`);
};

test.each([
  ["Spectral", spectral],
  ["Redocly", redocly],
])("%s finds nothing, and something in a worse document", async (_, lint) => {
  expect(await lint(text)).toEqual([]);
  const { "/healthz": health, "/readyz": ready } = structuredClone(document.paths);
  ready.get.operationId = health.get.operationId;
  const worse = { ...document, paths: { "/healthz": health, "/readyz": ready }, webhooks: {} };
  expect((await lint(JSON.stringify(worse))).join("\n")).toMatch(/operation-?id-unique/i);
});

/** Every schema that is written out, with its place. */
function* properties(node: Node, place: string): Generator<[string, Node]> {
  if (typeof node !== "object" || node === null) return;
  for (const [name, schema] of Object.entries<Node>(node.properties ?? {})) yield [`${place}.${name}`, schema];
  for (const [key, value] of Object.entries(node)) if (key !== "example") yield* properties(value, `${place}/${key}`);
}

test("every property says what it is and shows a value", () => {
  const bare = [...properties(document, "")].filter(([, schema]) => {
    if (schema.$ref || schema.allOf || schema.anyOf?.some((each: Node) => each.$ref)) return false;
    const isContainer = schema.type === "array" || schema.type === "object";
    return !schema.description || (schema.example === undefined && !isContainer);
  });
  expect(bare.map(([place]) => place)).toEqual([]);
});

test("every parameter, named schema, operation and webhook says what it is", () => {
  const documented = [document.paths, document.webhooks].flatMap((group: Node) =>
    Object.values<Node>(group).flatMap((item) => Object.values<Node>(item)),
  );
  for (const operation of documented) {
    expect(operation.summary, operation.operationId).toBeTruthy();
    expect(operation.description, operation.operationId).toBeTruthy();
    for (const parameter of operation.parameters ?? []) {
      expect([parameter.name, parameter.schema.description ?? parameter.description]).not.toContain(undefined);
      expect([parameter.name, parameter.schema.example ?? parameter.example]).not.toContain(undefined);
    }
  }
  for (const [name, schema] of Object.entries<Node>(document.components.schemas))
    expect([name, schema.description]).not.toContain(undefined);
});

test("what an operation takes and answers in JSON is a named schema", () => {
  const unnamed = [document.paths, document.webhooks].flatMap((group: Node) =>
    Object.entries<Node>(group).flatMap(([path, item]) =>
      Object.values<Node>(item).flatMap(({ requestBody, responses }) =>
        [requestBody, ...Object.values<Node>(responses)]
          .flatMap((each) => Object.entries<Node>(each?.content ?? {}))
          .filter(([type, { schema }]) => !type.startsWith("text/") && schema.$ref === undefined)
          .map(() => path),
      ),
    ),
  );
  // The document cannot describe itself.
  expect(unnamed).toEqual(["/openapi.json"]);
});

test("one operation takes and gives one media type, beside its errors", () => {
  for (const [path, item] of Object.entries<Node>(document.paths))
    for (const operation of Object.values<Node>(item)) {
      if (path === "/docs/{file}") continue;
      const taken = Object.keys(operation.requestBody?.content ?? {});
      expect([path, taken]).toEqual([path, operation.requestBody === undefined ? [] : [expect.any(String)]]);
      const success = operation.responses[200] ?? operation.responses[201];
      expect([path, Object.keys(success.content)]).toEqual([path, [expect.any(String)]]);
    }
});

test("scopes are those of an oauth2 scheme, webhooks are signed, the version is the program's", () => {
  const known = Object.keys(document.components.securitySchemes.oauth2.flows.clientCredentials.scopes);
  expect(document.paths["/ext/v1/withdrawals"].post.security).toEqual([{ oauth2: ["withdrawals"] }]);
  for (const item of Object.values<Node>(document.paths))
    for (const { security } of Object.values<Node>(item))
      for (const each of security) for (const scope of each.oauth2 ?? []) expect(known).toContain(scope);
  for (const { post } of Object.values<Node>(document.webhooks)) expect(post.security).toEqual([{ signature: [] }]);
  expect(document.info.version).toBe(serviceVersion);
});

test("every barcode shown is one that the check character allows", () => {
  const shown = [...text.matchAll(/"example":"([0-9A-Z]{16})"/g)].map(([, id]) => id ?? "");
  expect(shown.length).toBeGreaterThan(5);
  expect(shown.filter((id) => !isTransactionId(id))).toEqual([]);
});

test("wait is documented as it is, and the seconds for the approval are the service's own", async () => {
  const wait = document.paths["/transaction"].get.parameters.find(({ name }: Node) => name === "wait");
  expect(wait.schema).toMatchObject({ type: "integer", minimum: 0, maximum: 25 });
  const other = await openApiText(operations, { ...settings, scaSeconds: 55 });
  expect(other).toContain("the user has 55 s");
  expect(other).not.toMatch(/\b40 s/);
});
