/** The screens on which cash may leave the drawer: offered, on its way, counted; and the question why it was not handed out. */
import { IconCash, IconCheck, IconLockOpen } from "@tabler/icons-react";
import { t } from "i18next";
import { useState } from "react";
import { undeliveredReasons } from "../../backend/contract/reasons.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import type { Action, Actions } from "../ui/action-bar.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { Dialog, DialogChoice } from "../ui/dialog.tsx";
import type { FrameProps } from "../ui/frame.tsx";
import { useJournalFailing, useSnapshot } from "../ui/snapshot-store.ts";
import { useCashTiles, useShownCash } from "./cash-tiles.tsx";
import { WithdrawalScreen } from "./withdrawal-screen.tsx";

interface HandOutScreenProps extends Pick<FrameProps, "tone" | "bannerText"> {
  readonly screen: ScreenOf<"payable" | "opening" | "counting">;
  readonly title: string;
  readonly next: string;
  /** What the button for cash that stays in the drawer says. */
  readonly notHandedOut: string;
  /** Null: no buttons at all. */
  readonly actions: Actions | null;
}

/** While the journal cannot be written, no cash is offered. */
const HandOutScreen = ({ screen, title, next, notHandedOut, actions, ...frame }: HandOutScreenProps) => {
  const commands = useCommands();
  const [isAsking, setAsking] = useState(false);
  const isFailing = useJournalFailing();
  const tiles = useCashTiles(screen);
  const close = (): void => setAsking(false);
  const second: Action = { label: notHandedOut, shortcut: "secondDeliberate", run: () => setAsking(true) };
  return (
    <WithdrawalScreen
      {...frame}
      screen={screen}
      actions={actions === null ? {} : { ...actions, second }}
      title={isFailing ? t("journalFailing.title") : title}
      next={isFailing ? t("journalFailing.next") : next}
      cash={isFailing ? null : tiles}
    >
      <Dialog opened={isAsking} close={close} title={t("notHandedOut.title")} closeLabel={t("notHandedOut.back")}>
        <p>{t("notHandedOut.next")}</p>
        {undeliveredReasons.map((reason) => (
          <DialogChoice
            key={reason}
            choose={(press) => {
              commands.send(press, { type: "not_handed_out", step: screen.step, reason });
              close();
            }}
          >
            {t(`notHandedOut.${reason}`)}
          </DialogChoice>
        ))}
      </Dialog>
    </WithdrawalScreen>
  );
};

/** The one screen that offers cash, once the service has said `settled`; with other words where it may have been handed out before. */
export const Payable = ({ screen }: { readonly screen: ScreenOf<"payable"> }) => {
  const { settings } = useSnapshot();
  const enabled = !useJournalFailing();
  const shown = useShownCash(screen);
  const { step, handOutBegun, recovered, rejectedHere } = screen;
  // Without a drawer the press opens nothing: the cash is handed over with it.
  const byHand = settings.drawer.kind === "none";
  const words = handOutBegun ? "begun" : recovered ? "recovered" : null;
  const titled = rejectedHere && words !== "begun" ? "rejected" : words;
  const handOut: Action = {
    label: t(byHand ? "payable.okByHand" : "payable.ok"),
    icon: IconCash,
    command: { type: "hand_out", step, ...shown },
    enabled,
  };
  // Enter, the key of habit, answers no question about cash that may be given already.
  const begun: Actions = byHand
    ? { main: { ...handOut, shortcut: "mainDeliberate" } }
    : {
        main: {
          ...handOut,
          label: t("payable.hasCash"),
          shortcut: "mainDeliberate",
          command: { type: "hand_out", step, alreadyGiven: true, ...shown },
        },
        third: { ...handOut, icon: IconLockOpen, label: t("payable.openAndGive") },
      };
  const usual = byHand ? "payable.byHandNext" : settings.confirmHandOver ? "payable.plainNext" : "payable.atOnceNext";
  return (
    <HandOutScreen
      screen={screen}
      // Green would say "give" where the cash may be given already, or to whoever stands there now.
      tone={words ? "ask" : "give"}
      bannerText={words === "recovered" ? t("cash.confirmCustomer") : undefined}
      notHandedOut={t("payable.notHandedOut")}
      actions={handOutBegun ? begun : { main: handOut }}
      title={t(titled ? `payable.${titled}Title` : "payable.title")}
      next={t(
        words === null ? usual : words === "begun" && byHand ? "payable.begunByHandNext" : `payable.${words}Next`,
      )}
    />
  );
};

/** The button that opens the drawer again, and the one that says that the cash was handed over. */
const useHandingOver = (screen: ScreenOf<"opening" | "counting">): Required<Omit<Actions, "second">> => ({
  third: { label: t("opening.again"), icon: IconLockOpen, command: { type: "open_drawer", step: screen.step } },
  main: {
    label: t("opening.handedOut"),
    icon: IconCheck,
    command: { type: "hand_out", step: screen.step, ...useShownCash(screen) },
  },
});

const tones = { checking: "notYet", opening: "opening", failed: "drawer", unknown: "drawer" } as const;

/** The drawer is opening, or did not open: then the cashier says what became of the cash. */
export const Opening = ({ screen }: { readonly screen: ScreenOf<"opening"> }) => {
  const actions = useHandingOver(screen);
  const { drawer, recovered } = screen;
  const tone = tones[drawer];
  return (
    <HandOutScreen
      screen={screen}
      tone={tone}
      bannerText={drawer === "unknown" ? t("cash.drawerUnknown") : undefined}
      notHandedOut={t("opening.notHandedOut")}
      actions={tone === "drawer" ? actions : null}
      title={t(`opening.${drawer}Title`)}
      next={t(drawer === "checking" ? "opening.checkingNext" : `opening.${drawer}${recovered ? "Again" : ""}Next`)}
    />
  );
};

/** The drawer is open: the amount stays while the cash is counted, and only this screen's press says that it was handed over. */
export const Counting = ({ screen }: { readonly screen: ScreenOf<"counting"> }) => {
  const enabled = !useJournalFailing();
  const { main, third } = useHandingOver(screen);
  const { drawer, recovered } = screen;
  const says = drawer === "unknown" ? "" : t(drawer === "open" ? "counting.close" : "counting.closed");
  return (
    <HandOutScreen
      screen={screen}
      tone={recovered ? "counting" : "give"}
      bannerText={t("cash.counting")}
      notHandedOut={t("opening.notHandedOut")}
      actions={{ third, main: { ...main, enabled } }}
      title={t(recovered ? "counting.againTitle" : "counting.title")}
      next={`${t("counting.next")} ${says}`.trim()}
    />
  );
};
