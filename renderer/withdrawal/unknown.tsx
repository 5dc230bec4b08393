import { IconArrowRight, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { durationText } from "../ui/format.ts";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { useLanguage } from "../ui/use-language.ts";
import { useElapsed } from "../ui/use-remaining.ts";
import { codeFact } from "./facts.ts";

/** The payment is unclear; the terminal keeps checking. */
export const Unknown = ({ screen }: { readonly screen: ScreenOf<"unknown"> }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const elapsedMs = useElapsed(screen.sinceMs);
  const doing = screen.doing === "asking_service" ? t("unknown.asking") : t("unknown.repeating");
  return (
    <Frame
      tone="never"
      actions={{
        third: {
          label: t("unknown.retry"),
          icon: <IconRefresh size={30} stroke={2.4} aria-hidden />,
          command: { type: "retry", step: screen.step },
        },
        main: {
          label: t("unknown.nextCustomer"),
          icon: <IconArrowRight size={36} stroke={2.4} aria-hidden />,
          command: { type: "dismiss", step: screen.step },
        },
      }}
    >
      <ScreenBody
        title={t("unknown.title")}
        money={screen.money}
        next={`${t("unknown.next")} ${doing}`}
        aside={<Working />}
        isAsideSmall
        facts={[
          codeFact(t("facts.code"), screen.transactionId),
          {
            name: t("unknown.since"),
            value: durationText(elapsedMs, language),
          },
        ]}
      />
    </Frame>
  );
};
