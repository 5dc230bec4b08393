/** Who works here: the manager before the connection, which needs one, and the first cashiers after it. */

import { Button, PasswordInput, Switch, TextInput, UnstyledButton } from "@mantine/core";
import { IconArrowRight, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { type FormEvent, useEffect, useRef, useState } from "react";
import type { PeopleView, Reply, Settings } from "../../preload/contract.ts";
import { pinLengths } from "../../preload/pin-rules.ts";
import { FirstPin } from "../people/new-pin.tsx";
import { useCommands } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

const goIcon = <IconArrowRight size={34} aria-hidden />;

/** The first manager's name and PIN. The next step follows by itself once the host has them. */
export const ManagerStep = ({ back, done }: { readonly back: () => void; readonly done: () => void }) => {
  const commands = useCommands();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const save = async (name: string, pin: string): Promise<Reply> => {
    const reply = await commands.dispatch({ type: "set_manager_pin", name, pin });
    if (reply.ok) done();
    return reply;
  };
  return (
    <StepPage
      step="manager"
      title={t("people.firstTitle")}
      next={t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}
      actions={{
        second: { label: t("setup.back"), run: back },
        main: {
          label: t("setup.go"),
          icon: goIcon,
          run: () => form.current?.requestSubmit(),
        },
      }}
    >
      <FirstPin form={form} save={save} />
    </StepPage>
  );
};

interface CashiersStepProps {
  readonly settings: Settings;
  readonly people: PeopleView;
  /** Both take what changes with the step: one command, as two would each be made from the settings before. */
  readonly next: (part: Partial<Settings>) => void;
  readonly later: (part: Partial<Settings>) => void;
}

/** Adds cashiers, one after the other. Where there are some they sign in, unless the manager says otherwise. */
export const CashiersStep = ({ settings, people, next, later }: CashiersStepProps) => {
  const commands = useCommands();
  const nameField = useRef<HTMLInputElement>(null);
  const pinField = useRef<HTMLInputElement>(null);
  const [name, setName] = useState("");
  const [pin, setPin] = useState("");
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => nameField.current?.focus(), []);
  const cashiers = people.list.filter(({ role }) => role === "cashier");
  const hasAdded = useRef(false);
  const [signIn, setSignIn] = useState(true);
  const leave = (to: (part: Partial<Settings>) => void): void =>
    to(cashiers.length > 0 || hasAdded.current ? { people: { ...settings.people, cashiersSignIn: signIn } } : {});
  const add = async (): Promise<boolean> => {
    if (name.trim() === "") {
      setFault(t("people.nameMissing"));
      nameField.current?.focus();
      return false;
    }
    if (pin.length < pinLengths.cashier) {
      setFault(t("people.pinShort", { min: pinLengths.cashier }));
      pinField.current?.focus();
      return false;
    }
    const reply = await commands.dispatch({
      type: "save_person",
      person: null,
      name: name.trim(),
      role: "cashier",
      pin,
    });
    setFault(reply.ok ? null : t(`refusals.${reply.code}`));
    if (!reply.ok) return false;
    setName("");
    setPin("");
    nameField.current?.focus();
    hasAdded.current = true;
    return true;
  };
  const remove = async (person: string): Promise<void> => {
    const reply = await commands.dispatch({ type: "remove_person", person });
    setFault(reply.ok ? null : t(`refusals.${reply.code}`));
    if (reply.ok) hasAdded.current = false;
    nameField.current?.focus();
  };
  /** What was typed and not added yet is not lost. */
  const go = async (): Promise<void> => {
    if ((name.trim() === "" && pin === "") || (await add())) leave(next);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void add();
  };
  return (
    <StepPage
      step="people"
      title={t("setup.cashiersTitle")}
      next={t("setup.cashiersNext")}
      actions={{
        second: { label: t("setup.later"), run: () => leave(later) },
        main: {
          label: cashiers.length === 0 && name === "" ? t("setup.alone") : t("setup.go"),
          icon: goIcon,
          run: () => void go(),
        },
      }}
    >
      <form className={classes.fields} onSubmit={submit}>
        <TextInput
          ref={nameField}
          size="lg"
          label={t("people.name")}
          value={name}
          maxLength={40}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <PasswordInput
          ref={pinField}
          size="lg"
          inputMode="numeric"
          autoComplete="off"
          label={`${t("people.pin")} (${t("people.cashierPinHint", { min: pinLengths.cashier, max: pinLengths.max })})`}
          value={pin}
          onChange={(event) => setPin(event.currentTarget.value.replace(/\D/g, "").slice(0, pinLengths.max))}
        />
        <Button type="submit" size="lg">
          {t("setup.addCashier")}
        </Button>
      </form>
      <p role="alert" className={page.caution}>
        {fault}
      </p>
      {cashiers.length > 0 && (
        <>
          <ul className={`${page.row} ${classes.names}`} aria-label={t("people.list")}>
            {cashiers.map(({ code, name: known }) => (
              <li key={code}>
                {known}
                <UnstyledButton aria-label={`${t("people.remove")}: ${known}`} onClick={() => void remove(code)}>
                  <IconX size={24} aria-hidden />
                </UnstyledButton>
              </li>
            ))}
          </ul>
          <Switch
            size="lg"
            label={t("people.cashiersSignIn")}
            description={t("people.cashiersSignInHint")}
            checked={signIn}
            onChange={(event) => setSignIn(event.currentTarget.checked)}
          />
        </>
      )}
    </StepPage>
  );
};
