import { IconCheck, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { amountText, durationText } from "../ui/format.ts";
import { useElapsed, useRemaining } from "../ui/use-remaining.ts";
import { useCashTiles } from "./cash-tiles.tsx";
import { WithdrawalScreen } from "./withdrawal-screen.tsx";

/** The expiry is shown only in the last two minutes. */
const expirySoonMs = 120_000;

/** Shows the amount; the cashier confirms or rejects. What the drawer cannot pay is said instead of asking about the amount. */
export const Review = ({ screen }: { readonly screen: ScreenOf<"review"> }) => {
  const { step, money, drawer, missing, shop, orderedMsAgo, expires } = screen;
  const remainingMs = useRemaining(expires);
  const ageMs = useElapsed(orderedMsAgo ?? 0);
  const next = (): string => {
    const short = missing && t("day.missing", { sum: amountText({ ...money, amount: missing }) });
    if (drawer === "short") return [short, t("day.short")].filter(Boolean).join(" ");
    if (drawer === "no_day") return t("refusals.no_day");
    if (expires === null || remainingMs >= expirySoonMs) return t("review.next");
    return remainingMs > 0 ? t("review.expires", { time: durationText(remainingMs) }) : t("review.expired");
  };
  return (
    <WithdrawalScreen
      screen={screen}
      tone="notYet"
      actions={{
        // Esc closes dialogs; here it would reject a customer who waits.
        second: {
          label: t("review.reject"),
          icon: IconX,
          shortcut: "secondDeliberate",
          command: { type: "reject", step },
        },
        main: {
          label: t("review.confirm"),
          icon: IconCheck,
          enabled: drawer === "ok" || drawer === "no_notes",
          // Once it is paid, the cash must be handed out.
          isPlain: drawer === "no_notes",
          command: { type: "confirm", step },
        },
      }}
      title={t(drawer === "short" ? "day.shortTitle" : drawer === "no_day" ? "day.noDayTitle" : "review.title")}
      next={next()}
      cash={useCashTiles(screen)}
      facts={[
        [t("facts.shop"), shop],
        [t("facts.ordered"), orderedMsAgo === null ? null : t("facts.ago", { time: durationText(ageMs) })],
      ]}
    />
  );
};
