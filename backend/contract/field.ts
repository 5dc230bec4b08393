import type { z } from "zod";

/**
 * A field with what the API reference says of it.
 * @param description one or two plain sentences; backticks around words of the wire.
 * @param example a value that the schema takes.
 */
export const field = <Schema extends z.ZodType>(schema: Schema, description: string, example: unknown): Schema =>
  schema.meta({ ...schema.meta(), description, example });
