import { t } from "i18next";
import type { UpdateStatus } from "../../preload/contract.ts";
import { useSnapshotStore } from "./terminal.tsx";

/** The status of updates; null where this program takes none. */
export const useUpdate = (): UpdateStatus | null => useSnapshotStore((store) => store.snapshot?.header.update ?? null);

/** The status of updates as text; null where this program takes none. */
export const useUpdateText = (): string | null => {
  const update = useUpdate();
  const window = useSnapshotStore((store) => store.snapshot?.settings.updates.window ?? null);
  if (update === null) return null;
  const { progress } = update;
  switch (progress.kind) {
    case "off":
      return t("updates.off");
    case "idle":
      if (progress.trouble !== null) return t(`updates.troubles.${progress.trouble}`);
      return t(progress.checkedAt === null ? "updates.never" : "updates.newest");
    case "checking":
      return t("updates.checking");
    case "downloading":
    case "installing":
      return t(`updates.${progress.kind}`, { ...progress });
    case "ready":
      return [
        t("updates.ready", { version: progress.version }),
        progress.failedBefore && t("updates.failedBefore"),
        progress.waitsFor !== null && t(`updates.waits.${progress.waitsFor}`, { ...window }),
      ]
        .filter(Boolean)
        .join(" ");
  }
};
