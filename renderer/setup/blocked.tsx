import { IconFiles, IconFolderPlus } from "@tabler/icons-react";
import { t } from "i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { useCommands } from "../ui/terminal.tsx";

/** The terminal cannot work: its journal cannot be opened, or a manager has to decide about another one. */
export const Blocked = ({ screen }: { readonly screen: ScreenOf<"blocked"> }) => {
  const { dispatch } = useCommands();
  if (screen.why !== "other_journal") {
    const which = screen.why === "journal_newer" ? "newer" : "journal";
    return (
      <Frame tone="never">
        <ScreenBody title={t(`blocked.${which}Title`)} next={t(`blocked.${which}Next`)} />
      </Frame>
    );
  }
  const { shops, terminals, open } = screen.found;
  const answer = (choice: "adopt" | "set_aside") => () => void dispatch({ type: "answer_journal_question", choice });
  return (
    <Frame
      tone="setup"
      actions={{
        main: { label: t("blocked.setAside"), icon: IconFolderPlus, run: answer("set_aside") },
        second: {
          label: t("blocked.adopt"),
          icon: IconFiles,
          shortcut: "secondDeliberate",
          run: answer("adopt"),
        },
      }}
    >
      <ScreenBody
        title={t("blocked.otherTitle")}
        next={t("blocked.otherNext")}
        facts={[
          [t("facts.shop"), shops.join(", ")],
          [t("setup.deviceId"), terminals.join(", ")],
          [t("blocked.open"), String(open)],
        ]}
      />
    </Frame>
  );
};

/** The terminal is starting. */
export const Starting = () => (
  <Frame tone="starting">
    <ScreenBody title={t("starting.title")} next={t("starting.next")} aside={<Working />} />
  </Frame>
);
