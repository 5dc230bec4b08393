import type { PersonView } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";

const nobody: readonly PersonView[] = [];

/** Everybody who can sign in here, for the names behind codes; nobody before the first snapshot. */
export const usePeople = (): readonly PersonView[] =>
  useSnapshotStore((store) => store.snapshot?.people.list ?? nobody);
