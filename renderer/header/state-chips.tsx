import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCloud, IconCloudOff, IconListDetails, IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Header } from "../../preload/contract.ts";
import { durationText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { useElapsed } from "../ui/use-remaining.ts";
import classes from "./header.module.css";
import { useTerminalWarnings } from "./warnings.tsx";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

interface StateChipsProps {
  readonly header: Header;
  readonly openList: () => void;
  readonly openWarnings: () => void;
}

/** One chip a matter; several troubles of the terminal share one, so that the strip never overflows. */
export const StateChips = ({ header, openList, openWarnings }: StateChipsProps) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const waitingMs = useElapsed(header.pendingReports?.oldestMs ?? 0);
  const troubles = useTerminalWarnings(header);
  const [first] = troubles;
  return (
    <div className={classes.chips} role="status">
      {first && (
        <UnstyledButton className={classes.chip} data-warning onClick={openWarnings}>
          {troubles.length === 1 ? <first.Icon {...iconProps} /> : <IconAlertTriangle {...iconProps} />}
          <span>{troubles.length === 1 ? first.text : t("header.warnings", { count: troubles.length })}</span>
        </UnstyledButton>
      )}
      {header.pendingReports && (
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
      {header.connection === "offline" ? (
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
