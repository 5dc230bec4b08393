/** The one screen that offers cash. It exists only when the service has said `settled`. */
import { IconCash, IconLockOpen } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ScreenOf, Settings } from "../../preload/contract.ts";
import type { Actions } from "../ui/action-bar.tsx";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { useJournalFailing } from "../ui/snapshot-store.ts";
import { cashTiles, useShownCash } from "./cash-tiles.tsx";
import { codeFact } from "./facts.ts";
import { NotHandedOut } from "./not-handed-out.tsx";

interface PayableProps {
  readonly screen: ScreenOf<"payable">;
  readonly settings: Pick<Settings, "drawer" | "confirmHandOver">;
}

/** Offers the cash, with other words where it may have been handed out before. */
export const Payable = ({ screen, settings }: PayableProps) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const journalFailing = useJournalFailing();
  const shown = useShownCash(screen);
  const { step, handOutBegun } = screen;
  // Without a drawer the press opens nothing: the cash is handed over with it.
  const byHand = settings.drawer.kind === "none";
  const words = handOutBegun ? "begun" : screen.recovered ? "recovered" : null;
  const notHandedOut = {
    label: t("payable.notHandedOut"),
    shortcut: "secondDeliberate",
    run: () => setAsking(true),
  } as const;
  const handOut = {
    label: byHand ? t("payable.okByHand") : t("payable.ok"),
    icon: <IconCash size={40} stroke={2.2} aria-hidden />,
    command: { type: "hand_out", step, ...shown },
    enabled: !journalFailing,
  } as const;
  // Enter, the key of habit, answers no question about cash that may be given already.
  const whenBegun: Actions = {
    second: notHandedOut,
    main: {
      label: t("payable.hasCash"),
      icon: <IconCash size={40} stroke={2.2} aria-hidden />,
      shortcut: "mainDeliberate",
      command: { type: "hand_out", step, alreadyGiven: true, ...shown },
      enabled: !journalFailing,
    },
    third: { ...handOut, icon: <IconLockOpen size={28} stroke={2.2} aria-hidden />, label: t("payable.openAndGive") },
  };
  const usual: Actions = {
    second: notHandedOut,
    main: handOutBegun ? { ...handOut, shortcut: "mainDeliberate" } : handOut,
  };
  return (
    <Frame
      // Green would say "give" where the cash may be given already, or to whoever stands there now.
      tone={words ? "ask" : "give"}
      {...(words === "recovered" ? { bannerText: t("cash.confirmCustomer") } : {})}
      actions={handOutBegun && !byHand ? whenBegun : usual}
    >
      <ScreenBody
        title={journalFailing ? t("journalFailing.title") : t(words ? `payable.${words}Title` : "payable.title")}
        money={screen.money}
        next={t(journalFailing ? "journalFailing.next" : nextOf(words, byHand, settings.confirmHandOver))}
        cash={journalFailing ? null : cashTiles(screen)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
      <NotHandedOut step={step} opened={isAsking} close={() => setAsking(false)} />
    </Frame>
  );
};

const nextOf = (words: "begun" | "recovered" | null, byHand: boolean, counts: boolean) => {
  if (words === "begun") return byHand ? "payable.begunByHandNext" : "payable.begunNext";
  if (words === "recovered") return "payable.recoveredNext";
  if (byHand) return "payable.byHandNext";
  return counts ? "payable.plainNext" : "payable.atOnceNext";
};
