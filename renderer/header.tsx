/** The strip on top: which terminal this is, and all problems of the terminal, in words. */
import { UnstyledButton } from "@mantine/core";
import {
  type Icon,
  IconAdjustmentsExclamation,
  IconAlertTriangle,
  IconCalendarExclamation,
  IconCash,
  IconClockExclamation,
  IconCloud,
  IconCloudOff,
  IconFileAlert,
  IconFileDescription,
  IconFileX,
  IconHelp,
  IconHistory,
  IconHourglass,
  IconListDetails,
  IconLock,
  IconPrinter,
  type IconProps,
  IconSend,
  IconSettings,
  IconUserCircle,
  IconUserCog,
  IconUsers,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { Header as HeaderState, OpenWithdrawal } from "../preload/contract.ts";
import classes from "./header.module.css";
import { openHelp } from "./help/use-help.ts";
import { useCommands } from "./ui/command-context.tsx";
import { Dialog, DialogChoice } from "./ui/dialog.tsx";
import { amountText, durationText } from "./ui/format.ts";
import { useSnapshotStore, useSupport } from "./ui/snapshot-store.ts";
import { useLanguage } from "./ui/use-language.ts";
import { useElapsed } from "./ui/use-remaining.ts";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

interface StateChipsProps {
  readonly header: HeaderState;
  readonly openList: () => void;
  readonly openWarnings: () => void;
}

/** More than these stand in one chip together: the strip has room for no more in words. */
const mattersMax = 2;

/** One chip a matter; several troubles of the terminal share one, and so does all else where there is too much of it. */
const StateChips = ({ header, openList, openWarnings }: StateChipsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const waitingMs = useElapsed(header.pendingReports?.oldestMs ?? 0);
  const troubles = useTerminalWarnings(header);
  const [first] = troubles;
  const isOffline = header.connection === "offline";
  const delivery = Number(header.pendingReports !== null) + Number(isOffline);
  const isTogether = Number(first !== undefined) + delivery > mattersMax;
  const count = troubles.length + (isTogether ? delivery : 0);
  return (
    <div className={classes.chips} role="status">
      {first && (
        <UnstyledButton className={classes.chip} data-warning onClick={openWarnings}>
          {count === 1 ? <first.Icon {...iconProps} /> : <IconAlertTriangle {...iconProps} />}
          <span>{count === 1 ? first.text : t("header.warnings", { count })}</span>
        </UnstyledButton>
      )}
      {header.pendingReports && !isTogether && (
        <UnstyledButton className={classes.chip} data-warning onClick={openWarnings}>
          <IconSend {...iconProps} />
          <span>
            {t("header.pendingReports", { count: header.pendingReports.count })}
            <span className={classes.detail}>{t("header.since", { time: durationText(waitingMs, language) })}</span>
          </span>
        </UnstyledButton>
      )}
      {header.open.length > 0 && (
        <UnstyledButton className={classes.chip} data-warning onClick={openList}>
          <IconListDetails {...iconProps} />
          <span>{t("header.open", { count: header.open.length })}</span>
        </UnstyledButton>
      )}
      {isTogether || header.identity === null ? null : isOffline ? (
        <UnstyledButton className={classes.chip} data-warning onClick={openWarnings}>
          <IconCloudOff {...iconProps} />
          <span>{t("header.offline")}</span>
        </UnstyledButton>
      ) : (
        <span className={classes.chip} data-calm>
          <IconCloud {...iconProps} />
          <span>{t(`header.${header.connection}`)}</span>
        </span>
      )}
    </div>
  );
};

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

const icons = { unknown: IconHourglass, payable: IconCash, closing: IconLock } as const;

const Line = ({ one }: { readonly one: OpenWithdrawal }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const elapsedMs = useElapsed(one.sinceMs);
  const Icon = icons[one.state];
  return (
    <>
      <Icon size={34} stroke={2} aria-hidden />
      <span className={classes.state}>
        {t(`open.${one.state}`)}
        <span>{t("open.since", { time: durationText(elapsedMs, language) })}</span>
      </span>
      <span className={classes.amount}>{amountText(one.money, language)}</span>
    </>
  );
};

interface OpenListProps {
  readonly open: readonly OpenWithdrawal[];
  readonly opened: boolean;
  readonly close: () => void;
  /** False while another withdrawal is in front. */
  readonly canResume: boolean;
}

/** What is open but not in front; one press brings it back. */
export const OpenList = ({ open, opened, close, canResume }: OpenListProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  return (
    <Dialog opened={opened} close={close} title={t("open.title")} closeLabel={t("open.close")}>
      {!canResume && <p>{t("open.busy")}</p>}
      {open.map((one) => (
        <DialogChoice
          key={one.withdrawalId}
          disabled={!canResume}
          choose={() => {
            void commands.dispatch({ type: "resume", withdrawalId: one.withdrawalId });
            close();
          }}
        >
          <Line one={one} />
        </DialogChoice>
      ))}
    </Dialog>
  );
};

/** A day that was forgotten open: no shop has its drawer open for so long. */
const longDayMs = 20 * 3_600_000;

/** One problem of the terminal, as a chip or a line shows it. */
interface Warning {
  readonly kind:
    | "journal"
    | "problems"
    | "sameDevice"
    | "clock"
    | "damaged"
    | "settings"
    | "noManager"
    | "peopleLost"
    | "pendingReports"
    | "offline"
    | "paperLow"
    | "dayLong";
  readonly Icon: ComponentType<IconProps>;
  readonly text: string;
}

/** Trouble with the terminal itself, for its manager. */
const useTerminalWarnings = (header: HeaderState): readonly Warning[] => {
  const { t } = useTranslation();
  const language = useLanguage();
  const warnings: Warning[] = [];
  if (header.journalFailing) warnings.push({ kind: "journal", Icon: IconFileX, text: t("header.journal") });
  if (header.problems > 0) {
    const text = t("header.problems", { count: header.problems });
    warnings.push({ kind: "problems", Icon: IconFileDescription, text });
  }
  if (header.sameDeviceElsewhere) warnings.push({ kind: "sameDevice", Icon: IconUsers, text: t("header.sameDevice") });
  if (header.clockOffMs !== null) {
    const time = durationText(Math.abs(header.clockOffMs), language);
    warnings.push({ kind: "clock", Icon: IconClockExclamation, text: t("header.clock", { time }) });
  }
  if (header.damagedEntries > 0) {
    const text = t("header.damaged", { count: header.damagedEntries });
    warnings.push({ kind: "damaged", Icon: IconFileAlert, text });
  }
  const people = useSnapshotStore((store) => store.snapshot?.people);
  const hasNoManager = people?.guarded === true && people.managers === "none";
  // The set-up asks for the PIN itself.
  if (hasNoManager && header.identity !== null)
    warnings.push({ kind: "noManager", Icon: IconUserCog, text: t("header.noManager") });
  if (people?.managers === "lost" || people?.managers === "unreadable")
    warnings.push({ kind: "peopleLost", Icon: IconUserCog, text: t("header.peopleLost") });
  if (header.wrongSettings.length + header.changedSettings.length > 0)
    warnings.push({ kind: "settings", Icon: IconAdjustmentsExclamation, text: t("header.settings") });
  if (header.day !== null && (header.day.openForMs ?? 0) > longDayMs) {
    const time = durationText(header.day.openForMs ?? 0, language);
    warnings.push({ kind: "dayLong", Icon: IconCalendarExclamation, text: t("day.longOpen", { time }) });
  }
  if (header.paperLow) warnings.push({ kind: "paperLow", Icon: IconPrinter, text: t("printing.paperLow") });
  return warnings;
};

const useDelivery = (header: HeaderState): readonly Warning[] => {
  const { t } = useTranslation();
  const language = useLanguage();
  const waitingMs = useElapsed(header.pendingReports?.oldestMs ?? 0);
  const warnings: Warning[] = [];
  if (header.connection === "offline")
    warnings.push({ kind: "offline", Icon: IconCloudOff, text: t("header.offline") });
  if (header.pendingReports) {
    const text = `${t("header.pendingReports", { count: header.pendingReports.count })}, ${t("header.since", { time: durationText(waitingMs, language) })}`;
    warnings.push({ kind: "pendingReports", Icon: IconSend, text });
  }
  return warnings;
};

interface WarningsProps {
  readonly header: HeaderState;
  readonly opened: boolean;
  readonly close: () => void;
}

/** The dialog with every problem, the one that stops cash first. */
export const Warnings = ({ header, opened, close }: WarningsProps) => {
  const { t } = useTranslation();
  const troubles = useTerminalWarnings(header);
  const support = useSupport();
  const isFirst = ({ kind }: Warning): boolean => kind === "journal";
  const warnings = [...troubles.filter(isFirst), ...useDelivery(header), ...troubles.filter((one) => !isFirst(one))];
  return (
    <Dialog opened={opened} close={close} title={t("warnings.title")} closeLabel={t("warnings.close")}>
      <ul className={classes.list}>
        {warnings.map(({ kind, Icon, text }) => (
          <li key={kind}>
            <Icon size={34} stroke={2} aria-hidden />
            <div>
              <strong>{text}</strong>
              <p>{t(`warnings.${kind}Next`)}</p>
            </div>
          </li>
        ))}
      </ul>
      {support && (
        <p className={classes.support}>
          {t("facts.support")}: {support}
        </p>
      )}
    </Dialog>
  );
};
