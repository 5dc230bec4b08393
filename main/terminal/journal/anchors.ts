/** The links that the service was given, compared with the journal: what was cut, rewritten or restored from an older copy shows. */
import { z } from "zod";

const headsSchema = z.object({ heads: z.array(z.object({ seq: z.int().min(1), head: z.string() })) });

/** Links that the service has and this journal has not, or has otherwise. */
export interface AnchorCheck {
  readonly compared: number;
  readonly missing: readonly number[];
  readonly different: readonly number[];
}

/**
 * @param body the service's answer to `GET /ext/v1/journal-heads`.
 * @param linkOf the hash of an entry as the journal keeps it; null when it has none.
 * @returns null when the answer holds no links: another server's, or an error.
 */
export const compareAnchors = (body: unknown, linkOf: (sequence: number) => string | null): AnchorCheck | null => {
  const parsed = headsSchema.safeParse(body);
  if (!parsed.success) return null;
  const missing: number[] = [];
  const different: number[] = [];
  for (const { seq, head } of parsed.data.heads) {
    const own = linkOf(seq);
    if (own === null) missing.push(seq);
    else if (own !== head) different.push(seq);
  }
  const inOrder = (one: number, other: number): number => one - other;
  return {
    compared: parsed.data.heads.length,
    missing: missing.sort(inOrder),
    different: different.sort(inOrder),
  };
};
