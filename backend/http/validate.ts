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

/** @throws ServiceError `validation_failed` for a parameter that is there twice: two readers could take either. */
export const singleValues = (queries: Readonly<Record<string, string[]>>): Record<string, string> => {
  const single: Record<string, string> = {};
  for (const [name, values] of Object.entries(queries)) {
    const [value, another] = values;
    if (another !== undefined)
      throw new ServiceError("validation_failed", undefined, {
        errors: [{ path: name.slice(0, 64), message: "must be given once" }],
      });
    if (value !== undefined && name !== "__proto__") single[name] = value;
  }
  return single;
};
