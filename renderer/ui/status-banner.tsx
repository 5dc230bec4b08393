/** Says on every screen, at the same place, whether cash may be given: by colour, icon and words. */

import {
  IconBuildingStore,
  IconCash,
  IconCashOff,
  IconCheck,
  IconCircleOff,
  IconCloudOff,
  IconHourglass,
  IconKey,
  IconKeyboard,
  IconLock,
  IconQuestionMark,
  IconScan,
  IconUserCircle,
} from "@tabler/icons-react";
import { t } from "i18next";
import { useJournalFailing } from "./snapshot-store.ts";
import classes from "./status-banner.module.css";

/**
 * `give` is green and belongs to the screens on which cash goes out to a customer who stands there, `payable` and
 * `counting`; `never` is red and stands where cash might wrongly go out, `nothing` and `offline` are amber. All others
 * are neutral.
 */
const icons = {
  none: IconScan,
  entry: IconKeyboard,
  starting: IconHourglass,
  setup: IconBuildingStore,
  notYet: IconLock,
  never: IconCashOff,
  nothing: IconCircleOff,
  offline: IconCloudOff,
  give: IconCash,
  given: IconCheck,
  opening: IconCash,
  counting: IconCash,
  drawer: IconKey,
  ask: IconQuestionMark,
  locked: IconUserCircle,
} as const;
/** One of the `icons`' names. */
export type BannerTone = keyof typeof icons;

interface StatusBannerProps {
  readonly tone: BannerTone;
  readonly text?: string | undefined;
}

/** The banner. Where the journal cannot be written it says so, whatever the screen's tone is. */
export const StatusBanner = (screen: StatusBannerProps) => {
  const journalFailing = useJournalFailing();
  const { tone, text }: StatusBannerProps = journalFailing ? { tone: "never" } : screen;
  const Icon = icons[tone];
  return (
    <div className={classes.banner} data-region="banner" data-tone={tone}>
      <span className={classes.icon}>
        <Icon size="62%" stroke={2} aria-hidden />
      </span>
      <div>
        <p className={classes.words}>{text ?? t(`cash.${tone}`)}</p>
        {journalFailing && <p>{t("journalFailing.banner")}</p>}
      </div>
    </div>
  );
};
