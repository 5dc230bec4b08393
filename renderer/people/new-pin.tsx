/** A PIN to be set: what is asked before it, the new one twice, and where it takes one the old one. */

import { UnstyledButton } from "@mantine/core";
import { t } from "i18next";
import { type FormEvent, type ReactNode, type Ref, useRef, useState } from "react";
import type { Command, PeopleView, PersonView, Refusal, Reply } from "../../preload/contract.ts";
import { pinLengths } from "../../preload/pin-rules.ts";
import classes from "./people.module.css";
import { Digits, FieldFault, faultProps, PinField } from "./pin-entry.tsx";

/** What is wrong, and the id of the field that it is about. */
interface Fault {
  readonly field: string;
  readonly text: string;
}

/** A field for a name or a code, and what is said where it is empty. */
interface TextField {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly change: (value: string) => void;
  readonly missing: string;
}

interface NewPinProps {
  /** Above the PINs; a dialog opens with the first. */
  readonly fields?: readonly TextField[];
  /** Whose PIN it is, where that is asked. */
  readonly children?: ReactNode;
  readonly asksOld?: boolean;
  /** Digits at least. */
  readonly min: number;
  /** @param old empty where it is not asked for. */
  readonly save: (pin: string, old: string) => Promise<Reply>;
  /** Where a button elsewhere submits it. */
  readonly form?: Ref<HTMLFormElement> | undefined;
  /** Sentences for refusals that mean something else here. */
  readonly sentences?: Partial<Readonly<Record<Refusal, string>>>;
}

type Pins = Readonly<{ old: string; first: string; second: string }>;

/** Asks until the host takes it. */
const NewPin = ({ fields = [], children, asksOld = false, min, save, form, sentences = {} }: NewPinProps) => {
  const [pins, setPins] = useState<Pins>({ old: "", first: "", second: "" });
  const [active, setActive] = useState<keyof Pins>(asksOld ? "old" : "first");
  const [fault, setFault] = useState<Fault | null>(null);
  const isSaving = useRef(false);
  const update = (at: keyof Pins) => (make: (value: string) => string) =>
    setPins((before) => ({ ...before, [at]: make(before[at]) }));
  const faultAt = (id: string): string | null => (fault?.field === id ? fault.text : null);
  const field = (at: keyof Pins, label: string) => (
    <PinField
      id={`pin-${at}`}
      label={label}
      value={pins[at]}
      change={(value) => update(at)(() => value)}
      onFocus={() => setActive(at)}
      fault={faultAt(`pin-${at}`)}
    />
  );
  const findFault = (): Fault | null => {
    const empty = fields.find(({ value }) => value.trim() === "");
    if (empty) return { field: empty.id, text: empty.missing };
    if (asksOld && pins.old.length < pinLengths.cashier) return { field: "pin-old", text: t("people.oldMissing") };
    if (pins.first.length < min) return { field: "pin-first", text: t("people.pinShort", { min }) };
    return pins.first === pins.second ? null : { field: "pin-second", text: t("people.mismatch") };
  };
  const show = (found: Fault | null): void => {
    setFault(found);
    if (found !== null) document.getElementById(found.field)?.focus();
  };
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isSaving.current) return;
    const found = findFault();
    show(found);
    if (found !== null) return;
    isSaving.current = true;
    const reply = await save(pins.first, pins.old);
    isSaving.current = false;
    if (!reply.ok)
      show({
        field: reply.code === "weak_pin" ? "pin-first" : "",
        text: sentences[reply.code] ?? t(`refusals.${reply.code}`),
      });
  };
  return (
    <form className={classes.firstPin} ref={form} onSubmit={(event) => void submit(event)}>
      <div className={classes.fields}>
        {fields.map((one) => (
          <NamedField key={one.id} {...one} fault={faultAt(one.id)} />
        ))}
        {children}
        {asksOld && field("old", t("people.oldPin"))}
        <div className={classes.pair}>
          {field("first", t("people.newPin"))}
          {field("second", t("people.repeat"))}
        </div>
        <FieldFault id="pins" fault={faultAt("")} />
      </div>
      <div className={classes.pin}>
        <Digits change={update(active)} />
        {form === undefined ? (
          <UnstyledButton type="submit" className={classes.submit}>
            {t("people.save")}
          </UnstyledButton>
        ) : (
          // Without one, Enter sends no form of several fields.
          <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
            {t("people.save")}
          </button>
        )}
      </div>
    </form>
  );
};

const NamedField = ({ id, label, value, change, fault }: TextField & { readonly fault: string | null }) => (
  <div className={classes.pinField}>
    <label htmlFor={id}>{label}</label>
    <input
      id={id}
      autoComplete="off"
      maxLength={40}
      value={value}
      data-autofocus
      {...faultProps(id, fault)}
      onChange={(event) => change(event.currentTarget.value)}
    />
    <FieldFault id={id} fault={fault} />
  </div>
);

interface WhoProps {
  readonly label: string;
  readonly people: readonly Readonly<{ code: string; name: string }>[];
  readonly value: string;
  readonly change: (code: string) => void;
}

/** Whose PIN it is; nothing where there is one person alone. */
const WhoField = ({ label, people, value, change }: WhoProps) =>
  people.length < 2 ? null : (
    <div className={classes.pinField}>
      <label htmlFor="pin-of">{label}</label>
      <select id="pin-of" value={value} onChange={(event) => change(event.currentTarget.value)}>
        {people.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );

interface ChangePinProps {
  readonly people: readonly PersonView[];
  readonly dispatch: (command: Command) => Promise<Reply>;
  readonly done: () => void;
}

/** Asks who it is, for the old PIN, and for the new one twice. */
export const ChangePin = ({ people, dispatch, done }: ChangePinProps) => {
  const [chosen, setChosen] = useState(people[0]?.code ?? "");
  const person = people.find(({ code }) => code === chosen) ?? people[0];
  const save = async (newPin: string, pin: string): Promise<Reply> => {
    const reply = await dispatch({ type: "change_pin", person: person?.code ?? "", pin, newPin });
    if (reply.ok) done();
    return reply;
  };
  return (
    <>
      <p className={classes.next}>{t("people.changePinNext", { name: person?.name })}</p>
      <NewPin asksOld min={pinLengths[person?.role ?? "manager"]} save={save}>
        <WhoField label={t("people.who")} people={people} value={person?.code ?? ""} change={setChosen} />
      </NewPin>
    </>
  );
};

const useNameField = (): TextField => {
  const [value, change] = useState("");
  return { id: "person-name", label: t("people.name"), value, change, missing: t("people.nameMissing") };
};

interface FirstPinProps extends Pick<NewPinProps, "form"> {
  readonly save: (name: string, pin: string) => Promise<Reply>;
}

/** Asks for name and PIN until the host takes them. */
export const FirstPin = ({ save, form }: FirstPinProps) => {
  const name = useNameField();
  const { manager: min } = pinLengths;
  return <NewPin form={form} min={min} fields={[name]} save={(pin) => save(name.value.trim(), pin)} />;
};

interface ResetPinProps {
  readonly people: PeopleView;
  readonly dispatch: (command: Command) => Promise<Reply>;
}

/** Asks for code and PIN, and for a name where no manager is known. */
export const ResetPin = ({ people, dispatch }: ResetPinProps) => {
  const managers = people.list.filter(({ role }) => role === "manager");
  const [person, setPerson] = useState(managers[0]?.code ?? null);
  const [value, change] = useState("");
  const name = useNameField();
  const code = { id: "reset-code", label: t("people.code"), value, change, missing: t("people.codeMissing") };
  const isGone = people.managers === "lost" || people.managers === "unreadable";
  const save = (pin: string): Promise<Reply> => {
    const isNew = person === null;
    const who = isNew ? ({ kind: "new", name: name.value.trim() } as const) : ({ kind: "known", person } as const);
    return dispatch({ type: "reset_manager", code: value.trim(), who, pin });
  };
  return (
    <>
      <p className={classes.next}>
        {isGone && `${t(`people.${people.managers}`)} `}
        {t("people.resetNext")}
      </p>
      <NewPin
        min={pinLengths.manager}
        fields={person === null ? [code, name] : [code]}
        save={save}
        sentences={{
          denied: t("people.codeDenied"),
          unreachable: t("people.codeUnchecked"),
          wait: t("people.codeWait"),
        }}
      >
        {person !== null && <WhoField label={t("people.who")} people={managers} value={person} change={setPerson} />}
      </NewPin>
    </>
  );
};
