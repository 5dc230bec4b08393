/** The drawer is open: the amount stays while the cash is counted, and only this screen's press says that it was handed over. */
import { IconCheck, IconLockOpen } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import type { Actions } from "../ui/action-bar.tsx";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody } from "../ui/screen-body.tsx";
import { useJournalFailing } from "../ui/snapshot-store.ts";
import { cashTiles, useShownCash } from "./cash-tiles.tsx";
import { codeFact } from "./facts.ts";
import { NotHandedOut } from "./not-handed-out.tsx";

/** Asks whether the cash was handed over, while the drawer is open. */
export const Counting = ({ screen }: { readonly screen: ScreenOf<"counting"> }) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const journalFailing = useJournalFailing();
  const shown = useShownCash(screen);
  const { step, recovered } = screen;
  const actions: Actions = {
    second: {
      label: t("opening.notHandedOut"),
      shortcut: "secondDeliberate",
      run: () => setAsking(true),
    },
    third: {
      label: t("opening.again"),
      icon: <IconLockOpen size={28} stroke={2.2} aria-hidden />,
      command: { type: "open_drawer", step },
    },
    main: {
      label: t("opening.handedOut"),
      icon: <IconCheck size={38} stroke={2.6} aria-hidden />,
      command: { type: "hand_out", step, ...shown },
      enabled: !journalFailing,
    },
  };
  const drawer = screen.drawer === "unknown" ? "" : t(screen.drawer === "open" ? "counting.close" : "counting.closed");
  return (
    <Frame tone={recovered ? "counting" : "give"} bannerText={t("cash.counting")} actions={actions}>
      <ScreenBody
        title={t(journalFailing ? "journalFailing.title" : recovered ? "counting.againTitle" : "counting.title")}
        money={screen.money}
        next={journalFailing ? t("journalFailing.next") : `${t("counting.next")} ${drawer}`.trim()}
        cash={journalFailing ? null : cashTiles(screen)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
      <NotHandedOut step={step} opened={isAsking} close={() => setAsking(false)} />
    </Frame>
  );
};
