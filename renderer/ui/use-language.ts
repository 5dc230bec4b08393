import type { Language } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { systemLanguage } from "../locales/index.ts";

/** The terminal's language, for numbers and times; texts come from `useTranslation`. */
export const useLanguage = (): Language =>
  useSnapshotStore((store) => store.snapshot?.settings.language ?? systemLanguage());
