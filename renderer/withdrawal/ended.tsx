/** The screens after a withdrawal: the cash is with the customer, or how it ended otherwise. */
import { IconPrinter, IconRefresh } from "@tabler/icons-react";
import { t } from "i18next";
import type { Outcome, ScreenOf } from "../../preload/contract.ts";
import { toneOf } from "../screen-rules.ts";
import { amountText, momentText } from "../ui/format.ts";
import { useSnapshot, useSupport } from "../ui/snapshot-store.ts";
import { nextCustomerAction, WithdrawalScreen } from "./withdrawal-screen.tsx";

/** Says that the cash is with the customer; leaves by itself. */
export const Done = ({ screen }: { readonly screen: ScreenOf<"done"> }) => {
  const { printer } = useSnapshot().settings;
  const isAsked = printer.kind !== "none" && (printer.receipts === "none" || printer.receipts === "shop");
  return (
    <WithdrawalScreen
      screen={screen}
      tone="given"
      actions={{
        ...(isAsked && {
          third: {
            label: t("printing.customer"),
            icon: IconPrinter,
            command: { type: "print_receipt", withdrawalId: screen.withdrawalId, copy: "customer" },
          },
        }),
        main: nextCustomerAction(t("done.nextCustomer"), screen.step),
      }}
      title={t("done.title")}
      next={t("done.next")}
    />
  );
};

/** Outcomes whose text says: call support. */
const callsSupport: ReadonlySet<Outcome> = new Set(["service_down", "service_refused", "unclear"]);

/** The outcome of a withdrawal, and what to do next. */
export const Ended = ({ screen }: { readonly screen: ScreenOf<"ended"> }) => {
  const support = useSupport();
  const { outcome, money, late, step, drawer, canRetry } = screen;
  const tone = toneOf(outcome);
  // Large where the amount must stay in the drawer, or was paid out.
  const isLarge = money !== null && (tone !== "nothing" || outcome === "not_handed_out");
  const usual = `ended.${outcome}.next` as const;
  return (
    <WithdrawalScreen
      screen={screen}
      tone={tone}
      bannerText={late ? t("ended.earlier") : tone === "given" ? t("cash.givenBefore") : undefined}
      actions={{
        main: nextCustomerAction(t("ended.nextCustomer"), step),
        ...(canRetry && { third: { label: t("ended.retry"), icon: IconRefresh, command: { type: "retry", step } } }),
      }}
      money={isLarge ? money : null}
      title={t(`ended.${outcome}.title`)}
      next={t(drawer === "short" ? "ended.rejected.nextShort" : drawer ? "ended.not_handed_out.nextOpened" : usual)}
      facts={[
        [t("facts.amount"), money && !isLarge ? amountText(money) : null],
        [t("facts.began"), late && momentText(late)],
      ]}
      more={[[t("facts.support"), callsSupport.has(outcome) ? support : null]]}
    />
  );
};
