import "@mantine/core/styles/ActionIcon.css";
import "@mantine/core/styles/PasswordInput.css";
import { PasswordInput, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconCamera, IconKey, IconPlugConnected, IconQrcode } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { ScreenOf } from "../../preload/contract.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import type { Actions } from "../ui/action-bar.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { durationText } from "../ui/format.ts";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import { useSupport } from "../ui/use-profile.ts";
import { type ConnectField, type ConnectForm, enrolmentOf, faultOf, fieldsOf } from "./connect-form.ts";
import type { ConnectMethod } from "./method-step.tsx";
import { acceptScannedLink, useScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";
import { type ConnectState, useConnect } from "./use-connect.ts";

/** The field that caused the error; null where it is none of them. */
const markedField = (state: ConnectState, method: ConnectMethod): ConnectField | null => {
  if (state.kind === "trouble") return state.trouble === "service_down" ? null : "serviceUrl";
  return state.kind === "refused" && state.code === "denied" ? (method === "code" ? "code" : "secret") : null;
};

/** The error of the connection test; it stays until the next try. */
const ConnectTrouble = ({ state, method }: { readonly state: ConnectState; readonly method: ConnectMethod }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const text = (): string => {
    switch (state.kind) {
      case "idle":
      case "testing":
        return "";
      case "trouble":
        return t(`connection.${state.trouble}`);
      case "clock":
        return t(state.offMs > 0 ? "connection.clockAhead" : "connection.clockBehind", {
          time: durationText(Math.abs(state.offMs), language),
        });
      case "refused":
        return state.code === "denied" && method === "code" ? t("connection.codeUsed") : t(`refusals.${state.code}`);
      default:
        return assertNever(state);
    }
  };
  const sentence = text();
  return (
    <p role="alert" className={classes.trouble} data-empty={sentence === "" || undefined}>
      {sentence !== "" && <IconAlertTriangle size={30} aria-hidden />}
      {sentence}
    </p>
  );
};

interface ConnectFieldsProps {
  readonly fields: readonly ConnectField[];
  readonly form: ConnectForm;
  readonly set: (field: ConnectField, value: string) => void;
  readonly faultOf: (field: ConnectField) => ReturnType<typeof faultOf>;
  /** The field that caused the connection test to fail. */
  readonly marked: ConnectField | null;
}

/** The fields of one method, each with its fault. */
const ConnectFields = ({ fields, form, set, faultOf, marked }: ConnectFieldsProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.fields}>
      {fields.map((field) => {
        const fault = faultOf(field);
        const props = {
          label: t(`setup.${field}`),
          value: form[field],
          autoComplete: "off",
          spellCheck: false,
          size: "lg",
          error: fault ? t(`setup.${fault}`) : marked === field,
          onChange: (event: { currentTarget: { value: string } }) => set(field, event.currentTarget.value),
        } as const;
        if (field === "secret") return <PasswordInput key={field} {...props} />;
        return <TextInput key={field} {...props} {...(field === "serviceUrl" && { inputMode: "url" as const })} />;
      })}
    </div>
  );
};

/** Scans the provider's QR code by camera; a hand scanner works as well. */
const ScanStep = ({ back }: { readonly back: () => void }) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const settings = useSnapshotStore((store) => store.snapshot?.settings ?? null);
  return (
    <StepPage
      step="connect"
      title={t("setup.scanTitle")}
      next={t("setup.scanNext")}
      actions={{ second: { label: t("setup.typeCode"), run: back } }}
    >
      <div className={classes.camera}>
        {settings && (
          <CameraPreview
            active
            settings={{ ...settings, camera: { ...settings.camera, enabled: true } }}
            onScan={({ text }) => void acceptScannedLink(text)}
            onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
          />
        )}
      </div>
    </StepPage>
  );
};

interface ConnectStepProps {
  readonly method: ConnectMethod;
  readonly screen: ScreenOf<"setup">;
  readonly change: (method: ConnectMethod) => void;
  /** Null on the first step. */
  readonly back: (() => void) | null;
}

const iconProps = { size: 34, stroke: 2, "aria-hidden": true } as const;

/** The provider's details, the connection test and its result. */
export const ConnectStep = ({ method, screen, change, back }: ConnectStepProps) => {
  const { t } = useTranslation();
  const support = useSupport();
  const isFirst = screen.why === "not_enrolled";
  const [form, setForm] = useState<ConnectForm>({
    code: "",
    secret: "",
    ...(screen.known ?? { serviceUrl: "", merchantId: "", deviceId: "" }),
  });
  const [isChecked, setChecked] = useState(false);
  const [isScanning, setScanning] = useState(false);
  const { state, connect, clearResult } = useConnect(isFirst);
  const link = useScannedLink((store) => store.link);
  useEffect(() => {
    if (link === null || method !== "code") return;
    setForm((before) => ({ ...before, ...link }));
    setScanning(false);
    clearResult();
    useScannedLink.setState({ link: null });
  }, [link, method, clearResult]);

  const fields = fieldsOf[method];
  const isComplete = fields.every((field) => faultOf(form, field) === null);
  const go = (): void => {
    setChecked(true);
    if (isComplete) connect(enrolmentOf(form, method));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    go();
  };
  const set = (field: ConnectField, value: string): void => {
    setForm({ ...form, [field]: value });
    clearResult();
  };
  const other: ConnectMethod = method === "code" ? "key" : "code";
  const actions: Actions = {
    ...(back && { second: { label: t("setup.back"), shortcut: "secondDeliberate", run: back } }),
    third:
      method === "code"
        ? { label: t("setup.scan"), icon: <IconCamera {...iconProps} />, run: () => setScanning(true) }
        : { label: t("setup.byCode"), icon: <IconQrcode {...iconProps} />, run: () => change(other) },
    main: {
      label:
        state.kind === "testing" ? t("setup.testing") : state.kind === "clock" ? t("setup.anyway") : t("setup.enroll"),
      icon: <IconPlugConnected {...iconProps} />,
      shortcut: "mainDeliberate",
      enabled: state.kind !== "testing",
      run: go,
    },
  };
  if (isScanning) return <ScanStep back={() => setScanning(false)} />;
  const next = method === "code" ? t("setup.codeNext") : t("setup.next");
  const heads = {
    not_enrolled: { title: t("setup.title"), next },
    credential_refused: {
      title: t("setup.refusedTitle"),
      next: support === null ? next : t("setup.refusedNext", { support }),
    },
    unsafe_service: {
      title: t("setup.unsafeTitle"),
      next: support === null ? t("setup.unsafeNextAlone") : t("setup.unsafeNext", { support }),
    },
  } as const;
  return (
    <StepPage step="connect" title={heads[screen.why].title} next={heads[screen.why].next} actions={actions}>
      <form className={classes.form} onSubmit={submit}>
        <ConnectFields
          fields={fields}
          form={form}
          set={set}
          marked={markedField(state, method)}
          faultOf={(field) => (isChecked ? faultOf(form, field) : null)}
        />
        {method === "code" && (
          <button type="button" className={classes.link} onClick={() => change(other)}>
            <IconKey size={22} aria-hidden />
            {t("setup.byKey")}
          </button>
        )}
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.enroll")}
        </button>
      </form>
      <ConnectTrouble state={state} method={method} />
    </StepPage>
  );
};
