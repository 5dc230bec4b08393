/** What the reference reads of the OpenAPI document. */

/** A JSON Schema of the OpenAPI document; either a `$ref` alone or the keywords that the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** An example of a body, by a name of its own. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

/** What a body may be, by media type. */
export type Content = Readonly<
  Record<string, { readonly schema: Schema; readonly examples?: Readonly<Record<string, Example>> }>
>;

/** One parameter of a call; `required` is false when absent. */
export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

/** One call, as `http/openapi.ts` describes it; `responses` is keyed by the HTTP status. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly "x-extension": boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

/** By method; each path and each webhook of ours has its own operations. */
export type Item = Readonly<Record<string, DocumentedOperation>>;

/**
 * The parts of OpenAPI 3.1 that the reference reads; paths and webhooks by their path, operations by the lower-case
 * method.
 */
export interface ApiDocument {
  readonly info: { readonly version: string; readonly description: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly paths: Readonly<Record<string, Item>>;
  readonly webhooks: Readonly<Record<string, Item>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: { readonly signature: { readonly description: string } };
  };
}

/** `#/components/schemas/Transaction` → `Transaction`. */
export const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf("/") + 1);

/** The schema itself, or the one that its `$ref` names among the components; one that is not there has no keywords. */
export const resolve = (document: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {});

/** The examples of a body; one put together from its schema where it has none of its own. */
export const examplesOf = (document: ApiDocument, { schema, examples }: Content[string]): readonly Example[] =>
  examples === undefined ? [{ summary: "", value: exampleOf(document, schema) }] : Object.values(examples);

/** A value that the schema takes, put together from the examples of its fields. */
export const exampleOf = (document: ApiDocument, schema: Schema): unknown => {
  const whole = resolve(document, schema);
  if (whole.example !== undefined) return whole.example;
  if (whole.properties) {
    const fields = Object.entries(whole.properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field)]));
  }
  return whole.items ? [exampleOf(document, whole.items)] : {};
};
