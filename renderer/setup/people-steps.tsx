/** Who works here: the manager before the connection, which needs one, and the first cashiers after it. */
import { ActionIcon, Button, Group, PasswordInput, Switch, TextInput } from "@mantine/core";
import { IconArrowRight, IconX } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useRef, useState } from "react";
import { pinLengths } from "../../preload/pin-rules.ts";
import { FirstPin } from "../people/new-pin.tsx";
import { useCommands, useSettingsChange } from "../ui/command-context.tsx";
import { useFields } from "../ui/fields.tsx";
import page from "../ui/page.module.css";
import { useSnapshot } from "../ui/snapshot-store.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** The first manager's name and PIN. The next step follows by itself once the host has them. */
export const ManagerStep = ({ back, done }: { readonly back: () => void; readonly done: () => void }) => {
  const commands = useCommands();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  return (
    <StepPage
      step="manager"
      title={t("people.firstTitle")}
      next={t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}
      actions={{
        second: { label: t("setup.back"), run: back },
        main: { label: t("setup.go"), icon: IconArrowRight, run: () => form.current?.requestSubmit() },
      }}
    >
      <FirstPin
        form={form}
        save={async (name, pin) => {
          const reply = await commands.dispatch({ type: "set_manager_pin", name, pin });
          if (reply.ok) done();
          return reply;
        }}
      />
    </StepPage>
  );
};

/** Adds cashiers, one after the other. Where there are some they sign in, unless the manager says otherwise. */
export const CashiersStep = () => {
  const { dispatch } = useCommands();
  const change = useSettingsChange();
  const { people, settings } = useSnapshot();
  const nameField = useRef<HTMLInputElement>(null);
  useEffect(() => nameField.current?.focus(), []);
  const cashiers = people.list.filter(({ role }) => role === "cashier");
  const hasAdded = useRef(false);
  const [signIn, setSignIn] = useState(true);
  const form = useFields({
    initialValues: { name: "", pin: "" },
    validate: ({ name, pin }) => {
      if (name.trim() === "") return { name: t("people.nameMissing") };
      return pin.length < pinLengths.cashier ? { pin: t("people.pinShort", { min: pinLengths.cashier }) } : {};
    },
    send: async ({ name, pin }) => {
      const reply = await dispatch({ type: "save_person", person: null, name: name.trim(), role: "cashier", pin });
      if (!reply.ok) return { pin: t(`refusals.${reply.code}`) };
      form.reset();
      nameField.current?.focus();
      hasAdded.current = true;
      return {};
    },
  });
  const { name, pin } = form.values;
  const remove = async (person: string): Promise<void> => {
    const reply = await dispatch({ type: "remove_person", person });
    form.setErrors(reply.ok ? {} : { name: t(`refusals.${reply.code}`) });
    if (reply.ok) hasAdded.current = false;
    nameField.current?.focus();
  };
  /** One command, as two would each be made from the settings before. */
  const leave = (setUp: "devices" | "done"): void => {
    const hasCashiers = cashiers.length > 0 || hasAdded.current;
    void change({ setUp, ...(hasCashiers && { people: { ...settings.people, cashiersSignIn: signIn } }) });
  };
  /** What was typed and not added yet is not lost. */
  const go = async (): Promise<void> => {
    if ((name.trim() === "" && pin === "") || (await form.submit())) leave("devices");
  };
  const lengths = t("people.cashierPinHint", { min: pinLengths.cashier, max: pinLengths.max });
  return (
    <StepPage
      step="people"
      title={t("setup.cashiersTitle")}
      next={t("setup.cashiersNext")}
      actions={{
        second: { label: t("setup.later"), run: () => leave("done") },
        main: {
          label: cashiers.length === 0 && name === "" ? t("setup.alone") : t("setup.go"),
          icon: IconArrowRight,
          run: () => void go(),
        },
      }}
    >
      <form className={classes.fields} onSubmit={form.onSubmit}>
        <TextInput {...form.getInputProps("name")} ref={nameField} size="lg" label={t("people.name")} maxLength={40} />
        <PasswordInput
          {...form.getInputProps("pin")}
          size="lg"
          inputMode="numeric"
          label={`${t("people.pin")} (${lengths})`}
          onChange={({ currentTarget: { value } }) =>
            form.setFieldValue("pin", value.replace(/\D/g, "").slice(0, pinLengths.max))
          }
        />
        <Button type="submit" size="lg">
          {t("setup.addCashier")}
        </Button>
      </form>
      {cashiers.length > 0 && (
        <>
          <ul className={page.row} aria-label={t("people.list")}>
            {cashiers.map(({ code, name: known }) => (
              <Group key={code} component="li" gap={0} pl="md" fw={600} wrap="nowrap" className={classes.name}>
                {known}
                <ActionIcon aria-label={`${t("people.remove")}: ${known}`} onClick={() => void remove(code)}>
                  <IconX size={24} aria-hidden />
                </ActionIcon>
              </Group>
            ))}
          </ul>
          <Switch
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
