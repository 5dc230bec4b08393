/** The screens on which somebody else has the word: the service, the customer, the bank. */

import { IconRefresh, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { useRef } from "react";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import { Countdown } from "../ui/countdown.tsx";
import { durationText } from "../ui/format.ts";
import { Working } from "../ui/screen-body.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useElapsed, useRemaining } from "../ui/use-remaining.ts";
import { useCashTiles } from "./cash-tiles.tsx";
import { nextCustomerAction, WithdrawalScreen } from "./withdrawal-screen.tsx";

const cross = <IconX size={30} stroke={2.4} aria-hidden />;

const useIsOffline = () => useSnapshotStore(({ snapshot }) => snapshot?.header.connection === "offline");

/** The code is looked up at the service. */
export const LookingUp = ({ screen }: { readonly screen: ScreenOf<"looking_up"> }) => {
  return (
    <WithdrawalScreen
      tone="notYet"
      actions={{
        second: { label: t("lookingUp.cancel"), icon: cross, command: { type: "dismiss", step: screen.step } },
      }}
      title={t("lookingUp.title")}
      next={t("lookingUp.next")}
      aside={<Working />}
      transactionId={screen.transactionId}
    />
  );
};

/** The confirm is on its way. */
export const Confirming = ({ screen }: { readonly screen: ScreenOf<"confirming"> }) => {
  return (
    <WithdrawalScreen
      tone="notYet"
      title={t("confirming.title")}
      money={screen.money}
      next={t("confirming.next")}
      aside={<Working />}
      cash={useCashTiles(screen)}
      transactionId={screen.transactionId}
    />
  );
};

/** Seconds that are announced to screen readers; every second would drown all else. */
const spokenSeconds: ReadonlySet<number> = new Set([30, 20, scaLastSeconds, 5]);

/** Waits for the customer's approval, then for the bank's payment. */
export const Waiting = ({ screen }: { readonly screen: ScreenOf<"waiting"> }) => {
  const volume = useSnapshotStore(({ snapshot }) => (snapshot?.settings.sound ? snapshot.settings.volume : 0));
  const remainingMs = useRemaining(screen.countdown);
  const seconds = Math.ceil(remainingMs / 1000);
  const isApproval = screen.phase === "approval";
  const isBlind = useIsOffline() && isApproval;
  const isCounting = screen.countdown !== null && isApproval;
  const spoken = useRef("");

  if (isCounting && spokenSeconds.has(seconds)) spoken.current = t("waiting.left", { count: seconds });

  return (
    <WithdrawalScreen
      tone="notYet"
      actions={
        isApproval
          ? {
              second: {
                label: t("waiting.reject"),
                icon: cross,
                // Esc closes help and dialogs: one press too many must not end what the customer is about to approve.
                shortcut: "secondDeliberate",
                command: { type: "reject", step: screen.step },
              },
            }
          : { main: { ...nextCustomerAction(t("waiting.nextCustomer"), screen.step), shortcut: "mainDeliberate" } }
      }
      title={isApproval ? t("waiting.approvalTitle") : t("waiting.paymentTitle")}
      money={screen.money}
      next={t(isBlind ? "waiting.offlineNext" : isApproval ? "waiting.approvalNext" : "waiting.paymentNext")}
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
      cash={useCashTiles(screen)}
      transactionId={screen.transactionId}
    >
      <p className="visually-hidden" role="status">
        {spoken.current}
      </p>
      <p className="visually-hidden" role="status">
        {isBlind && t("waiting.offlineNext")}
      </p>
    </WithdrawalScreen>
  );
};

/** The withdrawal is being rejected at the service. */
export const Closing = ({ screen }: { readonly screen: ScreenOf<"closing"> }) => {
  const isCashier = screen.why === "cashier";
  return (
    <WithdrawalScreen
      tone="never"
      title={isCashier ? t("closing.cashierTitle") : t("closing.timeOutTitle")}
      money={screen.money}
      next={isCashier ? t("closing.cashierNext") : t("closing.timeOutNext")}
      aside={<Working />}
      transactionId={screen.transactionId}
    />
  );
};

/** The payment is unclear; the terminal keeps checking. */
export const Unknown = ({ screen }: { readonly screen: ScreenOf<"unknown"> }) => {
  const elapsedMs = useElapsed(screen.sinceMs);
  const isOffline = useIsOffline();
  const doing = screen.doing === "asking_service" ? t("unknown.asking") : t("unknown.repeating");
  return (
    <WithdrawalScreen
      tone="never"
      actions={{
        third: {
          label: t("unknown.retry"),
          icon: <IconRefresh size={30} stroke={2.4} aria-hidden />,
          command: { type: "retry", step: screen.step },
        },
        main: { ...nextCustomerAction(t("unknown.nextCustomer"), screen.step), isPlain: isOffline },
      }}
      title={t("unknown.title")}
      money={screen.money}
      next={`${t(isOffline ? "unknown.offlineNext" : "unknown.next")} ${doing}`}
      aside={<Working />}
      isAsideSmall
      transactionId={screen.transactionId}
      more={[{ name: t("unknown.since"), value: durationText(elapsedMs) }]}
    />
  );
};
