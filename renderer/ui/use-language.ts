import { useMirror } from "../snapshot-store.ts";

/** The till's language, for numbers and times; texts come from `useTranslation`. */
export const useLanguage = (): "en" | "de" =>
  useMirror((mirror) => mirror.snapshot?.settings.language ?? (navigator.language.startsWith("de") ? "de" : "en"));
