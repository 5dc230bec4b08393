/** The screens after a withdrawal: the cash is with the customer, or how it ended otherwise. */

import { IconPrinter, IconRefresh } from "@tabler/icons-react";
import { t } from "i18next";
import type { Outcome, ScreenOf, Settings } from "../../preload/contract.ts";
import { toneOf } from "../screen-rules.ts";
import { amountText, momentText } from "../ui/format.ts";
import { useSupport } from "../ui/snapshot-store.ts";
import { nextCustomerAction, WithdrawalScreen } from "./withdrawal-screen.tsx";

/** Says that the cash is with the customer; leaves by itself. */
export const Done = ({ screen, printer }: Readonly<{ screen: ScreenOf<"done">; printer: Settings["printer"] }>) => {
  const isAsked = printer.kind !== "none" && (printer.receipts === "none" || printer.receipts === "shop");
  return (
    <WithdrawalScreen
      tone="given"
      actions={{
        ...(isAsked && {
          third: {
            label: t("printing.customer"),
            icon: <IconPrinter size={28} stroke={2.2} aria-hidden />,
            command: { type: "print_receipt", withdrawalId: screen.withdrawalId, copy: "customer" },
          },
        }),
        main: nextCustomerAction(t("done.nextCustomer"), screen.step),
      }}
      title={t("done.title")}
      money={screen.money}
      next={t("done.next")}
      transactionId={screen.transactionId}
    />
  );
};

/** Outcomes whose text says: call support. */
const callsSupport: ReadonlySet<Outcome> = new Set(["service_down", "service_refused", "unclear"]);

/** The outcome of a withdrawal, and what to do next. */
export const Ended = ({ screen }: { readonly screen: ScreenOf<"ended"> }) => {
  const support = useSupport();
  const { outcome, money, late, step, drawer } = screen;
  const tone = toneOf(outcome);
  // Large where the amount must stay in the drawer, or was paid out.
  const isLarge = money !== null && (tone !== "nothing" || outcome === "not_handed_out");
  return (
    <WithdrawalScreen
      tone={tone}
      bannerText={late ? t("ended.earlier") : tone === "given" ? t("cash.givenBefore") : undefined}
      actions={{
        main: nextCustomerAction(t("ended.nextCustomer"), step),
        ...(screen.canRetry && {
          third: {
            label: t("ended.retry"),
            icon: <IconRefresh size={34} stroke={2.4} aria-hidden />,
            command: { type: "retry", step },
          },
        }),
      }}
      money={isLarge ? money : null}
      title={t(`ended.${outcome}.title`)}
      next={t(
        drawer === "short"
          ? "ended.rejected.nextShort"
          : drawer === "opened"
            ? "ended.not_handed_out.nextOpened"
            : `ended.${outcome}.next`,
      )}
      facts={[
        ...(money && !isLarge ? [{ name: t("facts.amount"), value: amountText(money) }] : []),
        ...(late ? [{ name: t("facts.began"), value: momentText(late) }] : []),
      ]}
      transactionId={screen.transactionId}
      more={support && callsSupport.has(outcome) ? [{ name: t("facts.support"), value: support }] : []}
    />
  );
};
