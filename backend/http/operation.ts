/** Defines calls of the API. The same object validates, routes and documents. */
import type { z } from "zod";
import type { Session } from "../access/credentials.ts";
import type { ErrorCode } from "../contract/errors.ts";
import type { Scope } from "../contract/scopes.ts";
import type { App } from "./app-context.ts";
import type { ErrorShape } from "./problem.ts";
import type { HttpContext } from "./request.ts";

/** A handler's input: everything parsed, `session` checked against the operation's `scopes`. */
export interface Call<Body, Query, Params, Headers> {
  readonly app: App;
  readonly context: HttpContext;
  readonly requestId: string;
  readonly session: Session;
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly headers: Headers;
}

interface ReplyDocument<Answer> {
  readonly description: string;
  /** Schema by media type; a string schema for text. */
  readonly content: Readonly<Record<string, { readonly schema: z.ZodType<Answer> }>>;
}

/** One call of the API: its schemas validate, document and type it. */
export interface Operation<Body = unknown, Query = unknown, Params = unknown, Headers = unknown, Answer = unknown> {
  readonly id: string;
  readonly method: "get" | "post";
  /** In OpenAPI's form: `/ext/v1/withdrawals/{id}/sca`. */
  readonly path: string;
  readonly tag: "Point of sale" | "Client" | "Extension" | "Operations";
  /** The section of the interface specification; `null` for an extension of ours. */
  readonly section: string | null;
  readonly summary: string;
  readonly description: string;
  /** Conventions where the specification is silent, marked as such in the document. */
  readonly conventions: readonly string[];
  /** One of these is enough; `null`: no token needed. */
  readonly scopes: readonly Scope[] | null;
  readonly errorShape: ErrorShape;
  readonly body?: z.ZodType<Body>;
  /** `application/x-www-form-urlencoded`: beside JSON (undocumented, for OAuth clients), or instead of it. */
  readonly takesForms?: "too" | "only";
  /** The answer is streamed: it is counted and logged when its body ends, as a 500 where it breaks off. */
  readonly streams?: true;
  /** The caller may authenticate by HTTP Basic, as OAuth clients do. */
  readonly takesBasic?: true;
  readonly query?: z.ZodType<Query>;
  readonly params?: z.ZodType<Params>;
  readonly headers?: z.ZodType<Headers>;
  /** The success answer by its status. */
  readonly replies: { readonly 200: ReplyDocument<Answer> } | { readonly 201: ReplyDocument<Answer> };
  /** Errors beyond those common to calls with a body, a token or fields. */
  readonly errors: readonly ErrorCode[];
  /** @returns the body of the answer; one that streams or sends no JSON answers with a Response of its own. */
  handle(call: Call<Body, Query, Params, Headers>): Response | NoInfer<Answer> | Promise<Response | NoInfer<Answer>>;
}

/** Defaults, as most of our extensions have them. */
const usual = { section: null, conventions: [], errors: [], errorShape: "problem" } as const;
type Usual = keyof typeof usual;

/**
 * Defines an operation, whose schemas give the handler its types. Defaults: an extension with errors of RFC 9457.
 * `scopes` is always required.
 */
export const operation = <Body, Query, Params, Headers, Answer>(
  definition: Omit<Operation<Body, Query, Params, Headers, Answer>, Usual> & Partial<Pick<Operation, Usual>>,
): Operation => ({ ...usual, ...definition }) as unknown as Operation;

/** Documents a JSON answer. */
export const json = <Answer>(description: string, schema: z.ZodType<Answer>): ReplyDocument<Answer> => ({
  description,
  content: { "application/json": { schema } },
});
