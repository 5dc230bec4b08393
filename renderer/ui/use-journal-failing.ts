import { useSnapshotStore } from "./snapshot-store.ts";

/** Whether the journal cannot be written: no cash may be given then, whatever the screen is. */
export const useJournalFailing = (): boolean =>
  useSnapshotStore((store) => store.snapshot?.header.journalFailing ?? false);
