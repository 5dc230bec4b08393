/** All problems of the terminal, in words, with what to do about it. */
import {
  IconAdjustmentsExclamation,
  IconCalendarExclamation,
  IconClockExclamation,
  IconCloudOff,
  IconFileAlert,
  IconFileDescription,
  IconFileX,
  IconPrinter,
  type IconProps,
  IconSend,
  IconUserCog,
  IconUsers,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import { useTranslation } from "react-i18next";
import type { Header } from "../preload/contract.ts";
import { Dialog } from "./ui/dialog.tsx";
import { durationText } from "./ui/format.ts";
import { useSnapshotStore } from "./ui/snapshot-store.ts";
import { useLanguage } from "./ui/use-language.ts";
import { useSupport } from "./ui/use-profile.ts";
import { useElapsed } from "./ui/use-remaining.ts";
import classes from "./warnings.module.css";

/** A day that was forgotten open: no shop has its drawer open for so long. */
const longDayMs = 20 * 3_600_000;

/** One problem of the terminal, as a chip or a line shows it. */
export interface Warning {
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
export const useTerminalWarnings = (header: Header): readonly Warning[] => {
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

const useDelivery = (header: Header): readonly Warning[] => {
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
  readonly header: Header;
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
