/** Forms that set a PIN: who it is for, the old PIN where one is needed, and the new one twice. */
import { Button, Text, TextInput } from "@mantine/core";
import { t } from "i18next";
import { type ReactNode, type Ref, useState } from "react";
import { pinLengths } from "../../preload/choices.ts";
import type { Command, PeopleView, PersonView, Refusal, Reply } from "../../preload/contract.ts";
import { HiddenSubmit, Select, useFields } from "../ui/fields.tsx";
import classes from "./people.module.css";
import { Digits, PinField } from "./pin-entry.tsx";

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
