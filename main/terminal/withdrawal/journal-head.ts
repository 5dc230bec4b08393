/** The links that the service was given, compared with the journal: what was cut, rewritten or restored from an older copy shows. */
import { z } from "zod";
import type { JournalHealth } from "../../../preload/contract.ts";
import type { Journal, JournalHead } from "../ports.ts";
import type { JournalFork, ServiceHead } from "./state.ts";

const headsSchema = z.object({ heads: z.array(z.object({ seq: z.int().min(1), head: z.string() })) });

/** Links that the service has and this journal has not, or has otherwise. */
export type AnchorCheck = NonNullable<JournalHealth["anchors"]>;

/** @param body of `GET /ext/v1/journal-heads`. @returns null where it holds no links: another server's, or an error. */
export const compareAnchors = (body: unknown, linkOf: (sequence: number) => string | null): AnchorCheck | null => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const links = heads.map(({ seq, head }) => ({ seq, head, own: linkOf(seq) })).sort((a, b) => a.seq - b.seq);
  return {
    compared: heads.length,
    missing: links.filter(({ own }) => own === null).map(({ seq }) => seq),
    different: links.filter(({ own, head }) => own !== null && own !== head).map(({ seq }) => seq),
  };
};

/** The newest of them; null where the answer holds no links: another server's, or an error. */
export const newestAnchor = (body: unknown): ServiceHead | null => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const [newest] = heads;
  return newest === undefined ? { kind: "compared" } : { kind: "known", sequence: newest.seq, hash: newest.head };
};

/**
 * The newest link of the journal; where the journal holds another one than the service at the service's number, that one: a copy
 * that was put back and went on would pass for a continuation, and the service refuses this one.
 */
export const linkToReport = (
  journal: Pick<Journal, "head" | "readSlice">,
  serviceHead: ServiceHead,
): JournalHead | null => {
  if (serviceHead.kind === "known") {
    const { last } = journal.readSlice(serviceHead.sequence, 1);
    // A number that is missing before the end shows in the chain itself.
    if (last?.sequence === serviceHead.sequence && last.hash !== serviceHead.hash) return last;
  }
  return journal.head();
};

/** Stands for the journal itself where problems are named by a withdrawal. */
export const journalProblemId = "journal";

/** Said no more, as long as the service holds what it held. */
export const forkAcknowledged = (fork: JournalFork): JournalFork => ({
  kind: "acknowledged",
  serviceHash: fork.kind === "none" ? undefined : fork.serviceHash,
});
