/** The strip on top: which terminal this is, and all problems of the terminal, in words. */

import { UnstyledButton } from "@mantine/core";
import { type Icon, IconCash, IconHelp, IconHistory, IconSettings, IconUserCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Header as HeaderState } from "../preload/contract.ts";
import classes from "./header.module.css";
import { openHelp } from "./help/use-help.ts";
import { StateChips } from "./state-chips.tsx";

/** The product's sign: a cash drawer with a note coming out of it. */
const Mark = () => (
  <svg className={classes.mark} viewBox="0 0 40 40" aria-hidden>
    <title>Tillcash</title>
    <rect x="11" y="3" width="18" height="20" rx="2.5" fill="none" stroke="currentColor" strokeWidth="3" />
    <circle cx="20" cy="12.5" r="3.6" fill="currentColor" />
    <path d="M4 20h32v13a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4z" fill="currentColor" />
    <path d="M14.5 29h11" stroke="var(--head)" strokeWidth="3" strokeLinecap="round" />
  </svg>
);

interface HeaderProps {
  readonly header: HeaderState;
  readonly openList: () => void;
  readonly openWarnings: () => void;
  readonly openManager: () => void;
  readonly openDay: () => void;
  /** Null while the terminal is set up: there is nothing in it yet. */
  readonly openHistory: (() => void) | null;
  /** False while money is moving: nothing may lie over the screen then. */
  readonly managerAllowed: boolean;
  /** Who is at the counter, where cashiers sign in; pressing it lets the next one sign in. */
  readonly cashier: string | null;
  readonly changeCashier: () => void;
}

interface AreaButtonProps {
  readonly icon: Icon;
  readonly name: string;
  readonly isAllowed: boolean;
  readonly open: () => void;
}

const AreaButton = ({ icon: Sign, name, isAllowed, open }: AreaButtonProps) => (
  <UnstyledButton className={classes.manager} onClick={open} disabled={!isAllowed} aria-label={name}>
    <Sign size={30} stroke={1.8} aria-hidden />
    <span>{name}</span>
  </UnstyledButton>
);

/** The strip on top of every screen. */
export const Header = (props: HeaderProps) => {
  const { header, openList, openWarnings, openManager, openDay, openHistory, managerAllowed, cashier, changeCashier } =
    props;
  const { t } = useTranslation();
  return (
    <header className={classes.header} data-training={header.training || undefined}>
      <Mark />
      <div className={classes.place}>
        <span className={classes.shop}>{header.shop || t("product")}</span>
        <span className={classes.terminal}>{header.device}</span>
      </div>
      {header.training && (
        <span className={classes.training} title={t("header.trainingLong")}>
          {t("header.training")}
        </span>
      )}
      <StateChips header={header} openList={openList} openWarnings={openWarnings} />
      {cashier !== null && (
        <UnstyledButton
          className={classes.cashier}
          onClick={changeCashier}
          aria-label={`${t("people.change")}: ${cashier}`}
        >
          <IconUserCircle size={28} stroke={1.8} aria-hidden />
          <span>{cashier}</span>
        </UnstyledButton>
      )}
      {openHistory !== null && (
        <AreaButton icon={IconHistory} name={t("manager.history")} isAllowed={managerAllowed} open={openHistory} />
      )}
      {header.day !== null && (
        <AreaButton icon={IconCash} name={t("day.title")} isAllowed={managerAllowed} open={openDay} />
      )}
      <AreaButton icon={IconSettings} name={t("header.manager")} isAllowed={managerAllowed} open={openManager} />
      <UnstyledButton className={classes.help} onClick={openHelp} aria-label={t("help.title")} title={t("help.keys")}>
        <IconHelp size={30} stroke={1.8} aria-hidden />
      </UnstyledButton>
    </header>
  );
};
