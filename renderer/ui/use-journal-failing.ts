import { useMirror } from "../snapshot-store.ts";

/** The till cannot write down what happens: whatever the screen is, no cash may be given. */
export const useJournalFailing = (): boolean => useMirror((mirror) => mirror.snapshot?.header.journalFailing ?? false);
