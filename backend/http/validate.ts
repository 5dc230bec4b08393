/** Runs a schema over what came in and turns what is wrong into `errors: [{path, message}]`. */
import type { z } from "zod";
import { ServiceError } from "../service-error.ts";

const errorsMax = 20;

/** @throws ServiceError `validation_failed`. */
export const validate = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, errorsMax)
    .map((issue) => ({ path: issue.path.map(String).join("."), message: sentenceOf(issue) }));
  throw new ServiceError("validation_failed", undefined, { errors });
};

const typeNames: Readonly<Record<string, string>> = { object: "an object", array: "a list", int: "a whole number" };
const named = (type: string): string => typeNames[type] ?? `a ${type}`;

const isNumber = (origin: string): boolean => ["number", "int", "bigint"].includes(origin);
const unitOf = ({ origin }: { readonly origin: string }): string => (origin === "string" ? " characters" : "");

/** What is wrong with a field, as the end of a sentence that begins with its name; our own words where a schema has them. */
const sentenceOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${named(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return isNumber(issue.origin)
        ? `must be at most ${issue.maximum}`
        : `must have at most ${issue.maximum}${unitOf(issue)}`;
    case "too_small":
      if (isNumber(issue.origin)) return `must be at least ${issue.minimum}`;
      return Number(issue.minimum) === 1 && issue.origin === "string"
        ? "must not be empty"
        : `must have at least ${issue.minimum}${unitOf(issue)}`;
    case "invalid_format":
      return issue.message.startsWith("Invalid") ? "is not in the form that the reference describes" : issue.message;
    default:
      return issue.message;
  }
};

/**
 * The parameters of an address, each at most once.
 * @throws ServiceError `validation_failed` for one that is there twice: two readers could take either.
 */
export const queryOf = (url: string): Record<string, string> => {
  const values: Record<string, string> = {};
  const start = url.indexOf("?");
  if (start < 0) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (Object.hasOwn(values, name))
      throw new ServiceError("validation_failed", undefined, {
        errors: [{ path: name.slice(0, 64), message: "must be given once" }],
      });
    if (name !== "__proto__") values[name] = value;
  }
  return values;
};
