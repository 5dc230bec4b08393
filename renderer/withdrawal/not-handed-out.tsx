import { useTranslation } from "react-i18next";
import { undeliveredReasons } from "../../backend/contract/undelivered-reasons.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Dialog, DialogChoice } from "../ui/dialog.tsx";

interface NotHandedOutProps {
  readonly step: string;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Asks for the reason: the second, deliberate press before a payment is declared due back. */
export const NotHandedOut = ({ step, opened, close }: NotHandedOutProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  return (
    <Dialog opened={opened} close={close} title={t("notHandedOut.title")} closeLabel={t("notHandedOut.back")}>
      <p>{t("notHandedOut.next")}</p>
      {undeliveredReasons.map((reason) => (
        <DialogChoice
          key={reason}
          choose={(press) => {
            commands.send(press, { type: "not_handed_out", step, reason });
            close();
          }}
        >
          {t(`notHandedOut.${reason}`)}
        </DialogChoice>
      ))}
    </Dialog>
  );
};
