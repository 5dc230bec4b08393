import { IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { codeFact } from "./facts.ts";

/** The code is looked up at the service. */
export const LookingUp = ({ screen }: { readonly screen: ScreenOf<"looking_up"> }) => {
  const { t } = useTranslation();
  return (
    <Frame
      tone="notYet"
      actions={{
        second: {
          label: t("lookingUp.cancel"),
          icon: <IconX size={30} stroke={2.4} aria-hidden />,
          command: { type: "dismiss", step: screen.step },
        },
      }}
    >
      <ScreenBody
        title={t("lookingUp.title")}
        next={t("lookingUp.next")}
        aside={<Working />}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
    </Frame>
  );
};
