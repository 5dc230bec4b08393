import { IconFiles, IconFolderPlus } from "@tabler/icons-react";
import { t } from "i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";

const iconProps = { size: 36, stroke: 2, "aria-hidden": true } as const;

/** The terminal cannot work: its journal cannot be opened, or a manager has to decide about another one. */
export const Blocked = ({ screen }: { readonly screen: ScreenOf<"blocked"> }) => {
  const commands = useCommands();
  if (screen.why !== "other_journal") {
    const isNewer = screen.why === "journal_newer";
    return (
      <Frame tone="never">
        <ScreenBody
          title={isNewer ? t("blocked.newerTitle") : t("blocked.journalTitle")}
          next={isNewer ? t("blocked.newerNext") : t("blocked.journalNext")}
        />
      </Frame>
    );
  }
  const { shops, terminals, open } = screen.found;
  const answer = (choice: "adopt" | "set_aside") => () =>
    void commands.dispatch({ type: "answer_journal_question", choice });
  return (
    <Frame
      tone="setup"
      actions={{
        main: {
          label: t("blocked.setAside"),
          icon: <IconFolderPlus {...iconProps} />,
          shortcut: "main",
          run: answer("set_aside"),
        },
        second: {
          label: t("blocked.adopt"),
          icon: <IconFiles {...iconProps} />,
          shortcut: "secondDeliberate",
          run: answer("adopt"),
        },
      }}
    >
      <ScreenBody
        title={t("blocked.otherTitle")}
        next={t("blocked.otherNext")}
        facts={[
          { name: t("facts.shop"), value: shops.join(", ") },
          { name: t("setup.deviceId"), value: terminals.join(", ") },
          { name: t("blocked.open"), value: String(open) },
        ]}
      />
    </Frame>
  );
};

/** The terminal is starting. */
export const Starting = () => {
  return (
    <Frame tone="starting">
      <ScreenBody title={t("starting.title")} next={t("starting.next")} aside={<Working />} />
    </Frame>
  );
};
