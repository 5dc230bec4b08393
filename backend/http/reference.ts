/**
 * The rendered API reference: one page, Markdown built from the operations and the OpenAPI document. Style and script
 * come from this service; it works without the script. Loaded on demand.
 */
import { marked } from "marked";
import { ServiceError } from "../service-error.ts";
import { interfaceIntro, interfaceSections, sectionAnchor } from "./interface-text.ts";
import { bankCalls } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { baseHeaders } from "./request.ts";

/** A JSON Schema of the document: a `$ref` alone, or the keywords that the page shows. */
interface Schema extends Readonly<Partial<Record<keyof typeof bounds, unknown>>> {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly example?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}
/** A body, by media type. */
type Content = Readonly<
  Record<string, { schema: Schema; examples?: Readonly<Record<string, { summary: string; value: unknown }>> }>
>;
interface Described {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}
type Items = Readonly<Record<string, Readonly<Record<string, Described>>>>;

/** The parts of the OpenAPI document that the page uses. */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Items;
  readonly webhooks: Items;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: { readonly signature: { readonly description: string } };
  };
}

/** An operation or a call to a bank, with its description in the document. */
interface Call extends Pick<Operation, "id" | "method" | "path" | "section" | "tag" | "scopes"> {
  readonly described: Described;
  readonly toBank: boolean;
}

/** One section in our own Markdown, never user input. `badge` is shown beside the title in the contents, such as `POST`. */
type Entry = { readonly id: string; readonly title: string; readonly badge?: string; readonly text: string };
type Chapter = Omit<Entry, "text"> & { readonly intro?: string; readonly entries: readonly Entry[] };

const blocks = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join("\n\n");
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``;
const inCode = (text: unknown): string => `\`${text}\``;

/** `#/components/schemas/Transaction` → `Transaction`. */
const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);
const resolve = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {});

/** A value that matches the schema, built from its fields' examples. */
export const exampleOf = (document: ApiDocument, schema: Schema): unknown => {
  const whole = resolve(document, schema);
  if (whole.example !== undefined) return whole.example;
  const fields = Object.entries(whole.properties ?? {});
  if (whole.properties) return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field)]));
  return whole.items ? [exampleOf(document, whole.items)] : {};
};

const mediaOf = (content: Content | undefined) => Object.entries(content ?? {})[0];
const examplesOf = (document: ApiDocument, { schema, examples }: Content[string]) =>
  examples === undefined ? [{ summary: "", value: exampleOf(document, schema) }] : Object.values(examples);

/** Strings as they are, everything else as JSON. */
const examplesPart = (intro: string, document: ApiDocument, media: Content[string]): string =>
  blocks(
    intro,
    ...examplesOf(document, media).flatMap(({ summary, value }) => [
      summary && `*${summary}:*`,
      fenced(typeof value === "string" ? value : JSON.stringify(value, null, 2)),
    ]),
  );

const table = (caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return blocks(`**${caption}**`, [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n"));
};

const bounds = {
  enum: "one of",
  minimum: "from",
  maximum: "to",
  minLength: "characters, at least",
  maxLength: "characters, at most",
  pattern: "matches",
} as const;

const boundsOf = (schema: Schema): string =>
  Object.entries(bounds)
    .filter(([keyword]) => keyword in schema)
    .map(([keyword, words]) => `${words} ${[schema[keyword as keyof typeof bounds]].flat().map(inCode).join(", ")}`)
    .join("; ");

const typeOf = ({ $ref, items, type }: Schema): string => {
  if ($ref !== undefined) return `[${nameOf($ref)}](#schema-${nameOf($ref)})`;
  if (items !== undefined) return items.$ref === undefined ? "list" : `list of ${typeOf(items)}`;
  return [type ?? "any"].flat().join(" or ");
};

type Field = { readonly name: string; readonly schema: Schema; readonly required?: boolean | undefined };

/** Lists fields; those of nested anonymous objects follow, with dotted names. */
const fieldsOf = (schema: Schema, prefix = ""): readonly Field[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name: prefix + name, schema: field, required: schema.required?.includes(name) },
    ...fieldsOf(field, `${prefix}${name}.`),
    ...fieldsOf(field.items ?? {}, `${prefix}${name}[].`),
  ]);

const fieldsTable = (caption: string, fields: readonly Field[]): string =>
  table(
    caption,
    ["Field", "Type", "Meaning"],
    fields.map(({ name, schema, required }) => [
      inCode(name),
      `${typeOf(schema)}${required ? "" : ", optional"}`,
      `${schema.description ?? ""} ${boundsOf(schema)}`,
    ]),
  );

const answersTable = ({ responses }: Described): string =>
  table(
    "Answers",
    ["Status", "Body", "Meaning"],
    Object.entries(responses).map(([status, { description, content }]) => {
      const [type = "none", media] = mediaOf(content) ?? [];
      return [status, media?.schema.$ref ? typeOf(media.schema) : type, description];
    }),
  );

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const curlOf = (document: ApiDocument, { described, method, path, scopes }: Call): string => {
  const wanted = (described.parameters ?? []).filter(({ required }) => required);
  const at = (place: string) => wanted.filter((parameter) => parameter.in === place);
  const filled = at("path").reduce((url, { name, schema }) => url.replace(`{${name}}`, String(schema.example)), path);
  const query = at("query").map(({ name, schema }) => `${name}=${encodeURIComponent(String(schema.example))}`);
  const address = document.servers[0].url + filled + (query.length === 0 ? "" : `?${query.join("&")}`);
  const [type, media] = mediaOf(described.requestBody?.content) ?? [];
  const example = media && (examplesOf(document, media)[0]?.value as Record<string, unknown>);
  const isForm = type === "application/x-www-form-urlencoded";
  return [
    `curl ${method === "post" && example === undefined ? "-X POST " : ""}${quoted(address)}`,
    ...(scopes === null ? [] : ["-H 'Authorization: Bearer ACCESS_TOKEN'"]),
    ...at("header").map(({ name, schema }) => `-H ${quoted(`${name}: ${schema.example}`)}`),
    ...(isForm ? Object.entries(example ?? {}).map(([name, value]) => `-d ${quoted(`${name}=${value}`)}`) : []),
    ...(example && !isForm ? [`-H 'Content-Type: ${type}'`, `-d ${quoted(JSON.stringify(example))}`] : []),
  ].join(" \\\n  ");
};

/** Section of one call: summary, scopes, an example as curl (for calls to a bank the signature), fields and answers. */
const callEntry = (document: ApiDocument, call: Call): Entry => {
  const { id, described, path, scopes, toBank } = call;
  const badge = call.method.toUpperCase();
  const [, sent] = mediaOf(described.requestBody?.content) ?? [];
  const [, answered] = mediaOf((described.responses[200] ?? described.responses[201])?.content) ?? [];
  const text = blocks(
    `<p class="call"><b>${badge}</b> <code>${path}</code></p>`,
    described.description.replaceAll(`](${document.servers[0].url}/docs#`, "](#"),
    scopes === null ? "" : `Needs a token with the scope ${scopes.map(inCode).join(" or ")}.`,
    toBank
      ? `**Signature**: ${document.components.securitySchemes.signature.description}`
      : fenced(curlOf(document, call)),
    !toBank && answered?.examples ? examplesPart("It answers, for instance:", document, answered) : "",
    described.parameters && fieldsTable("Parameters and headers", described.parameters),
    sent && fieldsTable("Body", fieldsOf(resolve(document, sent.schema))),
    toBank && sent ? examplesPart("The body, as your server receives it:", document, sent) : "",
    answersTable(described),
  );
  return { id, title: described.summary, badge, text };
};

/** The first section: a token, a withdrawal and its look-up as three curl commands against the sandbox. */
const quickStart = (document: ApiDocument): string => {
  const url = document.servers[0].url;
  const example = exampleOf(document, document.components.schemas.Transaction ?? {}) as Record<string, unknown>;
  const { transaction_id, amount, currency, expires_at } = example;
  const answer = { transaction_id, status: "ready", amount, currency, store: "demo-shop", expires_at };
  return `Three commands, with the credentials of the sandbox (\`npm run backend -- --sandbox\`). **1. A token**, good for 24 hours; keep it, and get another when an answer is 401:

\`\`\`
TOKEN=$(curl -s -u demo-bank%2Fserver-1:bank-secret ${url}/oauth2/token -d grant_type=client_credentials \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
\`\`\`

**2. A withdrawal**, as a bank's server asks for it. The answer is \`ready\`, and its \`transaction_id\` is the barcode:

\`\`\`
curl ${url}/ext/v1/withdrawals -H "Authorization: Bearer $TOKEN" \\
  -H 'Idempotency-Key: first-try' -H 'Content-Type: application/json' \\
  -d '{"user_id":"customer-77","amount":"50.00","currency":"EUR","store":"demo-shop"}'
\`\`\`

${fenced(JSON.stringify(answer, null, 2))}

**3. The terminal's side**: a token of its own, and what the cashier sees after the scan. Then confirm, and link when the cash was handed over:

\`\`\`
TILL=$(curl -s ${url}/oauth2/authorize -H 'Content-Type: application/json' \\
  -d '{"grant_type":"client_credentials","merchant_id":"demo-shop","device_id":"till-1","device_type":"terminal","password":"till-secret","scope":""}' \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl "${url}/transaction?id=TRANSACTION_ID" -H "Authorization: Bearer $TILL"
\`\`\`

The nine calls of the interface come next. \`docs/integrate.md\` in the service's repository leads a bank from here to a settled withdrawal, with signed examples.`;
};

const chaptersOf = (operations: readonly Operation[], document: ApiDocument): readonly Chapter[] => {
  const toBank = bankCalls.map(
    (call) => ({ ...call, method: "post", tag: "Client", scopes: null, toBank: true }) as const,
  );
  const calls: readonly Call[] = [...operations.map((each) => ({ ...each, toBank: false })), ...toBank].flatMap(
    (call) => {
      const described = call.toBank ? document.webhooks[call.id]?.post : document.paths[call.path]?.[call.method];
      return described ? [{ ...call, described }] : [];
    },
  );
  const entries = (chosen: (call: Call) => boolean) => calls.filter(chosen).map((call) => callEntry(document, call));
  const nine = calls.filter(({ section }) => section !== null);
  nine.sort((one, other) => Number(one.section) - Number(other.section));
  const isExtension = ({ section, toBank }: Call) => section === null && !toBank;
  return [
    { id: "begin", title: "Begin", entries: [{ id: "quick-start", title: "Quick start", text: quickStart(document) }] },
    {
      id: "the-nine-calls",
      title: "The nine calls",
      intro: "What the interface specifies, in its order. Two of them the service makes: to the bank's server, signed.",
      entries: nine.map((call) => callEntry(document, call)),
    },
    {
      id: "for-all-calls",
      title: "For all calls",
      entries: [{ id: "conventions", title: "Conventions, errors, statuses", text: document.info.description }],
    },
    {
      id: "interface",
      title: "The interface, call by call",
      intro: interfaceIntro,
      entries: interfaceSections.map(({ section, title, text }) => ({
        id: section === null ? "section-time" : sectionAnchor(section),
        title: section === null ? title : `${section} ${title}`,
        text,
      })),
    },
    { id: "events", title: "Events to a bank", entries: entries(({ section, toBank }) => section === null && toBank) },
    {
      id: "extensions",
      title: "Extensions",
      entries: entries((call) => isExtension(call) && call.tag !== "Operations"),
    },
    { id: "operating", title: "Operating", entries: entries((call) => isExtension(call) && call.tag === "Operations") },
    {
      id: "schemas",
      title: "Schemas",
      entries: Object.entries(document.components.schemas).map(([name, schema]) => ({
        id: `schema-${name}`,
        title: name,
        text: blocks(
          schema.description,
          fieldsTable("Fields", fieldsOf(schema)),
          fenced(JSON.stringify(exampleOf(document, schema), null, 2)),
        ),
      })),
    },
  ];
};

/** Text that is copied from a block has no trailing newline. */
const rendered = (text: string): string => marked.parse(text, { async: false }).replaceAll("\n</code>", "</code>");

const section = ({ id, title, intro = "", entries }: Chapter): string => `<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${rendered(intro)}
${entries.map((entry) => `<article id="${entry.id}">\n<h3>${entry.title}</h3>\n${rendered(entry.text)}</article>`).join("\n")}
</section>`;

const contents = ({ id, title, entries }: Chapter): string => `<section>
<h2><a href="#${id}">${title}</a></h2>
<ul>${entries.map((each) => `<li><a href="#${each.id}">${each.title} <small>${each.badge ?? ""}</small></a></li>`).join("")}</ul>
</section>`;

const pageOf = (operations: readonly Operation[], document: ApiDocument): string => {
  const chapters = chaptersOf(operations, document);
  return `<!doctype html>
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
<nav aria-label="Contents">${chapters.map(contents).join("\n")}</nav>
</aside>
<main id="main">
<h1>Tillcash API reference</h1>
${chapters.map(section).join("\n")}
</main>
<script src="docs/search.js"></script>
</body>
</html>
`;
};

const pageHeaders = {
  ...baseHeaders,
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

let last: { readonly document: string; readonly page: string } | undefined;

/** `GET /docs`. @param document the OpenAPI document as JSON. */
export const docsPage = (operations: readonly Operation[], document: string): Response => {
  if (last?.document !== document) last = { document, page: pageOf(operations, JSON.parse(document)) };
  return new Response(last.page, { headers: pageHeaders });
};

/** The reference's stylesheet: light and dark, one column on phones, no contents in print. */
const style = `:root {
  color-scheme: light dark;
  --soft: light-dark(#47564f, #a9bab3);
  --ground: light-dark(#ffffff, #0c1412);
  --panel: light-dark(#f2f6f5, #16211e);
  --line: light-dark(#d3ddd9, #2c3a35);
  --accent: light-dark(#0b6b53, #5fd3b0);
}
* { box-sizing: border-box; }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr);
  font: 1rem/1.55 system-ui, sans-serif; color: light-dark(#10201c, #e6efec); background: var(--ground);
}
a, .call b, aside small { color: var(--accent); }
aside { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; background: var(--panel); }
aside h2 { margin: 1.2rem 0 .3rem; font-size: .85rem; }
aside ul { margin: 0; padding: 0; list-style: none; }
aside li a { display: flex; gap: .5rem; justify-content: space-between; padding: .35rem .4rem; color: inherit; text-decoration: none; }
aside input { width: 100%; min-height: 2.75rem; font: inherit; }
main { max-width: 62rem; padding: 1rem 2rem 4rem; }
main h2 { margin-top: 3rem; padding-top: 1rem; border-top: 2px solid var(--line); }
article h3 { margin: 2.5rem 0 .3rem; font-size: 1.25rem; }
code { font: .9em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { padding: .8rem 1rem; background: var(--panel); border: 1px solid var(--line); white-space: pre-wrap; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: .93rem; }
th, td { padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--soft); }
th:first-child { width: 30%; }
th:nth-child(2) { width: 16%; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; background: var(--ground); z-index: 1; }
@media (max-width: 52rem) { body { display: block; } aside { position: static; height: auto; } main { padding: 1rem; } }
@media print { body { display: block; } aside { display: none; } }
`;

/**
 * Runs in the browser: shows the sections that contain all search words, and their number; `/` focuses the field. It
 * must be self-contained, since its source text is served as the script.
 */
function search(): void {
  const field = document.querySelector("#search") as HTMLInputElement;
  const status = document.querySelector("#found") as HTMLElement;
  const entries = [...document.querySelectorAll<HTMLElement>("article")].map((entry) => ({
    shown: [entry, document.querySelector<HTMLElement>(`nav li:has(a[href="#${entry.id}"])`)],
    text: (entry.textContent ?? "").toLowerCase(),
  }));
  (document.querySelector("[role=search]") as HTMLElement).hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matches = entries.filter(({ text }) => words.every((word) => text.includes(word)));
    for (const each of entries) for (const part of each.shown) if (part) part.hidden = !matches.includes(each);
    for (const chapter of document.querySelectorAll<HTMLElement>("main > section, nav > section"))
      chapter.hidden = !chapter.querySelector("article:not([hidden]), li:not([hidden])");
    status.textContent = words.length === 0 ? "" : `${matches.length} of ${entries.length}`;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || document.activeElement === field) return;
    event.preventDefault();
    field.focus();
  });
}

const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "reference.css": { type: "text/css; charset=utf-8", text: style },
  "search.js": { type: "text/javascript; charset=utf-8", text: `(${search.toString()})();\n` },
};

/** @throws ServiceError `not_found` for anything but the page's own files. */
export const docsAsset = (name: string): Response => {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new ServiceError("not_found");
  return new Response(file.text, {
    headers: { ...baseHeaders, "Cache-Control": "no-cache", "Content-Type": file.type },
  });
};
