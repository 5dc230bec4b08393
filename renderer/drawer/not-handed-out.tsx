import { useTranslation } from "react-i18next";
import type { Command } from "../../preload/contract.ts";
import { useDesk } from "../ui/command-context.tsx";
import { Dialog, DialogChoice } from "../ui/dialog.tsx";

type Reason = Extract<Command, { type: "not_handed_out" }>["reason"];

const reasons: readonly Reason[] = ["till_short", "customer_left", "drawer_failed", "other"];

interface NotHandedOutProps {
  readonly step: string;
  readonly opened: boolean;
  readonly close: () => void;
}

/** Asks for the reason: the second, deliberate press before a payment is declared due back. */
export const NotHandedOut = ({ step, opened, close }: NotHandedOutProps) => {
  const { t } = useTranslation();
  const desk = useDesk();
  return (
    <Dialog opened={opened} close={close} title={t("notHandedOut.title")} closeLabel={t("notHandedOut.back")}>
      <p>{t("notHandedOut.next")}</p>
      {reasons.map((reason) => (
        <DialogChoice
          key={reason}
          choose={(press) => {
            desk.send(press, { type: "not_handed_out", step, reason });
            close();
          }}
        >
          {t(`notHandedOut.${reason}`)}
        </DialogChoice>
      ))}
    </Dialog>
  );
};
