import type { Language, Snapshot } from "../../preload/contract.ts";
import { systemLanguage } from "../texts/index.ts";
import { useSnapshotStore } from "./snapshot-store.ts";

/** The language of the person who is signed in, the manager's before the cashier's; else the terminal's. */
export const languageOf = ({ people, settings }: Pick<Snapshot, "people" | "settings">): Language =>
  (people.manager ?? people.cashier)?.language ?? settings.language;

/** The language of the screens, for numbers and times; texts come from `useTranslation`. */
export const useLanguage = (): Language =>
  useSnapshotStore(({ snapshot }) => (snapshot === null ? systemLanguage() : languageOf(snapshot)));
