/** The notes and coins to hand out, as tiles beside the amount; another way to make it is one press away. */

import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconInfoCircle, IconRefresh } from "@tabler/icons-react";
import { t } from "i18next";
import type { ReactNode } from "react";
import { create } from "zustand";
import type { Cash, OfWithdrawal } from "../../preload/contract.ts";
import { isNote, type Pieces } from "../../preload/notes-and-coins.ts";
import { faceText } from "../ui/format.ts";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./withdrawal.module.css";

type CashScreen = OfWithdrawal & { readonly cash: Cash };

/** What the cashier chose, from the review to the count: each screen in between is a new one. */
const useChoice = create<{ readonly withdrawalId: string; readonly at: number }>(() => ({ withdrawalId: "", at: 0 }));

/** The notes and coins that the screen shows, for the command that says they were handed over; nothing where it shows none. */
export const useShownCash = ({ withdrawalId, cash }: CashScreen): { readonly cash?: readonly Pieces[] } => {
  const at = useChoice((choice) => (choice.withdrawalId === withdrawalId ? choice.at : 0));
  const shown = cash[at % Math.max(1, cash.length)];
  return shown === undefined ? {} : { cash: shown };
};

/** Shown instead of the tiles. */
const InTheirPlace = ({ isWarning, title, next }: { isWarning: boolean; title: string; next: string }) => {
  const Sign = isWarning ? IconAlertTriangle : IconInfoCircle;
  return (
    <div className={classes.noTiles} role={isWarning ? "alert" : undefined} data-warning={isWarning || undefined}>
      <Sign size={32} stroke={2.2} aria-hidden />
      <div>
        <strong>{title}</strong>
        <p>{next}</p>
      </div>
    </div>
  );
};

/** The tiles, or why there are none; null where the drawer is not counted here, or holds too little. */
export const useCashTiles = (screen: CashScreen & { readonly drawer?: string }): ReactNode => {
  const day = useSnapshotStore((store) => store.snapshot?.header.day);
  if (screen.cash.length > 0) return <CashTiles screen={screen} />;
  if (screen.drawer === "no_notes")
    return <InTheirPlace isWarning title={t("day.noNotesTitle")} next={t("day.noNotes")} />;
  const isCounted = day?.currency === screen.money.currency && day.kind !== "closed" && screen.drawer !== "short";
  return isCounted ? (
    <InTheirPlace isWarning={false} title={t("pieces.unknown")} next={t("pieces.unknownNext")} />
  ) : null;
};

const CashTiles = ({ screen }: { readonly screen: CashScreen }) => {
  const { cash: shown } = useShownCash(screen);
  const { withdrawalId, money, cash } = screen;
  if (shown === undefined) return null;
  const { currency } = money;
  const next = (): void =>
    useChoice.setState((choice) => ({
      withdrawalId,
      at: choice.withdrawalId === withdrawalId ? (choice.at + 1) % cash.length : 1,
    }));
  return (
    <div className={classes.cash}>
      <ul className={classes.tiles} aria-label={t("pieces.title")} data-kinds={Math.min(shown.length, 7)}>
        {shown.map(({ valueMinor, count }) => (
          <li key={valueMinor} data-coin={!isNote(valueMinor, currency) || undefined}>
            <span>
              <strong>{count}</strong> ×
            </span>{" "}
            <span>{faceText(valueMinor, currency)}</span>
          </li>
        ))}
      </ul>
      {cash.length > 1 && (
        <UnstyledButton
          className={classes.otherCash}
          // The next Enter is meant for the screen.
          onMouseDown={(event) => event.preventDefault()}
          onClick={next}
        >
          <IconRefresh size={24} stroke={2.2} aria-hidden />
          {t("pieces.other")}
        </UnstyledButton>
      )}
    </div>
  );
};
