/** The first starts after an update: whether the new version works, and when to offer the rollback. */
import type { UpdateRecord } from "./update-file.ts";
import { withFailed } from "./update-file.ts";

/** Failed starts after which the next one offers the rollback. One may be a power cut, or a person who closed at once. */
export const startsBeforeAsking = 2;

/** What a start finds, and the record to save before anything else begins. */
export interface StartFinding {
  readonly record: UpdateRecord;
  /**
   * `trial`: a first start of a new version. `ask`: it failed before, so the rollback is offered. `not_installed`: the
   * installation of the last version in `record.failed` failed, and this is still the version from before.
   */
  readonly kind: "usual" | "trial" | "ask" | "not_installed";
}

/** Counts this start and classifies it. @param version the one that is starting. */
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

/** The new version works: its trial is over. */
export const withTrialPassed = (record: UpdateRecord): UpdateRecord =>
  record.attempt === null ? record : { ...record, attempt: null, installer: record.attempt.next };

/** A person chose the rollback: this version never installs by itself again. */
export const withRolledBack = (record: UpdateRecord): UpdateRecord =>
  record.attempt === null
    ? record
    : {
        ...record,
        attempt: null,
        installer: record.attempt.previous,
        failed: withFailed(record.failed, record.attempt.to),
      };
