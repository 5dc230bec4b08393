import { UnstyledButton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconClockExclamation,
  IconCloud,
  IconCloudOff,
  IconFileAlert,
  IconListDetails,
  IconSend,
  IconUsers,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Header } from "../../preload/contract.ts";
import { durationText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import { useElapsed } from "../ui/use-remaining.ts";
import classes from "./header.module.css";

const iconProps = { size: 24, stroke: 2, "aria-hidden": true } as const;

interface ChipProps {
  readonly icon: ReactNode;
  readonly children: ReactNode;
  readonly detail?: string;
}

const Warning = ({ icon, children, detail }: ChipProps) => (
  <span className={classes.chip} data-warning>
    {icon}
    <span>
      {children}
      {detail && <span className={classes.detail}>{detail}</span>}
    </span>
  </span>
);

export const StateChips = ({ header, openList }: { readonly header: Header; readonly openList: () => void }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const waitingMs = useElapsed(header.undelivered?.oldestMs ?? 0);
  return (
    <div className={classes.chips} role="status">
      {header.sameDeviceElsewhere && <Warning icon={<IconUsers {...iconProps} />}>{t("header.sameDevice")}</Warning>}
      {header.clockOffMs !== null && (
        <Warning icon={<IconClockExclamation {...iconProps} />}>
          {t("header.clock", { time: durationText(Math.abs(header.clockOffMs), language) })}
        </Warning>
      )}
      {header.damagedEntries > 0 && (
        <Warning icon={<IconFileAlert {...iconProps} />}>
          {t("header.damaged", { count: header.damagedEntries })}
        </Warning>
      )}
      {header.undelivered && (
        <Warning
          icon={<IconSend {...iconProps} />}
          detail={t("header.since", { time: durationText(waitingMs, language) })}
        >
          {t("header.undelivered", { count: header.undelivered.count })}
        </Warning>
      )}
      {header.open.length > 0 && (
        <UnstyledButton className={classes.chip} data-warning data-button onClick={openList}>
          {header.open.some((one) => one.state === "payable") ? (
            <IconAlertTriangle {...iconProps} />
          ) : (
            <IconListDetails {...iconProps} />
          )}
          <span>{t("header.open", { count: header.open.length })}</span>
        </UnstyledButton>
      )}
      <span className={classes.chip} data-warning={header.connection === "offline" || undefined}>
        {header.connection === "offline" ? <IconCloudOff {...iconProps} /> : <IconCloud {...iconProps} />}
        <span>{t(`header.${header.connection}`)}</span>
      </span>
    </div>
  );
};
