import { IconArrowRight, IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Outcome, ScreenOf } from "../../preload/contract.ts";
import type { Action } from "../ui/action-bar.tsx";
import { amountText, momentText } from "../ui/format.ts";
import { Frame } from "../ui/frame.tsx";
import { toneOf } from "../ui/outcome-sound.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { useSupport } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import { codeFact } from "./facts.ts";

/** Outcomes whose text says: call support. */
const callsSupport: ReadonlySet<Outcome> = new Set(["service_down", "service_refused", "unclear"]);

/** The outcome of a withdrawal, and what to do next. */
export const Ended = ({ screen }: { readonly screen: ScreenOf<"ended"> }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const support = useSupport();
  const nextCustomer: Action = {
    label: t("ended.nextCustomer"),
    icon: <IconArrowRight size={32} stroke={2.4} aria-hidden />,
    command: { type: "dismiss", step: screen.step },
  };
  const retry: Action = {
    label: t("ended.retry"),
    icon: <IconRefresh size={34} stroke={2.4} aria-hidden />,
    command: { type: "retry", step: screen.step },
  };
  const tone = toneOf(screen.outcome);
  const isGiven = tone === "given";
  // Large where the amount must stay in the drawer, or was paid out.
  const isLarge = screen.money !== null && (tone !== "nothing" || screen.outcome === "not_handed_out");
  return (
    <Frame
      tone={tone}
      {...(screen.late ? { bannerText: t("ended.earlier") } : isGiven ? { bannerText: t("cash.givenBefore") } : {})}
      actions={screen.canRetry ? { main: nextCustomer, third: retry } : { main: nextCustomer }}
    >
      <ScreenBody
        money={isLarge ? screen.money : null}
        title={t(`ended.${screen.outcome}.title`)}
        next={t(`ended.${screen.outcome}.next`)}
        facts={[
          ...(screen.money && !isLarge ? [{ name: t("facts.amount"), value: amountText(screen.money, language) }] : []),
          ...(screen.late ? [{ name: t("facts.began"), value: momentText(screen.late, language) }] : []),
          ...(screen.transactionId ? [codeFact(t("facts.code"), screen.transactionId)] : []),
          ...(support && callsSupport.has(screen.outcome) ? [{ name: t("facts.support"), value: support }] : []),
        ]}
      />
    </Frame>
  );
};
