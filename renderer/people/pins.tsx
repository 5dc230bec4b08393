/** Who is asked for a PIN: over whatever screen needs it, and on the lock screen. And the forms that set one. */

import { Button, Group, Stack, Text, TextInput, type TextInputProps } from "@mantine/core";
import { IconBackspace, IconLogin2 } from "@tabler/icons-react";
import { type TFunction, t } from "i18next";
import { type FormEvent, type ReactNode, type Ref, useEffect, useRef, useState } from "react";
import { pinLengths } from "../../preload/choices.ts";
import type { Command, Language, PeopleView, PersonView, Refusal, Reply, Snapshot } from "../../preload/contract.ts";
import { totalOf } from "../../preload/notes-and-coins.ts";
import { pinFieldMark } from "../scan/keyboard/listen.ts";
import type { ScreenBridge } from "../ui/bridge.ts";
import { LinkButton, OnScreenKey } from "../ui/controls.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { HiddenSubmit, Select, useFields } from "../ui/fields.tsx";
import { amountText, durationText, minorText } from "../ui/format.ts";
import { Frame } from "../ui/frame.tsx";
import { useCommands, useSnapshot } from "../ui/terminal.tsx";
import { useRemaining } from "../ui/use-remaining.ts";
import type { ApprovableCommand, PinQuestion } from "./authority.tsx";
import classes from "./people.module.css";

interface PinDialogProps {
  readonly question: PinQuestion;
  /** The bridge itself: what is asked here is asked once. */
  readonly bridge: ScreenBridge;
}

/** Who may answer: managers, and where the settings allow it any cashier but the one who asks. */
const mayAnswer = ({ command }: PinQuestion, { people, settings }: Snapshot): readonly PersonView[] => {
  const hasSecond = settings.people.notHandedOutBy === "second_person" && people.cashier !== null;
  const byAnyone = command?.type === "not_handed_out" && hasSecond;
  return people.list.filter(({ code, role }) => role === "manager" || (byAnyone && code !== people.cashier?.code));
};

/** Refusals that leave the question open: another try may succeed. */
const answerable: readonly Refusal[] = [
  "wrong_pin",
  "wait",
  "busy",
  "weak_pin",
  "approval_needed",
  "invalid",
  "denied",
  "unreachable",
  "failed",
];
const isAboutPin = (reply: Reply): boolean => !reply.ok && answerable.includes(reply.code);

interface ApprovalRequest {
  /** `manager`: the second person must be one, whoever else is here, and the dialog says so. */
  readonly wording: "approval" | "manager";
  /** "Cash out · €20.00 · Takings" */
  readonly subject: string;
}

/** What a second person agrees to; null where there is no more to say than that a manager is wanted. */
export const approvalRequest = (
  command: Command | null,
  { screen, header }: Snapshot,
  t: TFunction,
  language?: Language,
): ApprovalRequest | null => {
  const request = (
    wording: ApprovalRequest["wording"],
    ...parts: readonly (string | null | undefined)[]
  ): ApprovalRequest => ({
    wording,
    subject: parts.filter(Boolean).join(" · "),
  });
  const sum = (minor: number) => header.day?.currency && minorText(minor, header.day.currency, language);
  /** Only of the withdrawal that the command is about: another one may have come to the screen since. */
  const amount = ({ step }: { readonly step: string }) =>
    step === screen.step && "money" in screen && screen.money !== null ? amountText(screen.money, language) : null;
  const noted = (reason: string, note: string) => [reason, note].filter(Boolean).join(": ");
  switch (command?.type) {
    case "not_handed_out":
      return request("approval", t("payable.notHandedOut"), amount(command), t(`notHandedOut.${command.reason}`));
    case "hand_out":
      return request("approval", t("payable.openAndGive"), amount(command));
    case "open_drawer":
      return request("approval", t("opening.again"), amount(command));
    case "no_sale":
      return request("approval", t("day.noSale"), noted(t(`day.noSaleReasons.${command.reason}`), command.note));
    case "move_cash": {
      const direction = t(command.direction === "in" ? "day.cashIn" : "day.cashOut");
      const why = noted(t(`day.reasons.${command.reason}`), command.note);
      return request("manager", direction, sum(command.amountMinor), why);
    }
    case "recount_day":
      return request("manager", t("day.recount"));
    case "close_day":
      return request("manager", t("day.closeTitle"), sum(totalOf(command.takeOut)), command.reason);
    case "get_day":
      return request("manager", t("day.reveal"));
    default:
      // A command that can be approved and is missing above does not compile.
      command satisfies Exclude<Command, ApprovableCommand> | null | undefined;
      return null;
  }
};

/** The dialog of one question. */
export const PinDialog = ({ question, bridge }: PinDialogProps) => {
  const snapshot = useSnapshot();
  const { kind, resend, end, refused } = question;
  const asked = mayAnswer(question, snapshot);
  const request = approvalRequest(question.command, snapshot, t);
  const wording = (kind === "approval" && request?.wording) || kind;
  const [instead, setInstead] = useState<"reset" | "change" | null>(null);
  const endUnlessPin = async (reply: Reply): Promise<Reply> => {
    if (!isAboutPin(reply)) end(reply.ok && kind !== "approval" ? await resend() : reply);
    return reply;
  };
  const attempt = async (person: string, pin: string): Promise<Reply> =>
    endUnlessPin(
      kind === "approval"
        ? await resend({ person, pin })
        : await bridge.dispatch({ type: "sign_in", person, pin, as: "manager" }),
    );
  const save = async (name: string, pin: string): Promise<Reply> =>
    endUnlessPin(await bridge.dispatch({ type: "set_manager_pin", name, pin }));
  const managers = snapshot.people.managers;
  // Nobody whose PIN could be asked for: their file is damaged or gone.
  const isLost = kind === "manager" && (managers === "lost" || managers === "unreadable");
  const reset = async (command: Command): Promise<Reply> => endUnlessPin(await bridge.dispatch(command));
  const shown = isLost ? "reset" : instead;
  if (shown === "reset")
    return (
      <Dialog opened close={() => end(refused)} title={t("people.resetTitle")} closeLabel={t("people.cancel")}>
        <ResetPin people={snapshot.people} dispatch={reset} />
      </Dialog>
    );
  if (shown === "change")
    return (
      <Dialog opened close={() => setInstead(null)} title={t("people.changePin")} closeLabel={t("people.cancel")}>
        <ChangePin people={asked} dispatch={bridge.dispatch} done={() => setInstead(null)} />
      </Dialog>
    );
  return (
    <Dialog opened close={() => end(refused)} title={t(`people.${wording}Title`)} closeLabel={t("people.cancel")}>
      {kind === "first" ? (
        <>
          <Text inherit c="dimmed">
            {t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}
          </Text>
          <FirstPin save={save} />
        </>
      ) : (
        <PinEntry people={asked} attempt={attempt}>
          {request !== null && (
            <p>
              <strong>{request.subject}</strong>
            </p>
          )}
          <Text inherit c="dimmed">
            {t(`people.${wording}Next`)}
          </Text>
          <Group gap="xs">
            <LinkButton onClick={() => setInstead("change")}>{t("people.changePin")}</LinkButton>
            {kind === "manager" && !snapshot.header.training && (
              <LinkButton onClick={() => setInstead("reset")}>{t("people.forgotten")}</LinkButton>
            )}
          </Group>
        </PinEntry>
      )}
    </Dialog>
  );
};

/**
 * Asks who is at the counter: nothing of a withdrawal can be pressed until a cashier has signed in.
 * @param props.lastHere the cashier who was here last, so that coming back from a break is one PIN.
 */
export const LockScreen = ({ lastHere }: { readonly lastHere: string }) => {
  const { dispatch } = useCommands();
  const { list } = useSnapshot().people;
  const form = useRef<HTMLFormElement>(null);
  const [isChanging, setChanging] = useState(false);
  const close = (): void => setChanging(false);
  return (
    <Frame
      tone="locked"
      actions={{
        third: { label: t("people.changePin"), run: () => setChanging(true) },
        main: {
          label: t("people.ok"),
          icon: IconLogin2,
          shortcut: "mainDeliberate",
          run: () => form.current?.requestSubmit(),
        },
      }}
    >
      <PinEntry
        people={list}
        first={lastHere}
        form={form}
        attempt={(person, pin) => dispatch({ type: "sign_in", person, pin, as: "cashier" })}
      >
        <h1>{t("people.lockTitle")}</h1>
        <Text inherit c="dimmed">
          {t("people.lockNext")}
        </Text>
      </PinEntry>
      <Dialog opened={isChanging} close={close} title={t("people.changePin")} closeLabel={t("people.cancel")}>
        <ChangePin people={list} dispatch={dispatch} done={close} />
      </Dialog>
    </Frame>
  );
};

interface PinFieldProps extends Omit<TextInputProps, "onChange"> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A scanner types here: letters, or more digits than a PIN has. */
  readonly onForeignKey?: () => void;
}

/** One PIN as it is typed; everything but digits is dropped. A dialog opens with its first. */
export const PinField = ({ value, onChange, onForeignKey, ...more }: PinFieldProps) => (
  <TextInput
    {...more}
    {...pinFieldMark}
    type="password"
    classNames={{ input: classes.typed }}
    data-autofocus
    inputMode="none"
    autoComplete="off"
    maxLength={pinLengths.max}
    value={value}
    onKeyDown={({ key }) => {
      if (key.length === 1 && (!/\d/.test(key) || value.length >= pinLengths.max)) onForeignKey?.();
    }}
    onChange={(event) => onChange(event.currentTarget.value.replace(/\D/g, ""))}
  />
);

interface DigitsProps {
  /** Computes the new value from the current one: two touches can come before the first is rendered. */
  readonly change: (update: (value: string) => string) => void;
  readonly disabled?: boolean;
  /** The key of the decimal separator, where there is one. */
  readonly decimal?: { readonly sign: string; readonly disabled: boolean } | undefined;
}

/** The keys for whoever touches. They leave the focus where it is. */
export const Digits = ({ change, disabled, decimal }: DigitsProps) => {
  const type = (digit: string) => () => change((value) => (value + digit).slice(0, pinLengths.max));
  const key = (digit: string) => <OnScreenKey key={digit} name={digit} press={type(digit)} disabled={disabled} />;
  return (
    <fieldset className={classes.digits} aria-label={t("people.digits")}>
      {[..."123456789"].map(key)}
      {decimal ? <OnScreenKey name={decimal.sign} press={type(decimal.sign)} disabled={decimal.disabled} /> : <span />}
      {key("0")}
      <OnScreenKey name={t("people.erase")} press={() => change((value) => value.slice(0, -1))} disabled={disabled}>
        <IconBackspace size={30} stroke={2} aria-hidden />
      </OnScreenKey>
    </fieldset>
  );
};

interface PinEntryProps {
  readonly people: readonly PersonView[];
  /** The person to begin with, nobody where the list has no such one; else the first. */
  readonly first?: string;
  /** What the PIN is for, above the names. */
  readonly children: ReactNode;
  /** Where a button elsewhere submits it. */
  readonly form?: Ref<HTMLFormElement>;
  readonly attempt: (person: string, pin: string) => Promise<Reply>;
}

/** Asks who it is, and for the PIN until it is right: the same on the lock screen and in the question over a screen. A wrong PIN empties the field and says so. */
export const PinEntry = ({ people, first, children, form, attempt }: PinEntryProps) => {
  const field = useRef<HTMLInputElement>(null);
  const foreignKey = useRef(false);
  const [chosen, setChosen] = useState(first ?? people[0]?.code ?? "");
  const [pin, setPin] = useState("");
  const [isChecking, setChecking] = useState(false);
  const [fault, setFault] = useState("");
  const person = people.length === 1 ? people[0] : people.find(({ code }) => code === chosen);
  /** How long no PIN of this person is looked at, counted down since the snapshot. */
  const totalMs = person?.waitMs ?? 0;
  const waitMs = useRemaining(totalMs > 0 ? { totalMs, remainingMs: totalMs } : null);
  const isReady = waitMs === 0 && !isChecking && pin.length >= pinLengths.cashier;
  useEffect(() => field.current?.focus(), []);
  const choose = (code: string) => (): void => {
    setChosen(code);
    // A PIN that was typed before anybody was chosen belongs to the name that is pressed now.
    if (person !== undefined) setPin("");
    setFault("");
    field.current?.focus();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const isScan = foreignKey.current;
    foreignKey.current = false;
    // A barcode that was scanned into the field costs no try.
    if (isScan) setPin("");
    if (isScan || !isReady) return;
    // Whoever presses a name next may be somebody else.
    setPin("");
    if (person === undefined) return setFault(t("people.lockNext"));
    setChecking(true);
    setFault("");
    const reply = await attempt(person.code, pin);
    setChecking(false);
    if (!reply.ok) setFault(t(`refusals.${reply.code}`));
    field.current?.focus();
  };
  return (
    <form className={classes.form} ref={form} onSubmit={(event) => void submit(event)}>
      <Stack gap="xs" flex={1} miw={0} h="100%">
        {children}
        <p className={classes.fault} role="alert">
          {/* Rounded up: never "0 seconds" while there is something left. */}
          {waitMs > 0 ? t("people.waitFor", { time: durationText(waitMs + 999) }) : fault}
        </p>
        {people.length > 1 ? (
          <div className={classes.names} role="radiogroup" aria-label={t("people.who")}>
            {people.map(({ code, name }) => (
              <Button
                key={code}
                fz="lg"
                justify="start"
                role="radio"
                aria-checked={code === person?.code}
                onClick={choose(code)}
              >
                {name}
              </Button>
            ))}
          </div>
        ) : (
          <Text inherit fz="xl" fw={650}>
            {person?.name}
          </Text>
        )}
      </Stack>
      <div className={classes.pad}>
        <PinField
          ref={field}
          label={t("people.pin")}
          value={pin}
          onChange={setPin}
          onForeignKey={() => {
            foreignKey.current = true;
          }}
          disabled={waitMs > 0}
        />
        <Digits change={setPin} disabled={waitMs > 0} />
        {form === undefined && (
          <Button type="submit" variant="filled" size="xl" disabled={!isReady}>
            {t("people.ok")}
          </Button>
        )}
      </div>
    </form>
  );
};

const empty = { code: "", name: "", old: "", first: "", second: "" };

interface NewPinProps {
  /** Asked before the PINs, as texts. */
  readonly asks?: readonly ("code" | "name")[];
  /** Whose PIN it is, where that is asked. */
  readonly children?: ReactNode;
  readonly asksOld?: boolean;
  /** Digits at least. */
  readonly min: number;
  readonly save: (typed: typeof empty) => Promise<Reply>;
  /** Where a button elsewhere submits it. */
  readonly form?: Ref<HTMLFormElement> | undefined;
  /** Sentences for refusals that mean something else here. */
  readonly sentences?: Partial<Readonly<Record<Refusal, string>>>;
}

const NewPin = ({ asks = [], children, asksOld = false, min, save, form: ref, sentences = {} }: NewPinProps) => {
  const [active, setActive] = useState<"old" | "first" | "second">(asksOld ? "old" : "first");
  const form = useFields({
    initialValues: empty,
    validate: ({ old, first, second, ...texts }) => {
      const missing = asks.find((name) => texts[name].trim() === "");
      if (missing) return { [missing]: t(`people.${missing}Missing`) };
      if (asksOld && old.length < pinLengths.cashier) return { old: t("people.oldMissing") };
      if (first.length < min) return { first: t("people.pinShort", { min }) };
      return first === second ? {} : { second: t("people.mismatch") };
    },
    send: async (typed) => {
      const reply = await save(typed);
      if (reply.ok) return {};
      const sentence = sentences[reply.code] ?? t(`refusals.${reply.code}`);
      return { [reply.code === "weak_pin" ? "first" : "form"]: sentence };
    },
  });
  const pin = (at: typeof active, label: string) => (
    <PinField {...form.getInputProps(at)} value={form.values[at]} label={label} onFocus={() => setActive(at)} />
  );
  return (
    <form className={classes.form} ref={ref} onSubmit={form.onSubmit}>
      <div className={classes.fields}>
        {asks.map((name) => (
          <TextInput
            key={name}
            {...form.getInputProps(name)}
            label={t(`people.${name}`)}
            maxLength={40}
            data-autofocus
          />
        ))}
        {children}
        {asksOld && pin("old", t("people.oldPin"))}
        <div className={classes.pair}>
          {pin("first", t("people.newPin"))}
          {pin("second", t("people.repeat"))}
        </div>
        {form.errors.form && (
          <p className={classes.fault} role="alert">
            {form.errors.form}
          </p>
        )}
      </div>
      <div className={classes.pad}>
        <Digits change={(update) => form.setFieldValue(active, update)} />
        {ref === undefined ? (
          <Button type="submit" variant="filled" size="xl">
            {t("people.save")}
          </Button>
        ) : (
          <HiddenSubmit />
        )}
      </div>
    </form>
  );
};

interface WhoProps {
  readonly people: readonly PersonView[];
  readonly value: string;
  readonly change: (code: string) => void;
}

/** Whose PIN it is; nothing where there is one person alone. */
const Who = ({ people, value, change }: WhoProps) =>
  people.length > 1 && (
    <Select
      label={t("people.who")}
      value={value}
      options={people.map(({ code, name }) => [code, name])}
      change={change}
    />
  );

interface ChangePinProps {
  readonly people: readonly PersonView[];
  readonly dispatch: (command: Command) => Promise<Reply>;
  readonly done: () => void;
}

/** Asks who it is, for the old PIN, and for the new one twice. */
export const ChangePin = ({ people, dispatch, done }: ChangePinProps) => {
  const [chosen, setChosen] = useState("");
  const person = people.find(({ code }) => code === chosen) ?? people[0];
  const { code = "", name, role = "manager" } = person ?? {};
  return (
    <>
      <Text inherit c="dimmed">
        {t("people.changePinNext", { name })}
      </Text>
      <NewPin
        asksOld
        min={pinLengths[role]}
        save={async ({ old, first }) => {
          const reply = await dispatch({ type: "change_pin", person: code, pin: old, newPin: first });
          if (reply.ok) done();
          return reply;
        }}
      >
        <Who people={people} value={code} change={setChosen} />
      </NewPin>
    </>
  );
};

interface FirstPinProps extends Pick<NewPinProps, "form"> {
  readonly save: (name: string, pin: string) => Promise<Reply>;
}

/** Asks for name and PIN until the host accepts them. */
export const FirstPin = ({ save, form }: FirstPinProps) => (
  <NewPin form={form} min={pinLengths.manager} asks={["name"]} save={({ name, first }) => save(name.trim(), first)} />
);

interface ResetPinProps {
  readonly people: PeopleView;
  readonly dispatch: (command: Command) => Promise<Reply>;
}

/** Asks for code and PIN, and for a name where no manager is known. */
export const ResetPin = ({ people, dispatch }: ResetPinProps) => {
  const managers = people.list.filter(({ role }) => role === "manager");
  const [person, setPerson] = useState(managers[0]?.code);
  const isGone = people.managers === "lost" || people.managers === "unreadable";
  return (
    <>
      <Text inherit c="dimmed">
        {isGone && `${t(`people.${people.managers}`)} `}
        {t("people.resetNext")}
      </Text>
      <NewPin
        min={pinLengths.manager}
        asks={person === undefined ? ["code", "name"] : ["code"]}
        save={({ code, name, first: pin }) => {
          const who =
            person === undefined ? ({ kind: "new", name: name.trim() } as const) : ({ kind: "known", person } as const);
          return dispatch({ type: "reset_manager", code: code.trim(), who, pin });
        }}
        sentences={{
          denied: t("people.codeDenied"),
          unreachable: t("people.codeUnchecked"),
          wait: t("people.codeWait"),
        }}
      >
        {person !== undefined && <Who people={managers} value={person} change={setPerson} />}
      </NewPin>
    </>
  );
};
