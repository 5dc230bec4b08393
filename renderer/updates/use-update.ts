import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { UpdateStatus } from "../../preload/contract.ts";
import { useSnapshotStore } from "../bridge/snapshot-store.ts";
import { useCommands } from "../ui/command-context.tsx";

/** How far updates are; null where this program takes none. */
export const useUpdate = (): UpdateStatus | null => useSnapshotStore((store) => store.snapshot?.header.update ?? null);

/** What an update is at, in sentences; null where this program takes none. */
export const useUpdateText = (): string | null => {
  const { t } = useTranslation();
  const update = useUpdate();
  const window = useSnapshotStore((store) => store.snapshot?.settings.updates.window ?? null);
  if (update === null) return null;
  const { progress } = update;
  switch (progress.kind) {
    case "off":
      return t("updates.off");
    case "idle":
      if (progress.trouble !== null) return t(`updates.troubles.${progress.trouble}`);
      return t(progress.lookedAt === null ? "updates.never" : "updates.newest");
    case "looking":
      return t("updates.looking");
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

/** What became of the last press. */
export type UpdateAnswer = "none" | "sent" | "busy" | "failed";

/** Sends a manager's press and keeps what became of it. */
export const useUpdateActions = () => {
  const commands = useCommands();
  const [answer, setAnswer] = useState<UpdateAnswer>("none");
  const send = async (command: Parameters<typeof commands.dispatch>[0]): Promise<void> => {
    setAnswer("sent");
    const reply = await commands.dispatch(command);
    setAnswer(reply.ok ? "none" : reply.code === "busy" ? "busy" : "failed");
  };
  return {
    answer,
    look: () => void send({ type: "look_for_update" }),
    install: (version: string) => void send({ type: "install_update", version }),
  };
};
