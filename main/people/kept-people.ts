/** The people of a terminal in memory, as their file has them: a change that cannot be written is not made. */
import type { KeptPeople, People, PeopleFile, Person } from "./people-file.ts";

const none: People = { nextNumber: 1, people: [] };

/** Reads the file once; from then on this is what counts. @param areStrangers whether a list that is there does not count. */
export const openKeptPeople = (file: PeopleFile, areStrangers: () => boolean) => {
  let kept = file.load();
  const kind = (): KeptPeople["kind"] => (kept.kind === "kept" && areStrangers() ? "none" : kept.kind);
  const people = (): People => (kept.kind === "kept" && !areStrangers() ? kept.people : none);
  /** False when it cannot be written; then nothing has changed. */
  const keep = (next: People): boolean => {
    try {
      file.save(next);
    } catch {
      return false;
    }
    kept = { kind: "kept", people: next };
    return true;
  };
  return {
    kind,
    people,
    keep,
    find: (code: string): Person | null => people().people.find((one) => one.code === code) ?? null,
    replace: (person: Person): boolean =>
      keep({ ...people(), people: people().people.map((one) => (one.code === person.code ? person : one)) }),
    isLastManager: (code: string): boolean =>
      !people().people.some((one) => one.role === "manager" && one.code !== code),
  };
};
