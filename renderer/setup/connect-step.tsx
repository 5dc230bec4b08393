import { IconCamera, IconKey, IconPlugConnected, IconQrcode } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ScreenOf } from "../../preload/contract.ts";
import type { Actions } from "../ui/action-bar.tsx";
import { useSupport } from "../ui/use-profile.ts";
import { ConnectFields } from "./connect-fields.tsx";
import { type ConnectField, type ConnectForm, enrolmentOf, faultOf, fieldsOf } from "./connect-form.ts";
import { ConnectTrouble, markedField } from "./connect-trouble.tsx";
import type { ConnectMethod } from "./method-step.tsx";
import { ScanStep } from "./scan-step.tsx";
import { useScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";
import { useConnect } from "./use-connect.ts";

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
