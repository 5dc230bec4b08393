/** The first starts after an update: whether the new version got going, and when to offer the one before. */
import type { UpdateRecord } from "./update-file.ts";
import { withFailed } from "./update-file.ts";

/** Starts that did not get going, before the next one asks. One may be a power cut, or a person who closed at once. */
export const startsBeforeAsking = 2;

/** What a start finds, and the record as it has to be before anything else is begun. */
export interface StartFinding {
  readonly record: UpdateRecord;
  /**
   * `trial`: a first start of a new version. `ask`: it failed before, so the one before is offered. `not_installed`: the
   * installation of `record.failed`'s last came to nothing, and this is still the version from before.
   */
  readonly kind: "usual" | "trial" | "ask" | "not_installed";
}

/** @param version the one that is starting. */
export const atStart = (record: UpdateRecord, version: string): StartFinding => {
  const { attempt } = record;
  if (attempt === null) return { kind: "usual", record };
  if (attempt.to === version) {
    const starts = attempt.starts + 1;
    const kind = starts > startsBeforeAsking ? "ask" : "trial";
    return { kind, record: { ...record, attempt: { ...attempt, starts } } };
  }
  if (attempt.from === version)
    return {
      kind: "not_installed",
      record: { ...record, attempt: null, failed: withFailed(record.failed, attempt.to) },
    };
  // A third version, installed by hand.
  return { kind: "usual", record: { ...record, attempt: null } };
};

/** The new version works: it is no trial any more. */
export const gotGoing = (record: UpdateRecord): UpdateRecord =>
  record.attempt === null ? record : { ...record, attempt: null, installer: record.attempt.next };

/** A person went back: this version is never installed by itself again. */
export const wentBack = (record: UpdateRecord): UpdateRecord =>
  record.attempt === null
    ? record
    : {
        ...record,
        attempt: null,
        installer: record.attempt.previous,
        failed: withFailed(record.failed, record.attempt.to),
      };
