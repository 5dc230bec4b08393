/** The whole reference as one page that needs no script: contents beside it, the quick start and the nine calls first. */
import { html } from "hono/html";
import { type ApiDocument, type DocumentedOperation, exampleOf, type Item } from "./document.ts";
import { fieldsTable } from "./fields.ts";
import { interfaceIntro, interfaceSections, sectionAnchor } from "./interface-text.ts";
import { type Chapter, type Entry, json, line, type Markup, paragraphs } from "./markup.ts";
import { type Call, operationEntry } from "./operation-entry.ts";
import { quickStart } from "./quick-start.ts";

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
