/** Who may do what at this terminal: the people with their PINs, and when they are asked for them. */

import { Button, NativeSelect, PasswordInput, Switch, TextInput } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { useState } from "react";
import { roles } from "../../preload/choices.ts";
import type { Command, Language, PeopleView, PersonView, Role, Settings } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { pinLengths } from "../../preload/pin-rules.ts";
import { FirstPin } from "../people/new-pin.tsx";
import { languageNames } from "../texts/index.ts";
import { useCommands } from "../ui/command-context.tsx";
import page from "../ui/page.module.css";
import classes from "./manager.module.css";
import { Section } from "./settings-form.tsx";

const lockMinutes = [1, 2, 5, 10, 15, 30, 60] as const;

/** The manager's page about people. */
export const PeoplePage = ({ people, settings }: Readonly<{ people: PeopleView; settings: Settings }>) => {
  const commands = useCommands();
  const [editing, setEditing] = useState<PersonView | "new" | null>(null);
  const change = (part: Partial<Settings["people"]>): void =>
    void commands.dispatch({
      type: "change_settings",
      settings: { ...settings, people: { ...settings.people, ...part } },
    });
  if (people.managers === "none")
    return (
      <Section title={t("people.firstTitle")}>
        <p className={page.soft}>{t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}</p>
        <FirstPin save={(name, pin) => commands.dispatch({ type: "set_manager_pin", name, pin })} />
      </Section>
    );
  return (
    <div className={classes.columns}>
      <Section title={t("people.list")}>
        <ul className={page.stack}>
          {people.list.map((person) => (
            <li key={person.code} className={`${page.row} ${classes.person}`}>
              <span>{person.code}</span>
              <span className={classes.name}>
                {person.name}
                <small>{t(`people.${person.role}`)}</small>
              </span>
              <Button onClick={() => setEditing(person)}>{t("people.edit")}</Button>
            </li>
          ))}
        </ul>
        {editing === null ? (
          <Button variant="filled" size="lg" onClick={() => setEditing("new")}>
            {t("people.add")}
          </Button>
        ) : (
          <PersonForm
            key={editing === "new" ? "new" : editing.code}
            person={editing === "new" ? null : editing}
            close={() => setEditing(null)}
          />
        )}
      </Section>
      <Section title={t("people.rules")}>
        <Switch
          size="lg"
          label={t("people.cashiersSignIn")}
          description={t("people.cashiersSignInHint")}
          checked={settings.people.cashiersSignIn}
          onChange={(event) => change({ cashiersSignIn: event.currentTarget.checked })}
        />
        <NativeSelect
          size="md"
          label={t("people.lockAfter")}
          value={String(settings.people.lockAfterMinutes)}
          onChange={(event) => change({ lockAfterMinutes: Number(event.currentTarget.value) })}
          data={[...new Set([...lockMinutes, settings.people.lockAfterMinutes])].map((count) => ({
            value: String(count),
            label: t("people.minutes", { count }),
          }))}
        />
        <NativeSelect
          size="md"
          label={t("people.notHandedOutBy")}
          description={t("people.notHandedOutByHint")}
          value={settings.people.notHandedOutBy}
          onChange={(event) =>
            change({ notHandedOutBy: event.currentTarget.value as Settings["people"]["notHandedOutBy"] })
          }
          data={[
            { value: "manager", label: t("people.manager") },
            { value: "second_person", label: t("people.second_person") },
          ]}
        />
      </Section>
    </div>
  );
};

const PersonForm = ({ person, close }: Readonly<{ person: PersonView | null; close: () => void }>) => {
  const commands = useCommands();
  const [name, setName] = useInputState(person?.name ?? "");
  const [role, setRole] = useState<Role>(person?.role ?? "cashier");
  const [pin, setPin] = useState("");
  const [language, setLanguage] = useState<Language | null>(person?.language ?? null);
  const [fault, setFault] = useState<Partial<Record<"name" | "pin" | "form", string>>>({});
  const send = async (command: Command): Promise<void> => {
    const reply = await commands.dispatch(command);
    if (reply.ok) close();
    else setFault({ [reply.code === "weak_pin" ? "pin" : "form"]: t(`refusals.${reply.code}`) });
  };
  const save = (): void => {
    const needsPin = person === null || (role === "manager" && person.role !== "manager");
    if (name.trim() === "") setFault({ name: t("people.nameMissing") });
    else if ((needsPin || pin !== "") && pin.length < pinLengths[role])
      setFault({ pin: t("people.pinShort", { min: pinLengths[role] }) });
    else
      void send({
        type: "save_person",
        person: person?.code ?? null,
        name: name.trim(),
        role,
        pin: pin === "" ? null : pin,
        language,
      });
  };
  return (
    <form
      className={page.stack}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <TextInput
        size="md"
        label={t("people.name")}
        value={name}
        maxLength={40}
        autoComplete="off"
        onChange={setName}
        error={fault.name}
      />
      <NativeSelect
        size="md"
        label={t("people.role")}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={roles.map((value) => ({ value, label: t(`people.${value}`) }))}
      />
      <NativeSelect
        size="md"
        label={t("people.language")}
        value={language ?? ""}
        onChange={(event) => setLanguage(languages.find((one) => one === event.currentTarget.value) ?? null)}
        data={[
          { value: "", label: t("people.languageOfTerminal") },
          ...languages.map((value) => ({ value, label: languageNames[value] })),
        ]}
      />
      <PasswordInput
        size="md"
        inputMode="numeric"
        autoComplete="off"
        label={person === null ? t("people.pin") : t("people.newPin")}
        description={t(role === "manager" ? "people.managerPinHint" : "people.cashierPinHint", {
          min: pinLengths[role],
          max: pinLengths.max,
        })}
        value={pin}
        onChange={(event) => setPin(event.currentTarget.value.replace(/\D/g, "").slice(0, pinLengths.max))}
        error={fault.pin}
      />
      {fault.form !== undefined && <p role="alert">{fault.form}</p>}
      <div className={page.row}>
        <Button variant="filled" type="submit">
          {t("people.save")}
        </Button>
        <Button onClick={close}>{t("people.cancel")}</Button>
        {person !== null && (
          <Button
            variant="subtle"
            color="red"
            onClick={() => void send({ type: "remove_person", person: person.code })}
          >
            {t("people.remove")}
          </Button>
        )}
      </div>
    </form>
  );
};
