import { IconCheck, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import { amountText, durationText } from "../ui/format.ts";
import { useElapsed, useRemaining } from "../ui/use-remaining.ts";
import { useCashTiles } from "./cash-tiles.tsx";
import { WithdrawalScreen } from "./withdrawal-screen.tsx";

/** The expiry is shown only in the last two minutes. */
const expirySoonMs = 120_000;

/** What the drawer cannot pay is said instead of asking about the amount. */
const titles = {
  ok: "review.title",
  no_notes: "review.title",
  short: "day.shortTitle",
  no_day: "day.noDayTitle",
} as const;

/** Shows the amount; the cashier confirms or rejects. */
export const Review = ({ screen }: { readonly screen: ScreenOf<"review"> }) => {
  const remainingMs = useRemaining(screen.expires);
  const ageMs = useElapsed(screen.orderedMsAgo ?? 0);
  const drawerNext = {
    ok: null,
    short: [
      screen.missing && t("day.missing", { sum: amountText({ ...screen.money, amount: screen.missing }) }),
      t("day.short"),
    ]
      .filter(Boolean)
      .join(" "),
    no_notes: null,
    no_day: t("refusals.no_day"),
  }[screen.drawer];
  const orderNext =
    screen.expires === null || remainingMs >= expirySoonMs
      ? t("review.next")
      : remainingMs > 0
        ? t("review.expires", { time: durationText(remainingMs) })
        : t("review.expired");
  const next = drawerNext ?? orderNext;
  const isConfirmable = screen.drawer === "ok" || screen.drawer === "no_notes";
  return (
    <WithdrawalScreen
      tone="notYet"
      actions={{
        second: {
          label: t("review.reject"),
          icon: <IconX size={30} stroke={2.4} aria-hidden />,
          // Esc closes dialogs; here it would reject a customer who waits.
          shortcut: "secondDeliberate",
          command: { type: "reject", step: screen.step },
        },
        main: {
          label: t("review.confirm"),
          icon: <IconCheck size={38} stroke={2.6} aria-hidden />,
          enabled: isConfirmable,
          // Once it is paid, the cash must be handed out.
          isPlain: screen.drawer === "no_notes",
          command: { type: "confirm", step: screen.step },
        },
      }}
      title={t(titles[screen.drawer])}
      money={screen.money}
      next={next}
      cash={useCashTiles(screen)}
      facts={[
        { name: t("facts.shop"), value: screen.shop },
        ...(screen.orderedMsAgo === null
          ? []
          : [{ name: t("facts.ordered"), value: t("facts.ago", { time: durationText(ageMs) }) }]),
      ]}
      transactionId={screen.transactionId}
    />
  );
};
