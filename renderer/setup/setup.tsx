import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import { PasswordInput, TextInput } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { isServiceUrl } from "../../backend/contract/service-url.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Frame } from "../ui/frame.tsx";
import classes from "./setup.module.css";

interface Form {
  readonly serviceUrl: string;
  readonly merchantId: string;
  readonly deviceId: string;
  readonly secret: string;
}

const empty: Form = { serviceUrl: "", merchantId: "", deviceId: "", secret: "" };

export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [form, setForm] = useState(empty);
  const [isChecked, setChecked] = useState(false);
  const trimmed: Form = {
    serviceUrl: form.serviceUrl.trim(),
    merchantId: form.merchantId.trim(),
    deviceId: form.deviceId.trim(),
    secret: form.secret,
  };
  const command = { type: "enroll", ...trimmed } as const;
  const isComplete =
    isServiceUrl(trimmed.serviceUrl) && [trimmed.merchantId, trimmed.deviceId, trimmed.secret].every((it) => it !== "");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setChecked(true);
    if (isComplete) commands.send(event, command);
  };
  const field = (name: keyof Form) => ({
    label: t(`setup.${name}`),
    value: form[name],
    autoComplete: "off",
    spellCheck: false,
    size: "lg",
    error: isChecked && trimmed[name] === "" ? t("setup.missing") : undefined,
    onChange: (event: { currentTarget: { value: string } }) => setForm({ ...form, [name]: event.currentTarget.value }),
  });
  const urlError =
    isChecked && trimmed.serviceUrl !== "" && !isServiceUrl(trimmed.serviceUrl) ? t("setup.url") : undefined;
  return (
    <Frame
      tone="setup"
      actions={{
        main: {
          label: t("setup.enroll"),
          icon: <IconPlugConnected size={36} stroke={2} aria-hidden />,
          shortcut: "mainDeliberate",
          ...(isComplete ? { command } : { run: () => setChecked(true) }),
        },
      }}
    >
      <form className={classes.setup} onSubmit={submit}>
        <h1 className={classes.title}>{screen.why === "not_enrolled" ? t("setup.title") : t("setup.refusedTitle")}</h1>
        <p className={classes.next}>{t("setup.next")}</p>
        <div className={classes.fields}>
          <TextInput {...field("serviceUrl")} inputMode="url" {...(urlError ? { error: urlError } : {})} />
          <PasswordInput {...field("secret")} />
          <TextInput {...field("merchantId")} />
          <TextInput {...field("deviceId")} />
        </div>
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.enroll")}
        </button>
      </form>
    </Frame>
  );
};
