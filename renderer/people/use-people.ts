import { useTranslation } from "react-i18next";
import { counterCode } from "../../preload/choices.ts";
import type { PersonView } from "../../preload/contract.ts";
import { useSnapshotStore } from "../ui/snapshot-store.ts";

const noPeople: readonly PersonView[] = [];

/** Everybody who can sign in here, for the names behind codes; empty before the first snapshot. */
export const usePeople = (): readonly PersonView[] =>
  useSnapshotStore((store) => store.snapshot?.people.list ?? noPeople);

/** Turns a code into "Ida (M1)"; somebody who has gone stays a code, and where noPeople signs in it was the counter. */
export const usePersonName = (): ((code: string) => string) => {
  const { t } = useTranslation();
  const people = usePeople();
  return (code) => {
    const name = people.find((person) => person.code === code)?.name;
    if (name !== undefined) return `${name} (${code})`;
    return code === counterCode ? t("story.actors.counter") : code;
  };
};
