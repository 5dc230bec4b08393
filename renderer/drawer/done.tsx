import { IconArrowRight } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { codeFact } from "../withdrawal/facts.ts";

/** Says that the cash is with the customer; leaves by itself. */
export const Done = ({ screen }: { readonly screen: ScreenOf<"done"> }) => {
  const { t } = useTranslation();
  return (
    <Frame
      tone="given"
      actions={{
        main: {
          label: t("done.nextCustomer"),
          icon: <IconArrowRight size={36} stroke={2.4} aria-hidden />,
          command: { type: "dismiss", step: screen.step },
        },
      }}
    >
      <ScreenBody
        title={t("done.title")}
        money={screen.money}
        next={t("done.next")}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
    </Frame>
  );
};
