/** The screens that wait for somebody else: the service, the customer, the bank. */
import { IconRefresh, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { useRef } from "react";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import { Countdown } from "../ui/countdown.tsx";
import { durationText } from "../ui/format.ts";
import { Working } from "../ui/screen-body.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import { useElapsed, useRemaining } from "../ui/use-remaining.ts";
import { useCashTiles } from "./cash-tiles.tsx";
import { nextCustomerAction, WithdrawalScreen } from "./withdrawal-screen.tsx";

/** The code is looked up at the service. */
export const LookingUp = ({ screen }: { readonly screen: ScreenOf<"looking_up"> }) => (
  <WithdrawalScreen
    screen={screen}
    tone="notYet"
    actions={{
      second: { label: t("lookingUp.cancel"), icon: IconX, command: { type: "dismiss", step: screen.step } },
    }}
    title={t("lookingUp.title")}
    next={t("lookingUp.next")}
    aside={<Working />}
  />
);

/** The confirm is on its way. */
export const Confirming = ({ screen }: { readonly screen: ScreenOf<"confirming"> }) => (
  <WithdrawalScreen
    screen={screen}
    tone="notYet"
    title={t("confirming.title")}
    next={t("confirming.next")}
    aside={<Working />}
    cash={useCashTiles(screen)}
  />
);

/** Seconds that are announced to screen readers; every second would drown all else. */
const spokenSeconds: ReadonlySet<number> = new Set([30, 20, scaLastSeconds, 5]);

/** Waits for the customer's approval, then for the bank's payment. */
export const Waiting = ({ screen }: { readonly screen: ScreenOf<"waiting"> }) => {
  const { step, phase, countdown } = screen;
  const { header, settings } = useSnapshot();
  const remainingMs = useRemaining(countdown);
  const seconds = Math.ceil(remainingMs / 1000);
  const isApproval = phase === "approval";
  const isBlind = header.connection === "offline" && isApproval;
  const left = t("waiting.left", { count: seconds });
  const spoken = useRef("");
  if (countdown && isApproval && spokenSeconds.has(seconds)) spoken.current = left;
  return (
    <WithdrawalScreen
      screen={screen}
      tone="notYet"
      actions={
        isApproval
          ? {
              second: {
                label: t("waiting.reject"),
                icon: IconX,
                // Esc closes help and dialogs: one press too many must not end what the customer is about to approve.
                shortcut: "secondDeliberate",
                command: { type: "reject", step },
              },
            }
          : { main: { ...nextCustomerAction(t("waiting.nextCustomer"), step), shortcut: "mainDeliberate" } }
      }
      title={t(`waiting.${phase}Title`)}
      next={t(isBlind ? "waiting.offlineNext" : `waiting.${phase}Next`)}
      aside={
        countdown && isApproval ? (
          <Countdown
            remainingMs={remainingMs}
            totalMs={countdown.totalMs}
            words={seconds > 0 ? left : t("waiting.over")}
            beepVolume={settings.sound ? settings.volume : 0}
          />
        ) : (
          <Working />
        )
      }
      cash={useCashTiles(screen)}
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
  const why = screen.why === "cashier" ? "cashier" : "timeOut";
  return (
    <WithdrawalScreen
      screen={screen}
      tone="never"
      title={t(`closing.${why}Title`)}
      next={t(`closing.${why}Next`)}
      aside={<Working />}
    />
  );
};

/** The payment is unclear and the terminal keeps checking, or nobody but a manager can find out. */
export const Unknown = ({ screen }: { readonly screen: ScreenOf<"unknown"> }) => {
  const { step, sinceMs, doing } = screen;
  const elapsedMs = useElapsed(sinceMs);
  const isOffline = useSnapshot().header.connection === "offline";
  if (doing === "manager_decides")
    return (
      <WithdrawalScreen
        screen={screen}
        tone="never"
        actions={{ main: nextCustomerAction(t("unknown.nextCustomer"), step) }}
        title={t("unknown.managerTitle")}
        next={t("unknown.manager")}
      />
    );
  return (
    <WithdrawalScreen
      screen={screen}
      tone="never"
      actions={{
        third: { label: t("unknown.retry"), icon: IconRefresh, command: { type: "retry", step } },
        main: { ...nextCustomerAction(t("unknown.nextCustomer"), step), isPlain: isOffline },
      }}
      title={t("unknown.title")}
      next={`${t(isOffline ? "unknown.offlineNext" : "unknown.next")} ${t(doing === "asking_service" ? "unknown.asking" : "unknown.repeating")}`}
      aside={<Working />}
      isAsideSmall
      more={[[t("unknown.since"), durationText(elapsedMs)]]}
    />
  );
};
