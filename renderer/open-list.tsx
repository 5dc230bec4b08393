import { IconCash, IconHourglass, IconLock } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { OpenWithdrawal } from "../preload/contract.ts";
import classes from "./open-list.module.css";
import { useCommands } from "./ui/command-context.tsx";
import { Dialog, DialogChoice } from "./ui/dialog.tsx";
import { amountText, durationText } from "./ui/format.ts";
import { useLanguage } from "./ui/use-language.ts";
import { useElapsed } from "./ui/use-remaining.ts";

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
