/** The strip on top: which terminal this is, and all problems of the terminal, in words. */
import { Stack, Text, UnstyledButton } from "@mantine/core";
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
  IconSend,
  IconSettings,
  IconUserCircle,
  IconUserCog,
  IconUsers,
} from "@tabler/icons-react";
import { t } from "i18next";
import { useLayoutEffect, useRef } from "react";
import type { OpenWithdrawal, Snapshot } from "../preload/contract.ts";
import classes from "./header.module.css";
import { openHelp } from "./help/use-help.ts";
import type { Texts } from "./texts/index.ts";
import { Dialog, DialogChoice } from "./ui/dialog.tsx";
import { amountText, durationText } from "./ui/format.ts";
import { useCommands, useSnapshot, useSupport } from "./ui/terminal.tsx";
import { useElapsed } from "./ui/use-remaining.ts";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

type Part = "connected" | "signs" | "cashier" | "areas";

/** The order in which labels are left out until the header fits: on a narrow screen the areas' before the signs'. */
const leftOutAt = (width: number): readonly Part[] =>
  width < 1024 ? ["connected", "areas", "cashier", "signs"] : ["connected", "cashier", "signs", "areas"];

/** Leaves out labels until the whole header fits. */
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

interface ChipProps {
  readonly icon: Icon;
  readonly text: string;
  /** Shown instead of the text where there is room for no more. */
  readonly count?: number | undefined;
  readonly label?: string;
  /** Without it the chip is no button: nothing is wrong. */
  readonly open?: () => void;
}

const Chip = ({ icon: Sign, text, count, label = text, open }: ChipProps) => {
  const content = (
    <>
      <Sign {...iconProps} />
      <span data-until={open ? "signs" : "connected"}>{text}</span>
      {count !== undefined && (
        <span data-from="signs" aria-hidden>
          {count}
        </span>
      )}
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

/** One problem of the terminal, as a chip or a line shows it; the text is short, since it stands in the strip. */
interface Warning {
  readonly kind: keyof Texts["warnings"] extends infer Key ? (Key extends `${infer Name}Next` ? Name : never) : never;
  readonly icon: Icon;
  readonly text: string;
  readonly count?: number | undefined;
}
/** Whether it is so, or how many there are. */
type Check = readonly [kind: Warning["kind"], isSo: boolean | number, icon: Icon, text: string];

const warningsOf = (checks: readonly Check[]): readonly Warning[] =>
  checks
    .filter(([, isSo]) => isSo)
    .map(([kind, isSo, icon, text]) => ({ kind, icon, text, count: typeof isSo === "number" ? isSo : undefined }));

/** A day that was forgotten open: no shop has its drawer open for so long. */
const longDayMs = 20 * 3_600_000;

/** Trouble with the terminal itself, for its manager; the set-up asks for the first PIN itself. */
const troublesOf = ({ header, people: { managers, guarded } }: Snapshot): readonly Warning[] => {
  const { journalFailing, problems, clockOffMs, damagedEntries, wrongSettings, changedSettings } = header;
  const openMs = header.day?.openForMs ?? 0;
  const clock = t("header.clock", { time: durationText(Math.abs(clockOffMs ?? 0)) });
  const needsManager = guarded && managers === "none" && header.identity !== null;
  const isPeopleLost = managers === "lost" || managers === "unreadable";
  const areSettingsWrong = wrongSettings.length + changedSettings.length > 0;
  return warningsOf([
    ["journal", journalFailing, IconFileX, t("header.journal")],
    ["problems", problems, IconFileDescription, t("header.problems", { count: problems })],
    ["sameDevice", header.sameDeviceElsewhere, IconUsers, t("header.sameDevice")],
    ["clock", clockOffMs !== null, IconClockExclamation, clock],
    ["damaged", damagedEntries, IconFileAlert, t("header.damaged", { count: damagedEntries })],
    ["noManager", needsManager, IconUserCog, t("header.noManager")],
    ["peopleLost", isPeopleLost, IconUserCog, t("header.peopleLost")],
    ["settings", areSettingsWrong, IconAdjustmentsExclamation, t("header.settings")],
    ["dayLong", openMs > longDayMs, IconCalendarExclamation, t("day.longOpen", { time: durationText(openMs) })],
    ["paperLow", header.paperLow, IconPrinter, t("printing.paperLow")],
  ]);
};

interface StateChipsProps {
  readonly openList: () => void;
  readonly openWarnings: () => void;
}

/** Up to three chips: troubles of the terminal, open withdrawals, connection and reports. */
const StateChips = ({ openList, openWarnings }: StateChipsProps) => {
  const snapshot = useSnapshot();
  const { connection, pendingReports, open, identity } = snapshot.header;
  const troubles = troublesOf(snapshot);
  const [first] = troubles;
  const several = troubles.length > 1 && t("header.warnings", { count: troubles.length });
  const isOffline = connection === "offline";
  const count = pendingReports?.count;
  const reports = count && t("header.pendingReports", { count });
  const connected = t(`header.${connection}`);
  const opened = t("header.open", { count: open.length });
  return (
    <div className={classes.chips} role="status">
      {several ? (
        <Chip icon={IconAlertTriangle} text={several} count={troubles.length} open={openWarnings} />
      ) : (
        first && <Chip icon={first.icon} text={first.text} count={first.count} open={openWarnings} />
      )}
      {open.length > 0 && <Chip icon={IconListDetails} text={opened} count={open.length} open={openList} />}
      {isOffline || reports ? (
        <Chip
          icon={isOffline ? IconCloudOff : IconSend}
          text={isOffline ? [connected, count].filter(Boolean).join(" · ") : reports || ""}
          count={count}
          label={[isOffline && connected, reports].filter(Boolean).join(", ")}
          open={openWarnings}
        />
      ) : (
        identity !== null && <Chip icon={IconCloud} text={connected} />
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

interface HeaderProps extends StateChipsProps {
  /** Null where there is no manager yet, and the set-up asks for one. */
  readonly openManager: (() => void) | null;
  readonly openDay: () => void;
  /** Null while the terminal is set up for the first time: there is nothing in it yet. */
  readonly openHistory: (() => void) | null;
  /** False while money is moving: nothing may lie over the screen then. */
  readonly managerAllowed: boolean;
  /** Also false while the terminal is locked. */
  readonly areasAllowed: boolean;
}

/** The strip on top of every screen. */
export const Header = (props: HeaderProps) => {
  const { openManager, openDay, openHistory, managerAllowed, areasAllowed } = props;
  const { dispatch } = useCommands();
  const { header, settings, people } = useSnapshot();
  const cashier = settings.people.cashiersSignIn ? people.cashier?.name : undefined;
  const area = (Sign: Icon, name: string, isAllowed: boolean, open: (() => void) | null) =>
    open && (
      <UnstyledButton className={classes.area} onClick={open} disabled={!isAllowed} aria-label={name}>
        <Sign {...iconProps} />
        <span data-until="areas">{name}</span>
      </UnstyledButton>
    );
  return (
    <header className={classes.header} ref={useRoom()} data-training={header.training || undefined}>
      <Mark />
      <div className={classes.place}>
        <span>{header.shop || t("product")}</span>
        <span>{header.device}</span>
      </div>
      {header.training && (
        <span className={classes.training} title={t("header.trainingLong")}>
          {t("header.training")}
        </span>
      )}
      <StateChips {...props} />
      {cashier !== undefined && (
        <UnstyledButton
          className={`${classes.area} ${classes.cashier}`}
          onClick={() => void dispatch({ type: "sign_out", as: "cashier" })}
          aria-label={`${t("people.change")}: ${cashier}`}
        >
          <IconUserCircle {...iconProps} />
          <span data-until="cashier">{cashier}</span>
        </UnstyledButton>
      )}
      {area(IconHistory, t("manager.history"), areasAllowed, openHistory)}
      {area(IconCash, t("day.title"), areasAllowed, header.day && openDay)}
      {area(IconSettings, t("header.manager"), managerAllowed, openManager)}
      <UnstyledButton className={classes.area} onClick={openHelp} aria-label={t("help.title")} title={t("help.keys")}>
        <IconHelp {...iconProps} />
      </UnstyledButton>
    </header>
  );
};

const icons = { unknown: IconHourglass, payable: IconCash, closing: IconLock } as const;

const Line = ({ one: { state, sinceMs, money } }: { readonly one: OpenWithdrawal }) => {
  const Sign = icons[state];
  return (
    <>
      <Sign size={32} stroke={2} aria-hidden />
      <Stack gap={0} flex={1}>
        {t(`open.${state}`)}
        <Text inherit fz="sm" fw={500} c="dimmed">
          {t("open.since", { time: durationText(useElapsed(sinceMs)) })}
        </Text>
      </Stack>
      <strong className={classes.amount}>{amountText(money)}</strong>
    </>
  );
};

interface OverProps {
  readonly opened: boolean;
  readonly close: () => void;
}

/** The open withdrawals in the background; a press brings one back. @param props.canResume false while another one is on the screen. */
export const OpenList = ({ opened, close, canResume }: OverProps & { readonly canResume: boolean }) => {
  const { dispatch } = useCommands();
  return (
    <Dialog opened={opened} close={close} title={t("open.title")} closeLabel={t("open.close")}>
      {!canResume && <p>{t("open.busy")}</p>}
      {useSnapshot().header.open.map((one) => (
        <DialogChoice
          key={one.withdrawalId}
          disabled={!canResume}
          choose={() => {
            void dispatch({ type: "resume", withdrawalId: one.withdrawalId });
            close();
          }}
        >
          <Line one={one} />
        </DialogChoice>
      ))}
    </Dialog>
  );
};

/** The dialog with every problem, the one that stops cash first. */
export const Warnings = ({ opened, close }: OverProps) => {
  const snapshot = useSnapshot();
  const support = useSupport();
  const { connection, pendingReports } = snapshot.header;
  const waiting = t("header.since", { time: durationText(useElapsed(pendingReports?.oldestMs ?? 0)) });
  const reports = `${t("header.pendingReports", { count: pendingReports?.count ?? 0 })}, ${waiting}`;
  const delivery = warningsOf([
    ["offline", connection === "offline", IconCloudOff, t("header.offline")],
    ["pendingReports", pendingReports !== null, IconSend, reports],
  ]);
  const troubles = troublesOf(snapshot);
  const isFirst = ({ kind }: Warning): boolean => kind === "journal";
  const warnings = [...troubles.filter(isFirst), ...delivery, ...troubles.filter((one) => !isFirst(one))];
  return (
    <Dialog opened={opened} close={close} title={t("warnings.title")} closeLabel={t("warnings.close")}>
      <ul className={classes.list}>
        {warnings.map(({ kind, icon: Sign, text }) => (
          <li key={kind}>
            <Sign size={32} stroke={2} aria-hidden />
            <div>
              <strong>{text}</strong>
              <Text inherit fz="sm" c="dimmed">
                {t(`warnings.${kind}Next`)}
              </Text>
            </div>
          </li>
        ))}
      </ul>
      {support && (
        <Text inherit fw={600}>
          {t("facts.support")}: {support}
        </Text>
      )}
    </Dialog>
  );
};
