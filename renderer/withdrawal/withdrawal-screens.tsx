/** The screens of a withdrawal, from its look-up to its end, and what they share: title, amount, notes and coins, what to do next, its code, and the buttons. */

import { UnstyledButton } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowRight,
  IconCash,
  IconCheck,
  IconInfoCircle,
  IconLockOpen,
  IconPrinter,
  IconRefresh,
  IconX,
} from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useRef, useState } from "react";
import { create } from "zustand";
import { codeText } from "../../backend/contract/ids.ts";
import { undeliveredReasons } from "../../backend/contract/reasons.ts";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import type { Amount, Cash, OfWithdrawal, Outcome, ScreenOf } from "../../preload/contract.ts";
import { isNote, type Pieces } from "../../preload/notes-and-coins.ts";
import { toneOf } from "../screen-rules.ts";
import { Countdown } from "../ui/countdown.tsx";
import { Dialog, DialogChoice } from "../ui/dialog.tsx";
import { amountText, durationText, faceText, momentText } from "../ui/format.ts";
import { type Action, type Actions, Frame, type FrameProps } from "../ui/frame.tsx";
import { ScreenBody, type ScreenBodyProps, Working } from "../ui/screen-body.tsx";
import { useCommands, useJournalFailing, useSnapshot, useSnapshotStore, useSupport } from "../ui/terminal.tsx";
import { useElapsed, useRemaining } from "../ui/use-remaining.ts";
import classes from "./withdrawal.module.css";

interface WithdrawalScreenProps extends Omit<FrameProps, "children">, ScreenBodyProps {
  /** Its amount is shown, where it has one, and its code among the facts. */
  readonly screen: { readonly transactionId: string | null; readonly money?: Amount | null };
  /** Below the code. */
  readonly more?: ScreenBodyProps["facts"];
  /** Texts for screen readers alone, and dialogs. */
  readonly children?: ReactNode;
}

/** A screen of a withdrawal. */
const WithdrawalScreen = (props: WithdrawalScreenProps) => {
  const { screen, tone, bannerText, actions, facts = [], more = [], children, ...body } = props;
  const code = screen.transactionId === null ? [] : [[t("facts.code"), codeText(screen.transactionId)] as const];
  return (
    <Frame tone={tone} bannerText={bannerText} actions={actions}>
      <ScreenBody money={screen.money ?? null} {...body} facts={[...facts, ...code, ...more]} />
      {children}
    </Frame>
  );
};

/** The button that leaves a screen for the next customer. */
const nextCustomerAction = (label: string, step: string): Action => ({
  label,
  icon: IconArrowRight,
  command: { type: "dismiss", step },
});

type CashScreen = OfWithdrawal & { readonly cash: Cash };

/** What the cashier chose, from the review to the count: each screen in between is a new one. */
const useChoice = create<{ readonly withdrawalId: string; readonly at: number }>(() => ({ withdrawalId: "", at: 0 }));

/** The notes and coins that the screen shows, for the command that says they were handed over; nothing where it shows none. */
const useShownCash = ({ withdrawalId, cash }: CashScreen): { readonly cash?: readonly Pieces[] } => {
  const at = useChoice((choice) => (choice.withdrawalId === withdrawalId ? choice.at : 0));
  const shown = cash[at % Math.max(1, cash.length)];
  return shown === undefined ? {} : { cash: shown };
};

/** Shown instead of the tiles. */
const InTheirPlace = ({ isWarning, title, next }: { isWarning: boolean; title: string; next: string }) => {
  const Sign = isWarning ? IconAlertTriangle : IconInfoCircle;
  return (
    <div className={classes.noTiles} role={isWarning ? "alert" : undefined} data-warning={isWarning || undefined}>
      <Sign size={32} stroke={2.2} aria-hidden />
      <div>
        <strong>{title}</strong>
        <p>{next}</p>
      </div>
    </div>
  );
};

/** The tiles, or why there are none; null where the drawer is not counted here, or holds too little. */
const useCashTiles = (screen: CashScreen & { readonly drawer?: string }): ReactNode => {
  const day = useSnapshotStore((store) => store.snapshot?.header.day);
  if (screen.cash.length > 0) return <CashTiles screen={screen} />;
  if (screen.drawer === "no_notes")
    return <InTheirPlace isWarning title={t("day.noNotesTitle")} next={t("day.noNotes")} />;
  const isCounted = day?.currency === screen.money.currency && day.kind !== "closed" && screen.drawer !== "short";
  return isCounted ? (
    <InTheirPlace isWarning={false} title={t("pieces.unknown")} next={t("pieces.unknownNext")} />
  ) : null;
};

const CashTiles = ({ screen }: { readonly screen: CashScreen }) => {
  const { cash: shown } = useShownCash(screen);
  const { withdrawalId, money, cash } = screen;
  if (shown === undefined) return null;
  const { currency } = money;
  const next = (): void =>
    useChoice.setState((choice) => ({
      withdrawalId,
      at: choice.withdrawalId === withdrawalId ? (choice.at + 1) % cash.length : 1,
    }));
  return (
    <div className={classes.cash}>
      <ul className={classes.tiles} aria-label={t("pieces.title")} data-kinds={Math.min(shown.length, 7)}>
        {shown.map(({ valueMinor, count }) => (
          <li key={valueMinor} data-coin={!isNote(valueMinor, currency) || undefined}>
            <span>
              <strong>{count}</strong> ×
            </span>{" "}
            <span>{faceText(valueMinor, currency)}</span>
          </li>
        ))}
      </ul>
      {cash.length > 1 && (
        <UnstyledButton
          className={classes.otherCash}
          // The next Enter is meant for the screen.
          onMouseDown={(event) => event.preventDefault()}
          onClick={next}
        >
          <IconRefresh size={24} stroke={2.2} aria-hidden />
          {t("pieces.other")}
        </UnstyledButton>
      )}
    </div>
  );
};

/** The expiry is shown only in the last two minutes. */
const expirySoonMs = 120_000;

/** Shows the amount; the cashier confirms or rejects. What the drawer cannot pay is said instead of asking about the amount. */
export const Review = ({ screen }: { readonly screen: ScreenOf<"review"> }) => {
  const { step, money, drawer, missing, shop, orderedMsAgo, expires } = screen;
  const remainingMs = useRemaining(expires);
  const ageMs = useElapsed(orderedMsAgo ?? 0);
  const next = (): string => {
    const short = missing && t("day.missing", { sum: amountText({ ...money, amount: missing }) });
    if (drawer === "short") return [short, t("day.short")].filter(Boolean).join(" ");
    if (drawer === "no_day") return t("refusals.no_day");
    if (expires === null || remainingMs >= expirySoonMs) return t("review.next");
    return remainingMs > 0 ? t("review.expires", { time: durationText(remainingMs) }) : t("review.expired");
  };
  return (
    <WithdrawalScreen
      screen={screen}
      tone="notYet"
      actions={{
        // Esc closes dialogs; here it would reject a customer who waits.
        second: {
          label: t("review.reject"),
          icon: IconX,
          shortcut: "secondDeliberate",
          command: { type: "reject", step },
        },
        main: {
          label: t("review.confirm"),
          icon: IconCheck,
          enabled: drawer === "ok" || drawer === "no_notes",
          // Once it is paid, the cash must be handed out.
          isPlain: drawer === "no_notes",
          command: { type: "confirm", step },
        },
      }}
      title={t(drawer === "short" ? "day.shortTitle" : drawer === "no_day" ? "day.noDayTitle" : "review.title")}
      next={next()}
      cash={useCashTiles(screen)}
      facts={[
        [t("facts.shop"), shop],
        [t("facts.ordered"), orderedMsAgo === null ? null : t("facts.ago", { time: durationText(ageMs) })],
      ]}
    />
  );
};

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

/** Says that the cash is with the customer; leaves by itself. */
export const Done = ({ screen }: { readonly screen: ScreenOf<"done"> }) => {
  const { printer } = useSnapshot().settings;
  const isAsked = printer.kind !== "none" && (printer.receipts === "none" || printer.receipts === "shop");
  return (
    <WithdrawalScreen
      screen={screen}
      tone="given"
      actions={{
        ...(isAsked && {
          third: {
            label: t("printing.customer"),
            icon: IconPrinter,
            command: { type: "print_receipt", withdrawalId: screen.withdrawalId, copy: "customer" },
          },
        }),
        main: nextCustomerAction(t("done.nextCustomer"), screen.step),
      }}
      title={t("done.title")}
      next={t("done.next")}
    />
  );
};

/** Outcomes whose text says: call support. */
const callsSupport: ReadonlySet<Outcome> = new Set(["service_down", "service_refused", "unclear"]);

/** The outcome of a withdrawal, and what to do next. */
export const Ended = ({ screen }: { readonly screen: ScreenOf<"ended"> }) => {
  const support = useSupport();
  const { outcome, money, late, step, drawer, canRetry } = screen;
  const tone = toneOf(outcome);
  // Large where the amount must stay in the drawer, or was paid out.
  const isLarge = money !== null && (tone !== "nothing" || outcome === "not_handed_out");
  const usual = `ended.${outcome}.next` as const;
  return (
    <WithdrawalScreen
      screen={screen}
      tone={tone}
      bannerText={late ? t("ended.earlier") : tone === "given" ? t("cash.givenBefore") : undefined}
      actions={{
        main: nextCustomerAction(t("ended.nextCustomer"), step),
        ...(canRetry && { third: { label: t("ended.retry"), icon: IconRefresh, command: { type: "retry", step } } }),
      }}
      money={isLarge ? money : null}
      title={t(`ended.${outcome}.title`)}
      next={t(drawer === "short" ? "ended.rejected.nextShort" : drawer ? "ended.not_handed_out.nextOpened" : usual)}
      facts={[
        [t("facts.amount"), money && !isLarge ? amountText(money) : null],
        [t("facts.began"), late && momentText(late)],
      ]}
      more={[[t("facts.support"), callsSupport.has(outcome) ? support : null]]}
    />
  );
};
