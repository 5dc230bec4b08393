import { UnstyledButton } from "@mantine/core";
import { IconAlertTriangle, IconCloud, IconCloudOff, IconListDetails, IconSend } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { Header } from "../preload/contract.ts";
import classes from "./header.module.css";
import { durationText } from "./ui/format.ts";
import { useLanguage } from "./ui/use-language.ts";
import { useElapsed } from "./ui/use-remaining.ts";
import { useTerminalWarnings } from "./warnings.tsx";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

interface StateChipsProps {
  readonly header: Header;
  readonly openList: () => void;
  readonly openWarnings: () => void;
}

/** More than these stand in one chip together: the strip has room for no more in words. */
const mattersMax = 2;

/** One chip a matter; several troubles of the terminal share one, and so does all else where there is too much of it. */
export const StateChips = ({ header, openList, openWarnings }: StateChipsProps) => {
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
