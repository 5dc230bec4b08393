import type { ShopProfile } from "../../preload/contract.ts";
import { useSnapshotStore } from "./snapshot-store.ts";

/** The service's profile of the shop; null until it was received. */
export const useProfile = (): ShopProfile | null => useSnapshotStore((store) => store.snapshot?.header.profile ?? null);

/** The support contact in one line; null when the service names none. */
export const useSupport = (): string | null => {
  const support = useProfile()?.support;
  const parts = [support?.text, support?.phone].filter((part) => part != null);
  return parts.length === 0 ? null : parts.join(", ");
};
