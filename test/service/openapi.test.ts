/** The API reference: valid, complete, marked, and rendered from this service alone. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiText } from "../../backend/http/openapi.ts";
import { operations } from "../../backend/http/operations/index.ts";
import { type Answer, bank, createHttpStage, type HttpStage } from "./http-stage.ts";

// biome-ignore lint/suspicious/noExplicitAny: the document is looked into, not typed
type Document = any;

let stage: HttpStage;
let document: Document;
beforeAll(async () => {
  stage = await createHttpStage("sqlite", { HELD_READS_PER_TOKEN: "1" });
  document = (await stage.call("GET", "/openapi.json")).body;
});
afterAll(() => stage.dispose());

const operationsOf = (paths: Record<string, Record<string, Document>>): [string, Document][] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Document] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

test("is valid OpenAPI 3.1", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(document.openapi).toMatch(/^3\.1\./);
});

test("a broken document is noticed", async () => {
  const broken = structuredClone(document);
  broken.paths["/transaction"].get.responses = { 200: { content: {} } };
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test("holds every call of the interface, with its section", () => {
  const sections = Object.fromEntries(
    operationsOf(document.paths)
      .filter(([, operation]) => operation["x-extension"] === false)
      .map(([name, operation]) => [name, /section (4\.\d)/.exec(operation.description)?.[1]]),
  );
  expect(sections).toEqual({
    "POST /oauth2/authorize": "4.1",
    "POST /api/v7/partnerCheckin": "4.3",
    "POST /transaction/confirm": "4.5",
    "POST /transaction/reject": "4.6",
    "POST /transaction/link": "4.7",
    "GET /transaction": "4.8",
    "POST /api/v2/users": "4.9",
  });
  expect(Object.keys(document.webhooks).sort()).toEqual(["settleOrder", "startOrder", "statusEvent"]);
});

test("marks every extension and every convention", () => {
  for (const [name, operation] of operationsOf(document.paths)) {
    const isExtension = !/^\S+ \/(oauth2\/authorize|api|transaction)/.test(name);
    expect([name, operation["x-extension"]]).toEqual([name, isExtension]);
    if (isExtension) expect(operation.description).toContain("**Extension**");
    else expect(operation["x-conventions"].length).toBeGreaterThan(0);
    for (const convention of operation["x-conventions"] ?? []) expect(operation.description).toContain(convention);
  }
});

test("routes and document are the same set", async () => {
  const documented = operationsOf(document.paths).map(([name]) => name);
  expect(documented.sort()).toEqual(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`).sort());
  for (const name of documented) {
    const [method = "", path = ""] = name.split(" ");
    const answer = await stage.call(method, path.replaceAll(/\{\w+\}/g, "search.js"));
    expect([name, answer.status]).not.toEqual([name, 405]);
    expect([name, answer.body?.code]).not.toEqual([name, "not_found"]);
  }
});

test("every reference leads somewhere, every operation has an id, a tag and answers with an X-Request-Id", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)];
  expect(references.length).toBeGreaterThan(10);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty(name ?? "");
  const known = new Set(document.tags.map((tag: { name: string }) => tag.name));
  const ids = operationsOf(document.paths).map(([, operation]) => {
    for (const tag of operation.tags) expect(known).toContain(tag);
    for (const response of Object.values<Document>(operation.responses))
      expect(response.headers).toHaveProperty("X-Request-Id");
    return operation.operationId;
  });
  expect(new Set(ids).size).toBe(ids.length);
});

describe("answers are those of the document", () => {
  const call = async (method: string, path: string, fields?: Record<string, unknown>, json?: unknown) =>
    stage.call(method, path, { token: await stage.token(fields), json });
  const calls: [string, () => Promise<Answer>][] = [
    ["GET /transaction", async () => call("GET", `/transaction?id=${await stage.withdrawal()}`)],
    ["GET /transaction", () => call("GET", "/transaction?id=404")],
    ["GET /transaction", () => call("GET", "/transaction")],
    ["GET /transaction", () => call("GET", "/transaction?id=1", bank)],
    [
      "POST /transaction/link",
      async () => call("POST", "/transaction/link", undefined, { transaction_id: await stage.withdrawal() }),
    ],
    ["POST /transaction/confirm", () => call("POST", "/transaction/confirm", undefined, [])],
    ["POST /transaction/confirm", () => call("POST", "/transaction/confirm")],
    ["POST /oauth2/authorize", () => stage.authorize({ ...bank, password: "x" })],
    ["POST /api/v2/users", () => call("POST", "/api/v2/users", bank, {})],
    ["POST /api/v2/users", () => call("POST", "/api/v2/users", bank, { id: "" })],
    ["POST /ext/v1/withdrawals", () => call("POST", "/ext/v1/withdrawals", bank, {})],
    ["GET /ext/v1/reconciliation", () => call("GET", "/ext/v1/reconciliation", bank)],
    ["GET /ext/v1/reconciliation.csv", () => call("GET", "/ext/v1/reconciliation.csv", bank)],
    ["GET /ext/v1/stores", () => call("GET", "/ext/v1/stores", bank)],
    ["POST /oauth2/token", () => call("POST", "/oauth2/token", bank, {})],
    ["GET /healthz", () => stage.call("GET", "/healthz")],
    ["GET /readyz", () => stage.call("GET", "/readyz")],
    ["GET /metrics", () => stage.call("GET", "/metrics")],
    ["GET /docs", () => stage.call("GET", "/docs")],
  ];
  /** While another read of the same credential is held. */
  const oneTooMany = async (path: (id: string) => string, fields?: Record<string, unknown>) => {
    const address = path(await stage.withdrawal());
    const reads = [call("GET", `${address}wait=1`, fields), call("GET", `${address}wait=1`, fields)];
    const refused = (await Promise.all(reads)).find(({ status }) => status !== 200);
    if (refused === undefined) throw new Error("both were held");
    return refused;
  };
  calls.push(
    ["GET /transaction", () => oneTooMany((id) => `/transaction?id=${id}&`)],
    ["GET /ext/v1/withdrawals/{id}", () => oneTooMany((id) => `/ext/v1/withdrawals/${id}?`, bank)],
  );
  const fromElsewhere = { headers: { origin: "https://elsewhere.example" } };
  for (const { method, path } of operations) {
    const send = () => stage.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1"), fromElsewhere);
    calls.push([`${method.toUpperCase()} ${path}`, send]);
  }
  test.each(calls)("%s %#", async (name, send) => {
    const answer = await send();
    const operation = operationsOf(document.paths).find(([each]) => each === name)?.[1];
    const documented = operation.responses[String(answer.status)];
    expect([name, answer.status, documented !== undefined]).toEqual([name, answer.status, true]);
    const type = answer.headers.get("content-type")?.split(";")[0] ?? "";
    expect(Object.keys(documented.content)).toContain(type);
    const examples = Object.values<Document>(documented.content[type].examples ?? {});
    // A refusal is shown with the code that came.
    const code = answer.body?.code;
    if (answer.status >= 400 && code !== undefined) expect(examples.map(({ value }) => value.code)).toContain(code);
  });
});

test("every section that is cited is on the page, and every link within the page leads somewhere", async () => {
  const { text } = await stage.call("GET", "/docs");
  const ids = new Set([...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
  const cited = [...JSON.stringify(document).matchAll(/\[section (4\.\d)\]\(([^)]+)\)/g)];
  expect(new Set(cited.map(([, section]) => section)).size).toBe(9);
  for (const [, section = "", address = ""] of cited) {
    const { origin, pathname, hash } = new URL(address);
    expect([`${origin}${pathname}`, links.includes(hash.slice(1))]).toEqual([`${stage.baseUrl()}/docs`, true]);
    expect(text).toMatch(new RegExp(`id="${hash.slice(1)}">\\s*<h3>${section.replace(".", "\\.")} `));
  }
});

test("what an operation's comment cites is what the document cites", () => {
  const folder = join(import.meta.dirname, "../../backend/http/operations");
  const cited = readdirSync(folder).flatMap((file) => [
    ...readFileSync(join(folder, file), "utf8").matchAll(/\(interface (4\.\d)\)[^;]*?section: "(4\.\d)"/gs),
  ]);
  expect(cited).toHaveLength(7);
  for (const [, inComment, inDocument] of cited) expect(inComment).toBe(inDocument);
});

test("below a path of PUBLIC_URL the token's address is below it too", async () => {
  const settings = { publicUrl: 'https://shop.example/cash"', scaSeconds: 40, orderTtlSeconds: 900 };
  const below = JSON.parse(await openApiText(operations, settings));
  const { tokenUrl } = below.components.securitySchemes.oauth2.flows.clientCredentials;
  expect([below.servers[0].url, tokenUrl]).toEqual([settings.publicUrl, `${settings.publicUrl}/oauth2/token`]);
});

test("/docs is a page of this service's own files under a strict policy", async () => {
  const page = await stage.call("GET", "/docs");
  expect(page.headers.get("content-security-policy")).toMatch(
    /default-src 'none'; script-src 'self'; style-src 'self';/,
  );
  expect(page.text).not.toMatch(/(?:src|href)="https?:/);
  const files = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, file]) => `/${file}`);
  expect(files).toEqual(["/docs/reference.css", "/docs/search.js"]);
  for (const file of files) {
    const asset = await stage.call("GET", file);
    expect([file, asset.status]).toEqual([file, 200]);
    expect(asset.headers.get("content-type")).toMatch(/^text\/(css|javascript)/);
  }
  for (const name of ["package.json", "..%2fpackage.json", "constructor"])
    expect((await stage.call("GET", `/docs/${name}`)).status).toBe(404);
});
