/** The set-up of a terminal without a service: language and look, the manager, the connection by a one-time code or an access key; then the parts that follow it. */

import { ActionIcon, Button, Group, PasswordInput, Switch, TextInput } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowRight,
  IconCamera,
  IconCheck,
  IconKey,
  IconPlugConnected,
  IconQrcode,
  IconSchool,
  IconServer,
  IconX,
} from "@tabler/icons-react";
import { t } from "i18next";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { isEnrolmentCode, normalizeTypedId } from "../../backend/contract/ids.ts";
import { completeServiceUrl, isLoopbackHost, isServiceUrl } from "../../backend/contract/service-url.ts";
import { colorSchemes, languages, pinLengths } from "../../preload/choices.ts";
import type { Command, ConnectionReport, Refusal, ScreenOf, Settings } from "../../preload/contract.ts";
import { FirstPin } from "../people/pins.tsx";
import { CameraPreview } from "../scan/camera/camera-preview.tsx";
import { languageNames } from "../texts/index.ts";
import { LinkButton } from "../ui/controls.tsx";
import { HiddenSubmit, useFields } from "../ui/fields.tsx";
import { durationText } from "../ui/format.ts";
import type { Actions } from "../ui/frame.tsx";
import page from "../ui/page.module.css";
import { Working } from "../ui/screen-body.tsx";
import { RefusalText, useCommands, useSend, useSettingsChange, useSnapshot, useSupport } from "../ui/terminal.tsx";
import { DevicesStep } from "./devices-step.tsx";
import { acceptScannedLink, useScannedLink } from "./scanned-link.ts";
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
  const again = t("setup.ownNext", { myself: t("ownService.myself") });
  const heads = {
    not_enrolled: [t("setup.title"), usual],
    credential_refused: [t("setup.refusedTitle"), support === null ? usual : t("setup.refusedNext", { support })],
    unsafe_service: [
      t("setup.unsafeTitle"),
      support === null ? t("setup.unsafeNextAlone") : t("setup.unsafeNext", { support }),
    ],
  } as const;
  const [title, next] = !isFirst && runService ? [t("setup.ownTitle"), again] : heads[why];
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
              {isFirst && (
                <LinkButton
                  leftSection={<IconSchool size={22} aria-hidden />}
                  onClick={() => void training.send({ type: "switch_purpose", training: true })}
                >
                  {t("setup.tryFirst")}
                </LinkButton>
              )}
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

interface ChoicesProps<Value> {
  readonly title: string;
  readonly values: readonly Value[];
  readonly chosen: Value;
  readonly label: (value: Value) => string;
  readonly choose: (value: Value) => void;
  /** Each label is in the language that it names. */
  readonly areLanguages?: boolean;
}

const Choices = <Value extends string>(props: ChoicesProps<Value>) => {
  const { title, values, chosen, label, choose, areLanguages } = props;
  const commands = useCommands();
  return (
    <fieldset aria-label={title}>
      <Group gap="sm">
        {values.map((value) => (
          <Button
            key={value}
            miw={150}
            size="xl"
            fz="lg"
            fw={700}
            justify="start"
            lang={areLanguages ? value : undefined}
            aria-pressed={value === chosen}
            onClick={(press) => commands.runLocally(press, () => choose(value))}
          >
            {label(value)}
          </Button>
        ))}
      </Group>
    </fieldset>
  );
};

const AppearanceStep = ({ next }: { readonly next: () => void }) => {
  const change = useSettingsChange();
  const { language, colorScheme } = useSnapshot().settings;
  return (
    <StepPage
      step="appearance"
      title={t("setup.appearanceTitle")}
      next={t("setup.appearanceNext")}
      actions={{ main: { label: t("setup.go"), icon: IconArrowRight, shortcut: "main", run: next } }}
    >
      <Choices
        title={t("settings.language")}
        values={languages}
        chosen={language}
        label={(one) => languageNames[one]}
        choose={(one) => void change({ language: one })}
        areLanguages
      />
      <Choices
        title={t("settings.colors")}
        values={colorSchemes}
        chosen={colorScheme}
        label={(one) => t(`settings.${one}`)}
        choose={(one) => void change({ colorScheme: one })}
      />
    </StepPage>
  );
};

const OwnStep = lazy(async () => ({ default: (await import("./own-service.tsx")).OwnStep }));

/** Whether this terminal runs its service itself: every other address is https. */
const isOwnService = (serviceUrl: string | undefined): boolean => {
  const url = URL.parse(serviceUrl ?? "");
  return url?.protocol === "http:" && isLoopbackHost(url.hostname);
};

/** Starts with the connection where the terminal was set up before. */
export const Setup = ({ screen }: { readonly screen: ScreenOf<"setup"> }) => {
  const isFirst = screen.why === "not_enrolled";
  const hasManager = useSnapshot().people.managers !== "none";
  const [at, setAt] = useState<"appearance" | "connect" | "own">(isFirst ? "appearance" : "connect");
  const [isManagerSet, setManagerSet] = useState(false);
  const [method, setMethod] = useState<ConnectMethod>("code");
  const link = useScannedLink((store) => store.link);
  // Whoever scans the provider's code has said how, whatever step is shown.
  useEffect(() => {
    if (link === null) return;
    setMethod("code");
    setAt("connect");
  }, [link]);
  const begin = () => setAt("appearance");
  if (at === "appearance") return <AppearanceStep next={() => setAt("connect")} />;
  if (isFirst && !hasManager && !isManagerSet) return <ManagerStep back={begin} done={() => setManagerSet(true)} />;
  if (at === "own")
    return (
      <Suspense>
        <OwnStep shop={screen.known?.merchantId} back={() => setAt("connect")} />
      </Suspense>
    );
  return (
    <ConnectStep
      key={method}
      method={method}
      why={screen.why}
      known={screen.known}
      change={setMethod}
      back={isFirst ? begin : null}
      runService={isFirst || isOwnService(screen.known?.serviceUrl) ? () => setAt("own") : null}
    />
  );
};

/** Starts by itself: the terminal changes to training for one withdrawal, and comes back. */
const PracticeStep = ({ done }: { readonly done: () => void }) => {
  const { send, refusal } = useSend();
  const hasStarted = useRef(false);
  useEffect(() => {
    if (hasStarted.current) return;
    hasStarted.current = true;
    void send({ type: "switch_purpose", training: true, practice: true });
  }, [send]);
  return (
    <StepPage
      step="practice"
      title={t("practice.title")}
      next={t("practice.next")}
      actions={{ second: { label: t("practice.finish"), icon: IconCheck, run: done } }}
    >
      {refusal === null ? <Working /> : <RefusalText refusal={refusal} />}
    </StepPage>
  );
};

/** The part that the settings name. */
export const SetUpParts = () => {
  const { setUp } = useSnapshot().settings;
  const change = useSettingsChange();
  const [method, setMethod] = useState<ConnectMethod>("code");
  const go = (to: Settings["setUp"]) => (): void => void change({ setUp: to });
  switch (setUp) {
    case "connect":
      return (
        <ConnectStep
          key={method}
          method={method}
          why="not_enrolled"
          known={null}
          change={setMethod}
          back={go("done")}
          runService={null}
        />
      );
    case "people":
      return <CashiersStep />;
    case "devices":
      return <DevicesStep next={go("practice")} later={go("done")} />;
    case "practice":
      return <PracticeStep done={go("done")} />;
    case "done":
      return null;
  }
};
