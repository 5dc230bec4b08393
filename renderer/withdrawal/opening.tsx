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

const tones = { checking: "notYet", opening: "opening", failed: "drawer", unknown: "drawer" } as const;

/** The drawer is on its way, or did not open: then the cashier says what became of the cash. */
export const Opening = ({ screen }: { readonly screen: ScreenOf<"opening"> }) => {
  const { t } = useTranslation();
  const [isAsking, setAsking] = useState(false);
  const journalFailing = useJournalFailing();
  const shown = useShownCash(screen);
  const tone = tones[screen.drawer];
  const actions: Actions = {
    third: {
      label: t("opening.again"),
      icon: <IconLockOpen size={28} stroke={2.2} aria-hidden />,
      command: { type: "open_drawer", step: screen.step },
    },
    second: { label: t("opening.notHandedOut"), shortcut: "secondDeliberate", run: () => setAsking(true) },
    main: {
      label: t("opening.handedOut"),
      icon: <IconCheck size={38} stroke={2.6} aria-hidden />,
      command: { type: "hand_out", step: screen.step, ...shown },
    },
  };
  return (
    <Frame
      tone={tone}
      {...(screen.drawer === "unknown" ? { bannerText: t("cash.drawerUnknown") } : {})}
      actions={tone === "drawer" ? actions : {}}
    >
      <ScreenBody
        title={t(journalFailing ? "journalFailing.title" : `opening.${screen.drawer}Title`)}
        money={screen.money}
        next={t(journalFailing ? "journalFailing.next" : nextOf(screen))}
        cash={journalFailing ? null : cashTiles(screen)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
      <NotHandedOut step={screen.step} opened={isAsking} close={() => setAsking(false)} />
    </Frame>
  );
};

const nextOf = ({ drawer, recovered }: ScreenOf<"opening">) =>
  drawer === "checking" ? "opening.checkingNext" : (`opening.${drawer}${recovered ? "Again" : ""}Next` as const);
