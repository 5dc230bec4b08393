/** The one screen that offers cash. It exists only when the service has said `settled`. */
import { IconCash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../screen-of.ts";
import { Frame } from "../ui/frame.tsx";
import { Moment } from "../ui/moment.tsx";
import { codeFact } from "../withdrawal/facts.ts";
import { NotHandedOut } from "./not-handed-out.tsx";

interface PayableProps {
  readonly screen: ScreenOf<"payable">;
  /** No drawer is connected: OK opens nothing, it says that the cash was handed over. */
  readonly byHand: boolean;
}

export const Payable = ({ screen, byHand }: PayableProps) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const words = screen.handOutBegun ? "begun" : screen.recovered ? "recovered" : null;
  return (
    <Frame
      // Green would say "give" where the cash may be given already.
      verdict={screen.handOutBegun ? "ask" : "give"}
      actions={{
        second: { label: t("payable.notHandedOut"), keys: ["F8"], run: () => setAsking(true) },
        main: {
          label: byHand ? t("payable.okByHand") : t("payable.ok"),
          icon: <IconCash size={40} stroke={2.2} aria-hidden />,
          keys: ["Enter", "F9"],
          command: { type: "hand_out", step: screen.step },
        },
      }}
    >
      <Moment
        title={words ? t(`payable.${words}Title`) : t("payable.title")}
        money={screen.money}
        next={t(`payable.${words ?? (byHand ? "byHand" : "plain")}Next`)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
      <NotHandedOut step={screen.step} opened={isAsking} close={() => setAsking(false)} />
    </Frame>
  );
};
