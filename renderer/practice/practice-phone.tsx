/** The customer's phone beside the terminal, in training: the same person plays both. */

import { ActionIcon, Button, type ButtonProps, Group, Stack, Text } from "@mantine/core";
import { IconDeviceMobile, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useEffectEvent, useId, useState } from "react";
import { create } from "zustand";
import { groupId } from "../../backend/contract/ids.ts";
import type { Command, PhoneAccess, PracticeWithdrawal, Reply, Screen } from "../../preload/contract.ts";
import { isPractising } from "../screen-rules.ts";
import { SendButton } from "../ui/controls.tsx";
import { amountText, clockText } from "../ui/format.ts";
import { RefusalText, useCommands, useSend, useSettingsChange, useSnapshot } from "../ui/terminal.tsx";
import { closePracticePhone } from "./open-phone.ts";
import classes from "./practice.module.css";
import { asTheTerminalHasIt, tourStep, tourSteps } from "./tour.ts";

type PracticeCommand = Extract<Command, { type: `practice_${string}` }>;

const pollMs = 700;
const ended: readonly string[] = ["linked", "undelivered", "declined", "rejected", "canceled", "expired", "failed"];

/** Outlives the phone, which goes while something lies over the screen. */
const useAnswered = create<{ readonly withdrawal: PracticeWithdrawal | null }>(() => ({ withdrawal: null }));
const take = (reply: Reply): void => {
  if (reply.ok && reply.data !== undefined) useAnswered.setState({ withdrawal: reply.data as PracticeWithdrawal });
};

/** Whether nothing more will happen to it. */
const isOver = ({ status }: PracticeWithdrawal): boolean => ended.includes(status);

/** The withdrawal on the phone, and what the customer can do with it. @param screen of the terminal beside it. */
const usePractice = (screen: Screen) => {
  const { dispatch } = useCommands();
  const answered = useAnswered((store) => store.withdrawal);
  const [hasFailed, setFailed] = useState(false);
  const id = answered !== null && !isOver(answered) ? answered.transactionId : null;
  const withdrawal = asTheTerminalHasIt(answered, screen);

  // The next practice does not begin with one that has ended.
  useEffect(
    () => () =>
      useAnswered.setState(({ withdrawal: last }) => (last !== null && isOver(last) ? { withdrawal: null } : {})),
    [],
  );

  const call = async (command: PracticeCommand): Promise<void> => {
    const reply = await dispatch(command);
    setFailed(!reply.ok);
    take(reply);
  };

  useEffect(() => {
    if (id === null) return;
    let isOn = true;
    const timer = window.setInterval(() => {
      void dispatch({ type: "practice_read", transactionId: id }).then((reply) => isOn && take(reply));
    }, pollMs);
    return () => {
      isOn = false;
      window.clearInterval(timer);
    };
  }, [dispatch, id]);

  return {
    withdrawal,
    hasFailed,
    request: (amount: string) => void call({ type: "practice_request", amount }),
    decide: (approved: boolean) =>
      withdrawal && void call({ type: "practice_decide", transactionId: withdrawal.transactionId, approved }),
    forget: () => useAnswered.setState({ withdrawal: null }),
  };
};

const amounts = ["20.00", "50.00", "100.00"] as const;

const PhoneActions = ({ practice }: { readonly practice: ReturnType<typeof usePractice> }) => {
  const commands = useCommands();
  const { screen, header } = useSnapshot();
  const { withdrawal } = practice;
  // On a slow machine the phone is there before its bank.
  const disabled = header.connection !== "online";
  const button = (label: string, press: () => void, more?: ButtonProps) => (
    <Button key={label} variant="filled" fz="lg" {...more} onClick={press}>
      {label}
    </Button>
  );
  if (withdrawal === null)
    return amounts.map((amount) =>
      button(amountText({ amount, currency: "EUR" }), () => practice.request(amount), { disabled }),
    );
  if (isOver(withdrawal)) return button(t("phone.again"), practice.forget);
  const { status, transactionId } = withdrawal;
  const show = (): void => void commands.dispatch({ type: "scan", text: transactionId, source: "typed" });
  switch (status) {
    case "ready":
      return button(t("phone.show"), show, { disabled: screen.kind !== "ready" });
    case "awaiting_sca":
      return (
        <>
          {button(t("phone.approve"), () => practice.decide(true))}
          {button(t("phone.deny"), () => practice.decide(false), { variant: "default" })}
        </>
      );
    case "settling":
      return <p>{t("phone.paying")}</p>;
    case "settled":
      return <p>{t("phone.paid")}</p>;
    default:
      return null;
  }
};

/** While the pages are open to a real phone: where, until when, and how to end it. */
const RealPhone = ({ access }: { readonly access: PhoneAccess }) => {
  const title = useId();
  const { url, qr, untilMs, others } = access;
  return (
    <section className={classes.phone} aria-labelledby={title}>
      <Text component="h3" inherit fw={600} id={title}>
        {t("phone.real.title")}
      </Text>
      <svg className={classes.qr} viewBox={`0 0 ${qr.size} ${qr.size}`} aria-hidden shapeRendering="crispEdges">
        <path d={qr.path} />
      </svg>
      <Text inherit fz="sm" className={classes.code} translate="no">
        {url.replace("http://", "")}
      </Text>
      <p>{t("phone.real.until", { time: clockText(untilMs) })}</p>
      <Text inherit fz="sm">
        {t("phone.real.next")}
      </Text>
      {others.map(({ address, card }) => (
        <SendButton key={address} command={{ type: "open_phone_access", address }}>
          {t("phone.real.other", { card, address })}
        </SendButton>
      ))}
      <SendButton variant="filled" fz="lg" command={{ type: "close_phone_access" }}>
        {t("phone.real.end")}
      </SendButton>
    </section>
  );
};

const overMs = 8_000;

/** The way back to real money, after the practice that ends a set-up: at any time by a press, and by itself once it is over. */
const Leave = ({ isOver }: { readonly isOver: boolean }) => {
  const { send, refusal } = useSend();
  const leave = (): void => void send({ type: "switch_purpose", training: false });
  const leaveAtLast = useEffectEvent(leave);
  useEffect(() => {
    if (!isOver) return;
    const timer = window.setTimeout(leaveAtLast, overMs);
    return () => window.clearTimeout(timer);
  }, [isOver]);
  return (
    <>
      <Button size="lg" variant={isOver ? "filled" : "default"} onClick={leave}>
        {isOver ? t("phone.finish") : t("phone.leave")}
      </Button>
      <RefusalText refusal={refusal} />
    </>
  );
};

/** The customer's phone to practise with, beside the terminal in training. */
export const PracticePhone = () => {
  const change = useSettingsChange();
  const snapshot = useSnapshot();
  const { settings, header, screen, people } = snapshot;
  const practice = usePractice(screen);
  const { withdrawal } = practice;
  const practising = isPractising(snapshot);
  const step = tourStep(withdrawal, screen.kind);
  const isTourOver = step === tourSteps;
  // Where only a manager may change a setting, a tour that is over is nothing to ask a PIN for.
  const isTouring = !settings.tourSeen && (!people.guarded || people.manager !== null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the tour that matters
  useEffect(() => {
    if (isTourOver && isTouring) void change({ tourSeen: true });
  }, [isTourOver, isTouring]);
  return (
    <aside className={classes.panel} aria-label={t("phone.title")}>
      <Group justify="space-between">
        <h2>{t("phone.title")}</h2>
        {!practising && (
          <ActionIcon onClick={closePracticePhone} aria-label={t("phone.close")}>
            <IconX size={26} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      {header.phoneAccess === null ? (
        <>
          <p className={classes.tour} role="status" data-step={step}>
            {step > 0 && <strong>{t("phone.step", { number: step, total: tourSteps })}</strong>}
            {practising && isTourOver ? t("phone.tour.over") : t(`phone.tour.step${step}`)}
          </p>
          {practising && <Leave isOver={isTourOver} />}
          <section className={classes.phone}>
            {withdrawal === null ? (
              <Text inherit fw={600}>
                {t("phone.ask")}
              </Text>
            ) : (
              <>
                <Text inherit fz="var(--text-banner)" fw={700} lh={1.4}>
                  {amountText(withdrawal)}
                </Text>
                <p>{withdrawal.shop}</p>
                {withdrawal.status === "ready" && <p className={classes.code}>{groupId(withdrawal.transactionId)}</p>}
              </>
            )}
            <Stack gap="xs">
              <PhoneActions practice={practice} />
            </Stack>
            {practice.hasFailed && <p role="alert">{t("refusals.failed")}</p>}
          </section>
          {!practising && (
            <SendButton
              fz="lg"
              leftSection={<IconDeviceMobile size={24} aria-hidden />}
              command={{ type: "open_phone_access", address: null }}
            >
              {t("phone.real.start")}
            </SendButton>
          )}
        </>
      ) : (
        <RealPhone access={header.phoneAccess} />
      )}
      {header.sandboxUrl !== null && !practising && (
        <Button
          variant="transparent"
          px={0}
          c="var(--ink)"
          td="underline"
          component="a"
          href={header.sandboxUrl}
          target="_blank"
          rel="noreferrer"
        >
          {t("ready.trainingOpen")}
        </Button>
      )}
    </aside>
  );
};
