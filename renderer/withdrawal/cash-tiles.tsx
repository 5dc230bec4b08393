/** The notes and coins to hand out, as tiles beside the amount; another way to make it is one press away. */
import { UnstyledButton } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { create } from "zustand";
import type { Cash, OfWithdrawal } from "../../preload/contract.ts";
import { isNote, type Pieces } from "../../preload/notes-and-coins.ts";
import { faceText } from "../ui/format.ts";
import { useLanguage } from "../ui/snapshot-store.ts";
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

/** Null where the drawer is not counted here, or is not known to hold the amount. */
export const cashTiles = (screen: CashScreen): ReactNode =>
  screen.cash.length === 0 ? null : <CashTiles screen={screen} />;

const CashTiles = ({ screen }: { readonly screen: CashScreen }) => {
  const { t } = useTranslation();
  const language = useLanguage();
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
            <span>{faceText(valueMinor, currency, language)}</span>
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
