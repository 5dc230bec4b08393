/** Who may do what at this terminal: the people with their PINs, and when they are asked for them. */
import { Button, PasswordInput, Switch, TextInput } from "@mantine/core";
import { t } from "i18next";
import { useState } from "react";
import { type Language, languages, pinLengths, roles } from "../../preload/choices.ts";
import type { Command, PersonView, Role, Settings } from "../../preload/contract.ts";
import { FirstPin } from "../people/pins.tsx";
import { languageNames } from "../texts/index.ts";
import { useCommands, useSettingsChange } from "../ui/command-context.tsx";
import { Section } from "../ui/controls.tsx";
import { Select, useFields } from "../ui/fields.tsx";
import page from "../ui/page.module.css";
import { useSnapshot } from "../ui/snapshot-store.ts";
import classes from "./manager.module.css";

const lockMinutes = [1, 2, 5, 10, 15, 30, 60] as const;

/** The manager's page about people. */
export const PeoplePage = () => {
  const { dispatch } = useCommands();
  const changeSettings = useSettingsChange();
  const { people, settings } = useSnapshot();
  const [editing, setEditing] = useState<PersonView | "new" | null>(null);
  const { cashiersSignIn, lockAfterMinutes, notHandedOutBy } = settings.people;
  const change = (part: Partial<Settings["people"]>): void =>
    void changeSettings({ people: { ...settings.people, ...part } });
  if (people.managers === "none")
    return (
      <Section title={t("people.firstTitle")}>
        <p className={page.soft}>{t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}</p>
        <FirstPin save={(name, pin) => dispatch({ type: "set_manager_pin", name, pin })} />
      </Section>
    );
  return (
    <div className={classes.columns}>
      <Section title={t("people.list")}>
        <ul className={page.stack}>
          {people.list.map((person) => (
            <li key={person.code} className={classes.person}>
              <span>{person.code}</span>
              <span>
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
          label={t("people.cashiersSignIn")}
          description={t("people.cashiersSignInHint")}
          checked={cashiersSignIn}
          onChange={(event) => change({ cashiersSignIn: event.currentTarget.checked })}
        />
        <Select<number>
          label={t("people.lockAfter")}
          value={lockAfterMinutes}
          change={(minutes) => change({ lockAfterMinutes: minutes })}
          options={[...new Set([...lockMinutes, lockAfterMinutes])].map((count) => [
            count,
            t("people.minutes", { count }),
          ])}
        />
        <Select
          label={t("people.notHandedOutBy")}
          description={t("people.notHandedOutByHint")}
          value={notHandedOutBy}
          change={(who) => change({ notHandedOutBy: who })}
          options={(["manager", "second_person"] as const).map((who) => [who, t(`people.${who}`)])}
        />
      </Section>
    </div>
  );
};

const PersonForm = ({ person, close }: Readonly<{ person: PersonView | null; close: () => void }>) => {
  const { dispatch } = useCommands();
  const [role, setRole] = useState<Role>(person?.role ?? "cashier");
  const [language, setLanguage] = useState<Language | null>(person?.language ?? null);
  const send = async (command: Command): Promise<Readonly<Record<string, string>>> => {
    const reply = await dispatch(command);
    if (!reply.ok) return { [reply.code === "weak_pin" ? "pin" : "form"]: t(`refusals.${reply.code}`) };
    close();
    return {};
  };
  const form = useFields({
    initialValues: { name: person?.name ?? "", pin: "" },
    validate: ({ name, pin }) => {
      const needsPin = person === null || (role === "manager" && person.role !== "manager");
      if (name.trim() === "") return { name: t("people.nameMissing") };
      if ((!needsPin && pin === "") || pin.length >= pinLengths[role]) return {};
      return { pin: t("people.pinShort", { min: pinLengths[role] }) };
    },
    send: ({ name, pin }) =>
      send({ type: "save_person", person: person?.code ?? null, name: name.trim(), role, pin: pin || null, language }),
  });
  return (
    <form className={page.stack} onSubmit={form.onSubmit}>
      <TextInput {...form.getInputProps("name")} size="md" label={t("people.name")} maxLength={40} />
      <Select
        label={t("people.role")}
        value={role}
        change={setRole}
        options={roles.map((one) => [one, t(`people.${one}`)])}
      />
      <Select<Language | null>
        label={t("people.language")}
        value={language}
        change={setLanguage}
        options={[
          [null, t("people.languageOfTerminal")],
          ...languages.map((one) => [one, languageNames[one]] as const),
        ]}
      />
      <PasswordInput
        {...form.getInputProps("pin")}
        size="md"
        inputMode="numeric"
        label={t(person === null ? "people.pin" : "people.newPin")}
        description={t(`people.${role}PinHint`, { min: pinLengths[role], max: pinLengths.max })}
        onChange={({ currentTarget: { value } }) =>
          form.setFieldValue("pin", value.replace(/\D/g, "").slice(0, pinLengths.max))
        }
      />
      {form.errors.form && <p role="alert">{form.errors.form}</p>}
      <div className={page.row}>
        <Button variant="filled" type="submit">
          {t("people.save")}
        </Button>
        <Button onClick={close}>{t("people.cancel")}</Button>
        {person !== null && (
          <Button
            variant="subtle"
            color="red"
            onClick={() => void send({ type: "remove_person", person: person.code }).then(form.setErrors)}
          >
            {t("people.remove")}
          </Button>
        )}
      </div>
    </form>
  );
};
