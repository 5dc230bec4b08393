/** The customer's phone beside the terminal, in training: the same person plays both. */

import { Button } from "@mantine/core";
import { IconDeviceMobile, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useId, useRef, useState } from "react";
import { create } from "zustand";
import { groupId } from "../../backend/contract/ids.ts";
import type { Command, PhoneAccess, PracticeWithdrawal, Reply, Screen, Snapshot } from "../../preload/contract.ts";
import { isPractising } from "../screen-rules.ts";
import { RefusalText, useCommands, useSend } from "../ui/command-context.tsx";
import { amountText, clockText } from "../ui/format.ts";
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
export const isOver = ({ status }: PracticeWithdrawal): boolean => ended.includes(status);

/** @param screen what is in front at the terminal. @returns the withdrawal, whether the last call failed, and the calls. */
const usePractice = (screen: Screen) => {
  const { dispatch } = useCommands();
  const answered = useAnswered((store) => store.withdrawal);
  const [hasFailed, setFailed] = useState(false);
  const id = answered !== null && !isOver(answered) ? answered.transactionId : null;
  const withdrawal = asTheTerminalHasIt(answered, screen);

  // One that has ended is not what the next practice begins with.
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

/** What the customer can do now: ask, show the code, approve or not, ask again. */
const PhoneActions = ({ practice, screen }: Readonly<{ practice: ReturnType<typeof usePractice>; screen: Screen }>) => {
  const commands = useCommands();
  const { withdrawal } = practice;
  if (withdrawal === null)
    return (
      <div className={classes.actions}>
        {amounts.map((amount) => (
          <Button variant="filled" key={amount} size="lg" onClick={() => practice.request(amount)}>
            {amountText({ amount, currency: "EUR" })}
          </Button>
        ))}
      </div>
    );
  if (isOver(withdrawal))
    return (
      <div className={classes.actions}>
        <Button variant="filled" size="lg" onClick={practice.forget}>
          {t("phone.again")}
        </Button>
      </div>
    );
  const { status, transactionId } = withdrawal;
  return (
    <div className={classes.actions}>
      {status === "ready" && (
        <Button
          variant="filled"
          size="lg"
          disabled={screen.kind !== "ready"}
          onClick={() => void commands.dispatch({ type: "scan", text: transactionId, source: "typed" })}
        >
          {t("phone.show")}
        </Button>
      )}
      {status === "awaiting_sca" && (
        <>
          <Button variant="filled" size="lg" onClick={() => practice.decide(true)}>
            {t("phone.approve")}
          </Button>
          <Button size="lg" onClick={() => practice.decide(false)}>
            {t("phone.deny")}
          </Button>
        </>
      )}
      {status === "settling" && <p>{t("phone.paying")}</p>}
      {status === "settled" && <p>{t("phone.paid")}</p>}
    </div>
  );
};

/** The button that opens the pages to a phone. */
const UseRealPhone = () => {
  const { send, refusal } = useSend();
  return (
    <>
      <Button
        size="lg"
        className={classes.start ?? ""}
        leftSection={<IconDeviceMobile size={24} aria-hidden />}
        onClick={() => void send({ type: "open_phone_access", address: null })}
      >
        {t("phone.real.start")}
      </Button>
      <RefusalText refusal={refusal} />
    </>
  );
};

/** While they are open: where, until when, and how to end it. */
const RealPhone = ({ access }: { readonly access: PhoneAccess }) => {
  const { send, refusal } = useSend();
  const title = useId();
  const { url, qr, untilMs, others } = access;
  return (
    <section className={classes.phone} aria-labelledby={title}>
      <h3 id={title} className={classes.ask}>
        {t("phone.real.title")}
      </h3>
      <svg className={classes.qr} viewBox={`0 0 ${qr.size} ${qr.size}`} aria-hidden shapeRendering="crispEdges">
        <path d={qr.path} />
      </svg>
      <p className={classes.address} translate="no">
        {url.replace("http://", "")}
      </p>
      <p>{t("phone.real.until", { time: clockText(untilMs) })}</p>
      <p className={classes.note}>{t("phone.real.next")}</p>
      <div className={classes.actions}>
        {others.map(({ address, card }) => (
          <Button key={address} onClick={() => void send({ type: "open_phone_access", address })}>
            {t("phone.real.other", { card, address })}
          </Button>
        ))}
        <Button variant="filled" size="lg" onClick={() => void send({ type: "close_phone_access" })}>
          {t("phone.real.end")}
        </Button>
      </div>
      <RefusalText refusal={refusal} />
    </section>
  );
};

const overMs = 8_000;

/** The way back to real money, after the practice that ends a set-up: at any time by a press, and by itself once it is over. */
const Leave = ({ isOver }: { readonly isOver: boolean }) => {
  const { send, refusal } = useSend();
  const leave = (): void => void send({ type: "switch_purpose", training: false });
  // A ref, so that what is drawn anew meanwhile does not put the end off.
  const latest = useRef(leave);
  latest.current = leave;
  useEffect(() => {
    if (!isOver) return;
    const timer = window.setTimeout(() => latest.current(), overMs);
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
export const PracticePhone = ({ snapshot, close }: Readonly<{ snapshot: Snapshot; close: () => void }>) => {
  const commands = useCommands();
  const { settings, header, screen, people } = snapshot;
  const practice = usePractice(screen);
  const { withdrawal } = practice;
  const practising = isPractising(snapshot);
  const step = tourStep(withdrawal, screen.kind);
  // Where only a manager may change a setting, a tour that is over is nothing to ask a PIN for.
  const isTouring = !settings.tourSeen && (!people.guarded || people.manager !== null);
  useEffect(() => {
    if (step === tourSteps && isTouring)
      void commands.dispatch({ type: "change_settings", settings: { ...settings, tourSeen: true } });
  }, [step, isTouring, commands, settings]);
  return (
    <aside className={classes.panel} aria-label={t("phone.title")}>
      <div className={classes.top}>
        <h2>{t("phone.title")}</h2>
        {!practising && (
          <Button variant="subtle" onClick={close} aria-label={t("phone.close")}>
            <IconX size={26} aria-hidden />
          </Button>
        )}
      </div>
      {header.phoneAccess === null ? (
        <>
          <p className={classes.tour} role="status" data-step={step}>
            {step > 0 && <strong>{t("phone.step", { number: step, total: tourSteps })}</strong>}
            {practising && step === tourSteps ? t("phone.tour.over") : t(`phone.tour.step${step}`)}
          </p>
          {practising && <Leave isOver={step === tourSteps} />}
          <section className={classes.phone}>
            {withdrawal === null ? (
              <p className={classes.ask}>{t("phone.ask")}</p>
            ) : (
              <>
                <p className={classes.amount}>{amountText(withdrawal)}</p>
                <p>{withdrawal.shop}</p>
                {withdrawal.status === "ready" && <p className={classes.code}>{groupId(withdrawal.transactionId)}</p>}
              </>
            )}
            <PhoneActions practice={practice} screen={screen} />
            {practice.hasFailed && <p role="alert">{t("refusals.failed")}</p>}
          </section>
          {!practising && <UseRealPhone />}
        </>
      ) : (
        <RealPhone access={header.phoneAccess} />
      )}
      {header.sandboxUrl !== null && !practising && (
        <a className={classes.real} href={header.sandboxUrl} target="_blank" rel="noreferrer">
          {t("ready.trainingOpen")}
        </a>
      )}
    </aside>
  );
};
