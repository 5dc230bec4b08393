/** The fields of a schema as a table. */
import { html } from "hono/html";
import { nameOf, type Schema } from "./document.ts";
import { line, type Markup } from "./markup.ts";

interface Row {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
}

const typeOf = (schema: Schema): Markup => {
  if (schema.$ref !== undefined) return html`<a href="#schema-${nameOf(schema.$ref)}">${nameOf(schema.$ref)}</a>`;
  if (schema.items?.$ref !== undefined) return html`list of ${typeOf(schema.items)}`;
  if (schema.items !== undefined) return html`list`;
  return html`${[schema.type ?? "any"].flat().join(" or ")}`;
};

const boundsOf = ({ minimum, maximum, minLength, maxLength, pattern, enum: values }: Schema): readonly Markup[] => [
  ...(values ? [html`one of ${values.map((value, at) => html`${at === 0 ? "" : ", "}<code>${value}</code>`)}`] : []),
  ...(minimum === undefined ? [] : [html`from ${minimum}`]),
  ...(maximum === undefined ? [] : [html`to ${maximum}`]),
  ...(minLength === undefined ? [] : [html`at least ${minLength} characters`]),
  ...(maxLength === undefined ? [] : [html`at most ${maxLength} characters`]),
  ...(pattern === undefined ? [] : [html`matches <code>${pattern}</code>`]),
];

/** The fields of objects that have no name of their own follow theirs, with points between the levels. */
const rowsOf = (schema: Schema, prefix = ""): readonly Row[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    { name: prefix + name, schema: field, required: schema.required?.includes(name) ?? false },
    ...rowsOf(field, `${prefix}${name}.`),
    ...(field.items?.properties ? rowsOf(field.items, `${prefix}${name}[].`) : []),
  ]);

const tableRow = ({ name, schema, required }: Row): Markup => html`<tr>
<th scope="row"><code>${name}</code></th>
<td>${typeOf(schema)}${required ? "" : ", optional"}</td>
<td>${line(schema.description ?? "")} ${boundsOf(schema).map((bound) => html`<small>${bound}</small> `)}</td>
</tr>`;

const table = (caption: string, rows: readonly Row[]): Markup => html`<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>${rows.map(tableRow)}</tbody>
</table>`;

/** A table with a row a field: name, type, meaning and bounds; nested ones with a dotted name. */
export const fieldsTable = (caption: string, schema: Schema): Markup => table(caption, rowsOf(schema));

/** For what is no field of a body: parameters of the address and headers. */
export const namedTable = (caption: string, rows: readonly Row[]): Markup => table(caption, rows);
