import type { ShopProfile } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";

/** What the service says about the shop; null while it did not. */
export const useProfile = (): ShopProfile | null => useSnapshotStore((store) => store.snapshot?.header.profile ?? null);

/** Whom to call, in one line; null when the service names nobody. */
export const useSupport = (): string | null => {
  const support = useProfile()?.support;
  const parts = [support?.text, support?.phone].filter((part) => part != null);
  return parts.length === 0 ? null : parts.join(", ");
};
