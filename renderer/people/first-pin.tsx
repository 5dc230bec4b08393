/** The manager's first PIN: a name, and the PIN twice. */
import { UnstyledButton } from "@mantine/core";
import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { pinLengths } from "../../preload/choices.ts";
import type { Reply } from "../../preload/contract.ts";
import classes from "./people.module.css";
import { Digits, PinField } from "./pin-pad.tsx";

interface FirstPinProps {
  readonly save: (name: string, pin: string) => Promise<Reply>;
}

/** Asks for name and PIN until the host takes them. */
export const FirstPin = ({ save }: FirstPinProps) => {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [pins, setPins] = useState<readonly [string, string]>(["", ""]);
  const [active, setActive] = useState<0 | 1>(0);
  const [fault, setFault] = useState<string | null>(null);
  const isSaving = useRef(false);
  const update = (at: 0 | 1) => (make: (value: string) => string) =>
    setPins(([one, other]) => (at === 0 ? [make(one), other] : [one, make(other)]));
  const change = (at: 0 | 1) => (value: string) => update(at)(() => value);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isSaving.current) return;
    if (name.trim() === "") return setFault(t("people.nameMissing"));
    if (pins[0].length < pinLengths.manager) return setFault(t("refusals.weak_pin"));
    if (pins[0] !== pins[1]) return setFault(t("people.mismatch"));
    isSaving.current = true;
    const reply = await save(name.trim(), pins[0]);
    isSaving.current = false;
    if (!reply.ok) setFault(t(`refusals.${reply.code}`));
  };
  return (
    <form className={classes.firstPin} onSubmit={(event) => void submit(event)}>
      <div className={classes.fields}>
        <div className={classes.pinField}>
          <label htmlFor="person-name">{t("people.name")}</label>
          <input
            id="person-name"
            autoComplete="off"
            maxLength={40}
            value={name}
            data-autofocus
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </div>
        <PinField label={t("people.newPin")} value={pins[0]} change={change(0)} onFocus={() => setActive(0)} />
        <PinField label={t("people.repeat")} value={pins[1]} change={change(1)} onFocus={() => setActive(1)} />
        <p className={classes.fault} role="alert">
          {fault ?? ""}
        </p>
      </div>
      <div className={classes.pin}>
        <Digits change={update(active)} />
        <UnstyledButton type="submit" className={classes.submit}>
          {t("people.save")}
        </UnstyledButton>
      </div>
    </form>
  );
};
