/** The layout of all screens, in which no region moves or changes its size: a banner that says whether cash may be given, the content, a line for toasts, the actions. */

import { Loader, UnstyledButton } from "@mantine/core";
import {
  type Icon,
  IconBuildingStore,
  IconCash,
  IconCashOff,
  IconCheck,
  IconCircleOff,
  IconCloudOff,
  IconHourglass,
  IconInfoCircle,
  IconKey,
  IconKeyboard,
  IconLock,
  IconPrinter,
  IconQuestionMark,
  IconScan,
  IconUserCircle,
} from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { create } from "zustand";
import type { Command } from "../../preload/contract.ts";
import { LinkButton } from "./controls.tsx";
import classes from "./frame.module.css";
import { type Shortcut, shortcutText } from "./shortcuts.ts";
import { useCommands, useJournalFailing, useSnapshotStore } from "./terminal.tsx";
import { useKeys } from "./use-keys.ts";

/** Why the receipt is not printed, with buttons to retry or to drop it; nothing while all is printed. */
const PrinterLine = () => {
  const commands = useCommands();
  const printing = useSnapshotStore((store) => store.snapshot?.header.printing);
  if (!printing) return null;
  const why = t(`printing.why.${printing.why}`);
  const waiting = printing.waiting > 1 ? `${t("printing.waiting", { count: printing.waiting })}.` : "";
  const button = (label: string, type: "retry_print" | "drop_prints") => (
    <LinkButton
      px="sm"
      c="var(--ink)"
      fz="inherit"
      // The next Enter is meant for the screen.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => void commands.dispatch({ type })}
    >
      {label}
    </LinkButton>
  );
  return (
    <div className={classes.printer}>
      <IconPrinter size={26} stroke={2} aria-hidden />
      <p>
        {t(printing.isUnclear ? "printing.unclear" : "printing.notPrinted", { why })}{" "}
        {printing.isRetried ? t("printing.retried") : waiting}
      </p>
      {button(t("printing.retry"), "retry_print")}
      {button(t("printing.drop"), "drop_prints")}
    </div>
  );
};

const shownMs = 6000;

/** The line for toasts and refusals; each stays for six seconds, a refusal until the next press. */
export const ToastLine = () => {
  const toast = useSnapshotStore((store) => store.snapshot?.toast ?? null);
  const toastAtMs = useSnapshotStore((store) => store.toastAtMs);
  const isReview = useSnapshotStore((store) => store.snapshot?.screen.kind === "review");
  const { refusal, shown, pending } = useCommands();
  const [said, setSaid] = useState<{ readonly text: string; readonly isRefusal: boolean } | null>(null);

  useEffect(() => {
    if (!toast || performance.now() - toastAtMs >= shownMs) return;
    // A look-up may end before the toast about another scan during it was read.
    const isCarriedOver = isReview && toast.code === "busy_lookup";
    if (toast.id === shown.toast && !isCarriedOver) return;
    shown.toast = toast.id;
    setSaid({ text: t(`toasts.${isCarriedOver ? "busy_review" : toast.code}`), isRefusal: false });
  }, [toast, toastAtMs, isReview, shown]);
  useEffect(() => {
    if (!refusal || refusal === shown.refusal) return;
    shown.refusal = refusal;
    setSaid({ text: t(`refusals.${refusal.code}`), isRefusal: true });
  }, [refusal, shown]);
  useLayoutEffect(() => {
    // It would be read as the answer to this press.
    if (pending !== null) setSaid((before) => (before?.isRefusal ? null : before));
  }, [pending]);
  useEffect(() => {
    if (said === null) return;
    const timer = window.setTimeout(() => setSaid(null), shownMs);
    return () => window.clearTimeout(timer);
  }, [said]);

  return (
    <div className={classes.line} data-region="toast" role="status">
      {said === null ? (
        <PrinterLine />
      ) : (
        <p className={classes.text}>
          <IconInfoCircle size={28} stroke={2} aria-hidden />
          {said.text}
        </p>
      )}
    </div>
  );
};

interface ActionBase {
  readonly label: string;
  readonly icon?: Icon;
  /** Default: the shortcut of its place. */
  readonly shortcut?: Shortcut;
  readonly enabled?: boolean;
  /** A main action that needs a second thought: it looks like the others, and Enter does not press it. */
  readonly isPlain?: boolean;
}

/** An action sends a command for the current step, or does something on this page alone. */
export type Action = ActionBase & ({ readonly command: Command } | { readonly run: () => void });

/** What a screen offers, by place. */
export interface Actions {
  readonly main?: Action;
  readonly second?: Action;
  readonly third?: Action;
}

type Place = keyof Actions;

const ActionButton = ({ action, place }: { readonly action: Action; readonly place: Place }) => {
  const commands = useCommands();
  const isPending = "command" in action && commands.pending === action.command.type;
  const isOpen = (action.enabled ?? true) && commands.pending === null && commands.armed;
  const act = (press: { readonly timeStamp: number }): void => {
    if (action.enabled === false) return;
    if ("command" in action) commands.send(press, action.command);
    else commands.runLocally(press, action.run);
  };
  const Sign = action.icon;
  const isMain = place === "main" && !action.isPlain;
  const shortcut = action.shortcut ?? (action.isPlain ? "mainDeliberate" : place);
  useKeys(shortcut, act);
  return (
    <UnstyledButton
      className={classes.action}
      data-place={place}
      data-main={isMain || undefined}
      data-off={action.enabled === false || undefined}
      data-busy={(commands.pending !== null && !isPending) || commands.held || undefined}
      aria-disabled={!isOpen}
      aria-busy={isPending}
      // A press that was ignored as too early must not leave the focus here, where Enter would repeat it.
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      <span className={classes.label}>
        {isPending ? (
          <Loader size={30} color="currentColor" />
        ) : (
          Sign && <Sign size={isMain ? 38 : 30} stroke={2.3} aria-hidden />
        )}
        <span>{action.label}</span>
      </span>
      <span className={classes.keys} aria-hidden>
        {shortcutText(shortcut)}
      </span>
    </UnstyledButton>
  );
};

/** The buttons at the bottom. @param gives cash goes out on this screen, so the main button is green. */
export const ActionBar = ({ actions, gives }: { readonly actions: Actions; readonly gives: boolean }) => (
  <div className={classes.bar} data-region="actions" data-gives={gives || undefined}>
    {actions.second && <ActionButton action={actions.second} place="second" />}
    {actions.third && <ActionButton action={actions.third} place="third" />}
    {actions.main && <ActionButton action={actions.main} place="main" />}
  </div>
);

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

/** What a frame is given. */
export interface FrameProps {
  readonly tone: BannerTone;
  readonly bannerText?: string | undefined;
  readonly actions?: Actions | undefined;
  readonly children: ReactNode;
}

/** Lays out one screen and puts the focus on it. */
export const Frame = ({ tone: usualTone, bannerText, actions, children }: FrameProps) => {
  const tone = useJournalFailing() ? "never" : usualTone;
  const { step } = useCommands();
  // Each step mounts a new frame. A field within that takes the focus does so in an effect, which is after this.
  useLayoutEffect(focusScreen, []);
  useEffect(countDrawnFrame, []);
  return (
    <main className={classes.frame} tabIndex={-1} data-tone={tone} data-step={step}>
      <StatusBanner tone={tone} text={bannerText} />
      <div className={classes.content} data-region="content">
        {children}
      </div>
      <ToastLine />
      <ActionBar actions={actions ?? {}} gives={tone === "give"} />
    </main>
  );
};

/**
 * Puts the focus on the screen itself, where Enter means its main action. A button that kept the focus from before (a chip of
 * the header, the last screen's Reject) would take Enter for itself.
 */
export const focusScreen = (): void => {
  document.querySelector<HTMLElement>("main[tabindex], main h1[tabindex]")?.focus({ preventScroll: true });
};

/** A store hook: the number of frames since the page was opened. */
export const useFrameCount = create(() => ({ count: 0 }));

/** Called by each frame once it is drawn. */
const countDrawnFrame = (): void => useFrameCount.setState(({ count }) => ({ count: count + 1 }));
