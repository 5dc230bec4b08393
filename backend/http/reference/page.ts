/** The whole reference as one page that needs no script: contents beside it, the quick start and the nine calls first. */
import { html } from "hono/html";
import { type ApiDocument, type DocumentedOperation, exampleOf, type Item } from "./document.ts";
import { fieldsTable } from "./fields.ts";
import { interfaceIntro, interfaceSections, sectionAnchor } from "./interface-text.ts";
import { type Chapter, code, type Entry, json, line, type Markup, paragraphs } from "./markup.ts";
import { type Call, operationEntry } from "./operation-entry.ts";

/** The first entry: a token, a withdrawal and its look-up as three curl commands against the sandbox. */
const quickStart = (document: ApiDocument): Entry => {
  const url = document.servers[0].url;
  const example = exampleOf(document, document.components.schemas.Transaction ?? {}) as Record<string, unknown>;
  const { transaction_id, amount, currency, expires_at } = example;
  const token = `TOKEN=$(curl -s -u demo-bank%2Fserver-1:bank-secret ${url}/oauth2/token -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  const ask = `curl ${url}/ext/v1/withdrawals -H "Authorization: Bearer $TOKEN" \\
  -H 'Idempotency-Key: first-try' -H 'Content-Type: application/json' \\
  -d '{"user_id":"customer-77","amount":"50.00","currency":"EUR","store":"demo-shop"}'`;
  const till = `TILL=$(curl -s ${url}/oauth2/authorize -H 'Content-Type: application/json' \\
  -d '{"grant_type":"client_credentials","merchant_id":"demo-shop","device_id":"till-1","device_type":"terminal","password":"till-secret","scope":""}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "${url}/transaction?id=TRANSACTION_ID" -H "Authorization: Bearer $TILL"`;
  return {
    id: "quick-start",
    title: "Quick start",
    body: html`${paragraphs("Three commands, with the credentials of the sandbox (`npm run backend -- --sandbox`). **1. A token**, good for 24 hours; keep it, and get another when an answer is 401:")}
${code(token)}
${paragraphs("**2. A withdrawal**, as a bank's server asks for it. The answer is `ready`, and its `transaction_id` is the barcode:")}
${code(ask)}
${json({ transaction_id, status: "ready", amount, currency, store: "demo-shop", expires_at })}
${paragraphs("**3. The terminal's side**: a token of its own, and what the cashier sees after the scan. Then confirm, and link when the cash was handed over:")}
${code(till)}
${paragraphs("The nine calls of the interface come next. `docs/integrate.md` in the service's repository leads a bank from here to a settled withdrawal, with signed examples.")}`,
  };
};

const callsOf = (items: Readonly<Record<string, Item>>, toBank: boolean): readonly Call[] =>
  Object.entries(items).flatMap(([name, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      operation,
      method,
      path: toBank ? pathAtBank(operation, name) : name,
      toBank,
    })),
  );

/** A webhook has no path in OpenAPI; its description begins with the one that the interface names. */
const pathAtBank = ({ description }: DocumentedOperation, name: string): string =>
  /`POST ([^`]+)`/.exec(description)?.[1] ?? name;

/** `…, [section 4.10](…)` → 10: the interface's own order. */
const sectionOf = ({ description }: DocumentedOperation): number =>
  Number(/\[section 4\.(\d+)\]/.exec(description)?.[1] ?? Number.POSITIVE_INFINITY);

const chaptersOf = (document: ApiDocument): readonly Chapter[] => {
  const calls = [...callsOf(document.paths, false), ...callsOf(document.webhooks, true)];
  const entry = (call: Call): Entry => operationEntry(document, call);
  const isOwn = ({ operation }: Call) => operation["x-extension"];
  const isOperations = ({ operation }: Call) => operation.tags.includes("Operations");
  const nine = calls.filter((call) => !isOwn(call) && sectionOf(call.operation) < Number.POSITIVE_INFINITY);
  const events = calls.filter((call) => call.toBank && !nine.includes(call));
  const others = calls.filter((call) => !nine.includes(call) && !events.includes(call));
  return [
    { id: "begin", title: "Begin", entries: [quickStart(document)] },
    {
      id: "the-nine-calls",
      title: "The nine calls",
      intro: paragraphs(
        "What the interface specifies, in its order. Two of them the service makes: to the bank's server, signed.",
      ),
      entries: nine.sort((a, b) => sectionOf(a.operation) - sectionOf(b.operation)).map(entry),
    },
    {
      id: "for-all-calls",
      title: "For all calls",
      entries: [
        { id: "conventions", title: "Conventions, errors, statuses", body: paragraphs(document.info.description) },
      ],
    },
    {
      id: "interface",
      title: "The interface, call by call",
      intro: paragraphs(interfaceIntro),
      entries: interfaceSections.map(({ section, title, text }) => ({
        id: section === null ? "section-time" : sectionAnchor(section),
        title: section === null ? title : `${section} ${title}`,
        body: paragraphs(text),
      })),
    },
    { id: "events", title: "Events to a bank", entries: events.map(entry) },
    { id: "extensions", title: "Extensions", entries: others.filter((call) => !isOperations(call)).map(entry) },
    { id: "operating", title: "Operating", entries: others.filter(isOperations).map(entry) },
    {
      id: "schemas",
      title: "Schemas",
      entries: Object.entries(document.components.schemas).map(([name, schema]) => ({
        id: `schema-${name}`,
        title: name,
        body: html`<p>${line(schema.description ?? "")}</p>
${fieldsTable("Fields", schema)}
${json(exampleOf(document, schema))}`,
      })),
    },
  ];
};

const article = ({ id, title, body }: Entry): Markup => html`<article id="${id}">
<h3>${title}</h3>
${body}
</article>`;

const section = ({ id, title, intro, entries }: Chapter): Markup => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${intro ?? ""}
${entries.map(article)}
</section>`;

const contents = ({ id, title, entries }: Chapter): Markup => html`<section>
<h2><a href="#${id}">${title}</a></h2>
<ul>${entries.map((each) => html`<li><a href="#${each.id}">${each.title} ${each.badge ? html`<small>${each.badge}</small>` : ""}</a></li>`)}</ul>
</section>`;

/** The HTML of `GET /docs`, made from the same document that `GET /openapi.json` answers. */
export const referencePage = (document: ApiDocument): string => {
  const chapters = chaptersOf(document);
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillcash API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<a class="skip" href="#main">Skip the contents</a>
<aside>
<p><b>Tillcash API</b> ${document.info.version}<br><a href="openapi.json">openapi.json</a></p>
<div role="search" hidden><label for="search">Search (press /)</label><input id="search" type="search" autocomplete="off"><p id="found" role="status"></p></div>
<nav aria-label="Contents">${chapters.map(contents)}</nav>
</aside>
<main id="main">
<h1>Tillcash API reference</h1>
${chapters.map(section)}
</main>
<script src="docs/search.js"></script>
</body>
</html>
`);
};
