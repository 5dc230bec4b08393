import { useSnapshotStore } from "../bridge/snapshot-store.ts";

/** The terminal cannot write down what happens: whatever the screen is, no cash may be given. */
export const useJournalFailing = (): boolean =>
  useSnapshotStore((store) => store.snapshot?.header.journalFailing ?? false);
