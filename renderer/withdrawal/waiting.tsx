import { IconArrowRight, IconX } from "@tabler/icons-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import { Countdown } from "../ui/countdown.tsx";
import { Frame } from "../ui/frame.tsx";
import { ScreenBody, Working } from "../ui/screen-body.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useRemaining } from "../ui/use-remaining.ts";
import { cashTiles } from "./cash-tiles.tsx";
import { codeFact } from "./facts.ts";

/** Seconds that are announced to screen readers; every second would drown all else. */
const spokenSeconds: ReadonlySet<number> = new Set([30, 20, scaLastSeconds, 5]);

/** Waits for the customer's approval, then for the bank's payment. */
export const Waiting = ({ screen }: { readonly screen: ScreenOf<"waiting"> }) => {
  const { t } = useTranslation();
  const volume = useSnapshotStore(({ snapshot }) => (snapshot?.settings.sound ? snapshot.settings.volume : 0));
  const remainingMs = useRemaining(screen.countdown);
  const seconds = Math.ceil(remainingMs / 1000);
  const isApproval = screen.phase === "approval";
  const isCounting = screen.countdown !== null && isApproval;
  const spoken = useRef("");

  if (isCounting && spokenSeconds.has(seconds)) spoken.current = t("waiting.left", { count: seconds });

  return (
    <Frame
      tone="notYet"
      actions={
        isApproval
          ? {
              second: {
                label: t("waiting.reject"),
                icon: <IconX size={30} stroke={2.4} aria-hidden />,
                // Esc closes help and dialogs: one press too many must not end what the customer is about to approve.
                shortcut: "secondDeliberate",
                command: { type: "reject", step: screen.step },
              },
            }
          : {
              main: {
                label: t("waiting.nextCustomer"),
                icon: <IconArrowRight size={36} stroke={2.4} aria-hidden />,
                shortcut: "mainDeliberate",
                command: { type: "dismiss", step: screen.step },
              },
            }
      }
    >
      <ScreenBody
        title={isApproval ? t("waiting.approvalTitle") : t("waiting.paymentTitle")}
        money={screen.money}
        next={isApproval ? t("waiting.approvalNext") : t("waiting.paymentNext")}
        aside={
          screen.countdown && isCounting ? (
            <Countdown
              remainingMs={remainingMs}
              totalMs={screen.countdown.totalMs}
              words={seconds > 0 ? t("waiting.left", { count: seconds }) : t("waiting.over")}
              beepVolume={volume}
            />
          ) : (
            <Working />
          )
        }
        cash={cashTiles(screen)}
        facts={[codeFact(t("facts.code"), screen.transactionId)]}
      />
      <p className="visually-hidden" role="status">
        {spoken.current}
      </p>
    </Frame>
  );
};
