/** The set-up's form of a connection, by a one-time code or an access key. */
import { Group, PasswordInput, TextInput } from "@mantine/core";
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
import { useEffect, useState } from "react";
import { isEnrolmentCode, normalizeTypedId } from "../../backend/contract/ids.ts";
import { completeServiceUrl, isServiceUrl } from "../../backend/contract/service-url.ts";
import type { Command, ConnectionReport, Refusal, ScreenOf } from "../../preload/contract.ts";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import type { Actions } from "../ui/action-bar.tsx";
import { useCommands, useSend, useSettingsChange } from "../ui/command-context.tsx";
import { HiddenSubmit, useFields } from "../ui/fields.tsx";
import { durationText } from "../ui/format.ts";
import { LinkButton } from "../ui/link-button.tsx";
import page from "../ui/page.module.css";
import { useSnapshot, useSupport } from "../ui/snapshot-store.ts";
import { acceptScannedLink, useScannedLink } from "./scanned-link.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** How this terminal is connected: by a one-time code, or by an access key. */
export type ConnectMethod = "code" | "key";

const empty = { code: "", serviceUrl: "", secret: "", merchantId: "", deviceId: "" };

/** The fields of each method, in the order in which they are typed. */
const fieldsOf = {
  code: ["code", "serviceUrl"],
  key: ["serviceUrl", "secret", "merchantId", "deviceId"],
} as const;

/** The access key is sent as typed; the other fields without blanks at their ends. */
const trimmed = ({ code, serviceUrl, secret, merchantId, deviceId }: typeof empty): typeof empty => ({
  code: normalizeTypedId(code),
  serviceUrl: completeServiceUrl(serviceUrl),
  secret,
  merchantId: merchantId.trim(),
  deviceId: deviceId.trim(),
});

const faultOf = (field: keyof typeof empty, value: string) => {
  if (value === "") return "missing";
  if (field === "serviceUrl" && !isServiceUrl(value)) return "url";
  return field === "code" && !isEnrolmentCode(value) ? "codeWrong" : null;
};

/** Why a try failed, and the field that it is about. */
const said = (text: string, field?: keyof typeof empty) => ({ form: text, ...(field && { [field]: true as const }) });

/** Connects the terminal. @param isFirst the set-up continues with people, devices and practice afterwards. */
const useConnect = (isFirst: boolean) => {
  const { dispatch } = useCommands();
  const change = useSettingsChange();
  const { managers } = useSnapshot().people;
  return async (typed: typeof empty, method: ConnectMethod, isWarned: boolean) => {
    const { code, ...key } = trimmed(typed);
    const { serviceUrl } = key;
    const refused = (why: Refusal) => {
      if (why !== "denied") return said(t(`refusals.${why}`));
      return method === "code" ? said(t("connection.codeUsed"), "code") : said(t("refusals.denied"), "secret");
    };
    const tested = await dispatch({ type: "check_connection", serviceUrl });
    if (!tested.ok) return refused(tested.code);
    const { trouble, clockOffMs } = tested.data as ConnectionReport;
    if (trouble !== null)
      return said(t(`connection.${trouble}`), trouble === "service_down" ? undefined : "serviceUrl");
    // A clock that is off is said once; a second press connects all the same.
    if (clockOffMs !== null && !isWarned) {
      const time = durationText(Math.abs(clockOffMs));
      return { clock: t(clockOffMs > 0 ? "connection.clockAhead" : "connection.clockBehind", { time }) };
    }
    // Where the list of people is lost a manager comes after the connection.
    if (isFirst && (managers === "none" || managers === "set")) await change({ setUp: "people" });
    const command: Command =
      method === "code" ? { type: "enroll_by_code", serviceUrl, code } : { type: "enroll", ...key };
    const reply = await dispatch(command);
    return reply.ok ? {} : refused(reply.code);
  };
};

/** Scans the provider's QR code by camera; a hand scanner works as well. */
const ScanStep = ({ back }: { readonly back: () => void }) => (
  <StepPage
    step="connect"
    title={t("setup.scanTitle")}
    next={t("setup.scanNext")}
    actions={{ second: { label: t("setup.typeCode"), shortcut: "second", run: back } }}
  >
    <div className={classes.camera}>
      <CameraPreview active isAlwaysOn onScan={({ text }) => void acceptScannedLink(text)} />
    </div>
  </StepPage>
);

interface ConnectStepProps extends Pick<ScreenOf<"setup">, "why" | "known"> {
  readonly method: ConnectMethod;
  readonly change: (method: ConnectMethod) => void;
  /** Null on the first step. */
  readonly back: (() => void) | null;
  /** Opens the set-up of an own service; null where that is no choice. */
  readonly runService: (() => void) | null;
}

/** The provider's details, the connection test and its result. */
export const ConnectStep = ({ method, why, known, change, back, runService }: ConnectStepProps) => {
  const support = useSupport();
  const isFirst = why === "not_enrolled";
  const [isScanning, setScanning] = useState(false);
  const connect = useConnect(isFirst);
  const fields = fieldsOf[method];
  const form = useFields({
    initialValues: { ...empty, ...known },
    validate: (typed) =>
      Object.fromEntries(
        fields.flatMap((field) => {
          const fault = faultOf(field, trimmed(typed)[field]);
          return fault === null ? [] : [[field, t(`setup.${fault}`)]];
        }),
      ),
    send: (typed, { clock }) => connect(typed, method, clock !== undefined),
  });
  const isWarned = form.errors.clock !== undefined;
  const training = useSend();
  const link = useScannedLink((store) => store.link);
  // A scanned code is all that there is to type: it connects by itself.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the scan that matters
  useEffect(() => {
    if (link === null || method !== "code") return;
    useScannedLink.setState({ link: null });
    form.setValues({ ...link });
    setScanning(false);
    void form.submit();
  }, [link, method]);
  const go = (): void => {
    // The field shows the address that is called.
    const serviceUrl = completeServiceUrl(form.values.serviceUrl);
    if (serviceUrl !== form.values.serviceUrl) form.setFieldValue("serviceUrl", serviceUrl);
    void form.submit();
  };
  const actions: Actions = {
    ...(back && { second: { label: t("setup.back"), run: back } }),
    third:
      method === "code"
        ? { label: t("setup.scan"), icon: IconCamera, run: () => setScanning(true) }
        : { label: t("setup.byCode"), icon: IconQrcode, run: () => change("code") },
    main: {
      label: t(form.isSending ? "setup.testing" : isWarned ? "setup.anyway" : "setup.enroll"),
      icon: IconPlugConnected,
      enabled: !form.isSending,
      run: go,
    },
  };
  if (isScanning) return <ScanStep back={() => setScanning(false)} />;
  const usual = t(method === "code" ? "setup.codeNext" : "setup.next");
  const heads = {
    not_enrolled: [t("setup.title"), usual],
    credential_refused: [t("setup.refusedTitle"), support === null ? usual : t("setup.refusedNext", { support })],
    unsafe_service: [
      t("setup.unsafeTitle"),
      support === null ? t("setup.unsafeNextAlone") : t("setup.unsafeNext", { support }),
    ],
  } as const;
  const [title, next] = heads[why];
  const trouble =
    training.refusal === null ? (form.errors.form ?? form.errors.clock) : t(`refusals.${training.refusal}`);
  return (
    <StepPage step="connect" title={title} next={next} actions={actions}>
      <form
        className={page.stack}
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <div className={classes.fields}>
          {fields.map((field) => {
            const props = { ...form.getInputProps(field), label: t(`setup.${field}`), size: "lg" };
            if (field === "secret") return <PasswordInput key={field} {...props} />;
            return <TextInput key={field} {...props} inputMode={field === "serviceUrl" ? "url" : undefined} />;
          })}
        </div>
        <Group gap="md">
          {method === "code" && (
            <LinkButton leftSection={<IconKey size={22} aria-hidden />} onClick={() => change("key")}>
              {t("setup.byKey")}
            </LinkButton>
          )}
          {runService && (
            <>
              <LinkButton leftSection={<IconServer size={22} aria-hidden />} onClick={runService}>
                {t("ownService.myself")}
              </LinkButton>
              <LinkButton
                leftSection={<IconSchool size={22} aria-hidden />}
                onClick={() => void training.send({ type: "switch_purpose", training: true })}
              >
                {t("setup.tryFirst")}
              </LinkButton>
            </>
          )}
        </Group>
        <HiddenSubmit />
      </form>
      <p role="alert" className={page.caution}>
        {trouble && <IconAlertTriangle size={30} aria-hidden />}
        {trouble}
      </p>
    </StepPage>
  );
};
