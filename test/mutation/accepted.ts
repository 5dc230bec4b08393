/** Survivors that were read and left, each with the reason; kept in accepted.json for a reviewer. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

const acceptedSchema = z.array(
  z.object({
    file: z.string(),
    mutator: z.string(),
    /** The changed text as it stands in the file. */
    original: z.string(),
    replacement: z.string(),
    reason: z.string().min(20),
  }),
);
/** One survivor and the reason. */
type Accepted = z.infer<typeof acceptedSchema>[number];

/** The whole list. Throws when the file is not what it should be. */
export const readAccepted = (): readonly Accepted[] =>
  acceptedSchema.parse(JSON.parse(readFileSync(path.join(import.meta.dirname, "accepted.json"), "utf8")));

/** A change to a file, without its place: lines move, texts stay. */
export type Change = Omit<Accepted, "reason">;

/** Whether the same change to the same file is on the list. */
export const isAccepted = (accepted: readonly Accepted[], change: Change): boolean =>
  accepted.some(
    (one) =>
      one.file === change.file &&
      one.mutator === change.mutator &&
      one.original === change.original &&
      one.replacement === change.replacement,
  );
