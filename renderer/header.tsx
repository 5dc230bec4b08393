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
import { t } from "i18next";
import { type ComponentType, useLayoutEffect, useRef } from "react";
import type { Header as HeaderState, OpenWithdrawal } from "../preload/contract.ts";
import classes from "./header.module.css";
import { openHelp } from "./help/use-help.ts";
import type { Texts } from "./texts/en.ts";
import { useCommands } from "./ui/command-context.tsx";
import { Dialog, DialogChoice } from "./ui/dialog.tsx";
import { amountText, durationText } from "./ui/format.ts";
import { useSnapshotStore, useSupport } from "./ui/snapshot-store.ts";
import { useElapsed } from "./ui/use-remaining.ts";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

type Part = "connected" | "signs" | "cashier" | "areas";

/** Whose words the strip leaves out, one after the other, until the rest has room: below a usual screen's width the areas' before the signs'. */
const leftOutAt = (width: number): readonly Part[] =>
  width < 1024 ? ["connected", "areas", "cashier", "signs"] : ["connected", "cashier", "signs", "areas"];

interface Words {
  readonly text: string;
  /** Left out with this part's; then it is only read aloud. */
  readonly until?: Part;
  /** Shown once this part's words are left out. */
  readonly from?: Part;
}

interface ChipProps {
  readonly icon: ComponentType<IconProps>;
  readonly says: readonly Words[];
  readonly label?: string;
  /** Left out where nothing is wrong. */
  readonly open?: () => void;
}

const Chip = ({ icon: Sign, says, label, open }: ChipProps) => {
  const content = (
    <>
      <Sign {...iconProps} />
      {says.map(({ text, until, from }) => (
        <span
          key={from ?? text}
          data-until={until}
          data-from={from}
          aria-hidden={(label !== undefined && from !== undefined) || undefined}
        >
          {text}
        </span>
      ))}
    </>
  );
  return open === undefined ? (
    <span className={classes.chip}>{content}</span>
  ) : (
    <UnstyledButton className={classes.chip} data-warning onClick={open} aria-label={label}>
      {content}
    </UnstyledButton>
  );
};

/** Words, and their number alone where there is room for no more. */
const counted = (text: string, count: number | undefined): readonly Words[] => [
  { text, until: "signs" },
  { text: count === undefined ? "" : String(count), from: "signs" },
];

interface StateChipsProps {
  readonly header: HeaderState;
  readonly openList: () => void;
  readonly openWarnings: () => void;
}

/** One chip a matter: troubles of the terminal, open withdrawals, and one for connection and reports. */
const StateChips = ({ header, openList, openWarnings }: StateChipsProps) => {
  const troubles = useTerminalWarnings(header);
  const count = troubles.length;
  const [first] = count > 1 ? [{ Icon: IconAlertTriangle, text: t("header.warnings", { count }), count }] : troubles;
  const { connection, pendingReports } = header;
  const isOffline = connection === "offline";
  const reports = pendingReports && t("header.pendingReports", { count: pendingReports.count });
  const connected = t(`header.${connection}`);
  return (
    <div className={classes.chips} role="status">
      {first && (
        <Chip icon={first.Icon} label={first.text} says={counted(first.text, first.count)} open={openWarnings} />
      )}
      {header.open.length > 0 && (
        <Chip
          icon={IconListDetails}
          says={counted(t("header.open", { count: header.open.length }), header.open.length)}
          label={t("header.open", { count: header.open.length })}
          open={openList}
        />
      )}
      {isOffline || reports ? (
        <Chip
          icon={isOffline ? IconCloudOff : IconSend}
          says={counted(
            isOffline ? [connected, pendingReports?.count].filter(Boolean).join(" · ") : (reports ?? ""),
            pendingReports?.count,
          )}
          label={[isOffline && connected, reports].filter(Boolean).join(", ")}
          open={openWarnings}
        />
      ) : (
        header.identity !== null && <Chip icon={IconCloud} says={[{ text: connected, until: "connected" }]} />
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
  /** Null where there is no manager yet, and the set-up asks for one. */
  readonly openManager: (() => void) | null;
  readonly openDay: () => void;
  /** Null while the terminal is set up for the first time: there is nothing in it yet. */
  readonly openHistory: (() => void) | null;
  /** False while money is moving: nothing may lie over the screen then. */
  readonly managerAllowed: boolean;
  /** As well false while the terminal is locked. */
  readonly areasAllowed: boolean;
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
  <UnstyledButton className={classes.area} onClick={open} disabled={!isAllowed} aria-label={name}>
    <Sign {...iconProps} />
    <span data-until="areas">{name}</span>
  </UnstyledButton>
);

/** Leaves out words until all of the strip fits. */
const useRoom = () => {
  const strip = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const header = strip.current;
    if (!header) return;
    const shorten = (): void => {
      const left = new Set<string | undefined>();
      for (const part of [undefined, ...leftOutAt(innerWidth)]) {
        if (part) left.add(part);
        for (const words of header.querySelectorAll<HTMLElement>("[data-until], [data-from]")) {
          const { until, from } = words.dataset;
          words.toggleAttribute("data-left-out", left.has(until) || (from !== undefined && !left.has(from)));
        }
        if (header.scrollWidth <= header.clientWidth) return;
      }
    };
    shorten();
    void document.fonts.ready.then(shorten);
    const observer = new ResizeObserver(shorten);
    observer.observe(header);
    return () => observer.disconnect();
  });
  return strip;
};

/** The strip on top of every screen. */
export const Header = (props: HeaderProps) => {
  const { header, openList, openWarnings, openManager, openDay, openHistory } = props;
  const { managerAllowed, areasAllowed, cashier, changeCashier } = props;
  return (
    <header className={classes.header} ref={useRoom()} data-training={header.training || undefined}>
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
          className={`${classes.area} ${classes.cashier}`}
          onClick={changeCashier}
          aria-label={`${t("people.change")}: ${cashier}`}
        >
          <IconUserCircle {...iconProps} />
          <span data-until="cashier">{cashier}</span>
        </UnstyledButton>
      )}
      {openHistory !== null && (
        <AreaButton icon={IconHistory} name={t("manager.history")} isAllowed={areasAllowed} open={openHistory} />
      )}
      {header.day !== null && (
        <AreaButton icon={IconCash} name={t("day.title")} isAllowed={areasAllowed} open={openDay} />
      )}
      {openManager !== null && (
        <AreaButton icon={IconSettings} name={t("header.manager")} isAllowed={managerAllowed} open={openManager} />
      )}
      <UnstyledButton className={classes.area} onClick={openHelp} aria-label={t("help.title")} title={t("help.keys")}>
        <IconHelp {...iconProps} />
      </UnstyledButton>
    </header>
  );
};

const icons = { unknown: IconHourglass, payable: IconCash, closing: IconLock } as const;

const Line = ({ one }: { readonly one: OpenWithdrawal }) => {
  const elapsedMs = useElapsed(one.sinceMs);
  const Icon = icons[one.state];
  return (
    <>
      <Icon size={32} stroke={2} aria-hidden />
      <span className={classes.state}>
        {t(`open.${one.state}`)}
        <span>{t("open.since", { time: durationText(elapsedMs) })}</span>
      </span>
      <span className={classes.amount}>{amountText(one.money)}</span>
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

type NamedIn<Key> = Key extends `${infer Name}Next` ? Name : never;

/** One problem of the terminal, as a chip or a line shows it. */
interface Warning {
  readonly kind: NamedIn<keyof Texts["warnings"]>;
  readonly Icon: ComponentType<IconProps>;
  /** Short: it stands in the strip. */
  readonly text: string;
  readonly count?: number;
}

/** @param isSo or how many there are. */
const warning = (isSo: boolean | number, kind: Warning["kind"], Icon: Warning["Icon"], text: string) =>
  isSo ? [{ kind, Icon, text, ...(typeof isSo === "number" && { count: isSo }) }] : [];

/** Trouble with the terminal itself, for its manager. */
const useTerminalWarnings = (header: HeaderState): readonly Warning[] => {
  const people = useSnapshotStore((store) => store.snapshot?.people);
  const { journalFailing, problems, sameDeviceElsewhere, clockOffMs, damagedEntries, identity, paperLow } = header;
  const openMs = header.day?.openForMs ?? 0;
  const time = (ms: number): { time: string } => ({ time: durationText(ms) });
  // The set-up asks for the PIN itself.
  const needsManager = people?.guarded === true && people.managers === "none" && identity !== null;
  const isPeopleLost = people?.managers === "lost" || people?.managers === "unreadable";
  const areSettingsWrong = header.wrongSettings.length + header.changedSettings.length > 0;
  return [
    ...warning(journalFailing, "journal", IconFileX, t("header.journal")),
    ...warning(problems, "problems", IconFileDescription, t("header.problems", { count: problems })),
    ...warning(sameDeviceElsewhere, "sameDevice", IconUsers, t("header.sameDevice")),
    ...warning(clockOffMs !== null, "clock", IconClockExclamation, t("header.clock", time(Math.abs(clockOffMs ?? 0)))),
    ...warning(damagedEntries, "damaged", IconFileAlert, t("header.damaged", { count: damagedEntries })),
    ...warning(needsManager, "noManager", IconUserCog, t("header.noManager")),
    ...warning(isPeopleLost, "peopleLost", IconUserCog, t("header.peopleLost")),
    ...warning(areSettingsWrong, "settings", IconAdjustmentsExclamation, t("header.settings")),
    ...warning(openMs > longDayMs, "dayLong", IconCalendarExclamation, t("day.longOpen", time(openMs))),
    ...warning(paperLow, "paperLow", IconPrinter, t("printing.paperLow")),
  ];
};

const useDelivery = (header: HeaderState): readonly Warning[] => {
  const { connection, pendingReports } = header;
  const waitingMs = useElapsed(pendingReports?.oldestMs ?? 0);
  const waiting = `${t("header.pendingReports", { count: pendingReports?.count ?? 0 })}, ${t("header.since", { time: durationText(waitingMs) })}`;
  return [
    ...warning(connection === "offline", "offline", IconCloudOff, t("header.offline")),
    ...warning(pendingReports !== null, "pendingReports", IconSend, waiting),
  ];
};

interface WarningsProps {
  readonly header: HeaderState;
  readonly opened: boolean;
  readonly close: () => void;
}

/** The dialog with every problem, the one that stops cash first. */
export const Warnings = ({ header, opened, close }: WarningsProps) => {
  const troubles = useTerminalWarnings(header);
  const support = useSupport();
  const isFirst = ({ kind }: Warning): boolean => kind === "journal";
  const warnings = [...troubles.filter(isFirst), ...useDelivery(header), ...troubles.filter((one) => !isFirst(one))];
  return (
    <Dialog opened={opened} close={close} title={t("warnings.title")} closeLabel={t("warnings.close")}>
      <ul className={classes.list}>
        {warnings.map(({ kind, Icon, text }) => (
          <li key={kind}>
            <Icon size={32} stroke={2} aria-hidden />
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
