/** Runs a schema over what came in and turns what is wrong into `errors: [{path, message}]`. */
import type { z } from "zod";
import { ServiceError } from "../service-error.ts";

const errorsMax = 20;

/** @throws ServiceError `validation_failed`. */
export const validate = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, errorsMax)
    .map(({ path, message }) => ({ path: path.map(String).join("."), message }));
  throw new ServiceError("validation_failed", undefined, { errors });
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
