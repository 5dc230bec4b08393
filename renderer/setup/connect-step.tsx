/** The set-up's form of a connection, by a one-time code or an access key. */

import { PasswordInput, TextInput } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCamera,
  IconKey,
  IconPlugConnected,
  IconQrcode,
  IconSchool,
  IconServer,
} from "@tabler/icons-react";
import { t } from "i18next";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { assertNever } from "../../backend/contract/assert-never.ts";
import { isEnrolmentCode, normalizeTypedId } from "../../backend/contract/ids.ts";
import { completeServiceUrl, isServiceUrl } from "../../backend/contract/service-url.ts";
import type { Command, ConnectionReport, ConnectionTrouble, Refusal, ScreenOf } from "../../preload/contract.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import type { Actions } from "../ui/action-bar.tsx";
import { useCommands, useSend } from "../ui/command-context.tsx";
import { durationText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { useSnapshotStore, useSupport } from "../ui/snapshot-store.ts";
import { acceptScannedLink, useScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** How this terminal is connected: by a one-time code, or by an access key. */
export type ConnectMethod = "code" | "key";

/** The form as typed. */
interface ConnectForm {
  readonly code: string;
  readonly serviceUrl: string;
  readonly secret: string;
  readonly merchantId: string;
  readonly deviceId: string;
}

/** A field of the form. */
type ConnectField = keyof ConnectForm;

/** The fields of each method, in the order in which they are typed. */
const fieldsOf: Readonly<Record<ConnectMethod, readonly ConnectField[]>> = {
  code: ["code", "serviceUrl"],
  key: ["serviceUrl", "secret", "merchantId", "deviceId"],
};

/** The access key is sent as typed; the other fields without blanks at their ends. */
const trimmed = (form: ConnectForm): ConnectForm => ({
  code: normalizeTypedId(form.code),
  serviceUrl: completeServiceUrl(form.serviceUrl),
  secret: form.secret,
  merchantId: form.merchantId.trim(),
  deviceId: form.deviceId.trim(),
});

/** What is wrong with a field; null: nothing. */
const faultOf = (form: ConnectForm, field: ConnectField): "missing" | "url" | "codeWrong" | null => {
  const value = trimmed(form)[field];
  if (value === "") return "missing";
  if (field === "serviceUrl" && !isServiceUrl(value)) return "url";
  return field === "code" && !isEnrolmentCode(value) ? "codeWrong" : null;
};

/** The command of a form without faults. */
const enrolmentOf = (form: ConnectForm, method: ConnectMethod): Enrolment => {
  const { code, serviceUrl, secret, merchantId, deviceId } = trimmed(form);
  return method === "code"
    ? { type: "enroll_by_code", serviceUrl, code }
    : { type: "enroll", serviceUrl, merchantId, deviceId, secret };
};

/** State of the attempt; an error stays until the next try. */
type ConnectState =
  | { readonly kind: "idle" | "testing" }
  | { readonly kind: "trouble"; readonly trouble: ConnectionTrouble }
  /** Terminal clock minus service clock, milliseconds. A second press connects all the same. */
  | { readonly kind: "clock"; readonly offMs: number }
  | { readonly kind: "refused"; readonly code: Refusal };

/** A command that connects this terminal. */
type Enrolment = Extract<Command, { type: "enroll" | "enroll_by_code" }>;

/** Connects a terminal. @param isFirst the set-up continues with the devices and practice afterwards. */
const useConnect = (isFirst: boolean) => {
  const { dispatch } = useCommands();
  const [state, setState] = useState<ConnectState>({ kind: "idle" });
  // A clock that is off is said once; a second press connects all the same.
  const isWarned = useRef(false);
  const isBusy = useRef(false);

  const attempt = useCallback(
    async (command: Enrolment): Promise<ConnectState> => {
      const tested = await dispatch({ type: "check_connection", serviceUrl: command.serviceUrl });
      if (!tested.ok) return { kind: "refused", code: tested.code };
      const { trouble, clockOffMs } = tested.data as ConnectionReport;
      if (trouble !== null) return { kind: "trouble", trouble };
      if (clockOffMs !== null && !isWarned.current) return { kind: "clock", offMs: clockOffMs };
      const { settings, people } = useSnapshotStore.getState().snapshot ?? {};
      const isOpen = people?.managers === "none" || people?.managers === "set";
      // Where the list of people is lost a manager comes after the connection.
      if (isFirst && settings && isOpen)
        await dispatch({ type: "change_settings", settings: { ...settings, setUp: "people" } });
      const reply = await dispatch(command);
      return reply.ok ? { kind: "idle" } : { kind: "refused", code: reply.code };
    },
    [dispatch, isFirst],
  );

  const connect = useCallback(
    (command: Enrolment): void => {
      if (isBusy.current) return;
      isBusy.current = true;
      setState({ kind: "testing" });
      void attempt(command).then((result) => {
        isBusy.current = false;
        isWarned.current = result.kind === "clock";
        setState(result);
      });
    },
    [attempt],
  );

  /** Clears the last result after a change of the form. */
  const clearResult = (): void => {
    isWarned.current = false;
    setState((now) => (now.kind === "testing" || now.kind === "idle" ? now : { kind: "idle" }));
  };
  return { state, connect, clearResult };
};

/** The field that caused the error; null where it is none of them. */
const markedField = (state: ConnectState, method: ConnectMethod): ConnectField | null => {
  if (state.kind === "trouble") return state.trouble === "service_down" ? null : "serviceUrl";
  return state.kind === "refused" && state.code === "denied" ? (method === "code" ? "code" : "secret") : null;
};

/** The error of the connection test; it stays until the next try. */
const ConnectTrouble = ({ state, method }: { readonly state: ConnectState; readonly method: ConnectMethod }) => {
  const text = (): string => {
    switch (state.kind) {
      case "idle":
      case "testing":
        return "";
      case "trouble":
        return t(`connection.${state.trouble}`);
      case "clock":
        return t(state.offMs > 0 ? "connection.clockAhead" : "connection.clockBehind", {
          time: durationText(Math.abs(state.offMs)),
        });
      case "refused":
        return state.code === "denied" && method === "code" ? t("connection.codeUsed") : t(`refusals.${state.code}`);
      default:
        return assertNever(state);
    }
  };
  const sentence = text();
  return (
    <p role="alert" className={page.caution}>
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
  return (
    <div className={classes.fields}>
      {fields.map((field) => {
        const fault = faultOf(field);
        const props = {
          id: `connect-${field}`,
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
  const commands = useCommands();
  const settings = useSnapshotStore((store) => store.snapshot?.settings ?? null);
  return (
    <StepPage
      step="connect"
      title={t("setup.scanTitle")}
      next={t("setup.scanNext")}
      actions={{ second: { label: t("setup.typeCode"), shortcut: "second", run: back } }}
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
  /** Opens the set-up of an own service; null where that is no choice. */
  readonly runService: (() => void) | null;
}

const iconProps = { size: 34, stroke: 2, "aria-hidden": true } as const;

/** The provider's details, the connection test and its result. */
export const ConnectStep = ({ method, screen, change, back, runService }: ConnectStepProps) => {
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
  const training = useSend();
  const link = useScannedLink((store) => store.link);
  // A scanned code is all that there is to type: it connects by itself.
  useEffect(() => {
    if (link === null || method !== "code") return;
    useScannedLink.setState({ link: null });
    setForm((before) => ({ ...before, ...link }));
    setScanning(false);
    connect({ type: "enroll_by_code", ...link });
  }, [link, method, connect]);

  const fields = fieldsOf[method];
  const go = (): void => {
    setChecked(true);
    // What is called is what the person sees.
    setForm((before) => ({ ...before, serviceUrl: completeServiceUrl(before.serviceUrl) }));
    const wrong = fields.find((field) => faultOf(form, field) !== null);
    if (wrong === undefined) connect(enrolmentOf(form, method));
    else document.getElementById(`connect-${wrong}`)?.focus();
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
    ...(back && { second: { label: t("setup.back"), run: back } }),
    third:
      method === "code"
        ? { label: t("setup.scan"), icon: <IconCamera {...iconProps} />, run: () => setScanning(true) }
        : { label: t("setup.byCode"), icon: <IconQrcode {...iconProps} />, run: () => change(other) },
    main: {
      label:
        state.kind === "testing" ? t("setup.testing") : state.kind === "clock" ? t("setup.anyway") : t("setup.enroll"),
      icon: <IconPlugConnected {...iconProps} />,
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
      <form className={page.stack} onSubmit={submit}>
        <ConnectFields
          fields={fields}
          form={form}
          set={set}
          marked={markedField(state, method)}
          faultOf={(field) => (isChecked ? faultOf(form, field) : null)}
        />
        <div className={page.row}>
          {method === "code" && (
            <button type="button" className={classes.link} onClick={() => change(other)}>
              <IconKey size={22} aria-hidden />
              {t("setup.byKey")}
            </button>
          )}
          {runService && (
            <button type="button" className={classes.link} onClick={runService}>
              <IconServer size={22} aria-hidden />
              {t("ownService.myself")}
            </button>
          )}
          {runService && (
            <button
              type="button"
              className={classes.link}
              onClick={() => void training.send({ type: "switch_purpose", training: true })}
            >
              <IconSchool size={22} aria-hidden />
              {t("setup.tryFirst")}
            </button>
          )}
        </div>
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.enroll")}
        </button>
      </form>
      <ConnectTrouble
        state={training.refusal === null ? state : { kind: "refused", code: training.refusal }}
        method={method}
      />
    </StepPage>
  );
};
