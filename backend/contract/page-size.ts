import { z } from "zod";

/**
 * A `limit` in a query.
 * @param most the largest that is taken; `usual` when the caller names none.
 */
export const pageSize = (description: string, most: number, usual: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, `must be a whole number from 1 to ${most}`)
    .transform(Number)
    .pipe(z.number().min(1).max(most))
    .default(usual)
    .meta({ description, type: "integer", minimum: 1, maximum: most, default: usual, example: usual });
