/** The service that this terminal runs itself: its form, all of it as text, and the manager's page about its state and settings. */

import { Button, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconArrowRight, IconServer } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type {
  Command,
  OwnNetwork,
  OwnServiceField,
  OwnServiceReply,
  OwnServiceStatus,
  OwnServiceView,
  Refusal,
} from "../../preload/contract.ts";
import type { Action, Actions } from "../ui/action-bar.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { durationText, momentText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** The form of all parts. */
type OwnForm = Readonly<Record<OwnServiceField, string>>;

/** The fields of each part, in the order in which they are typed. */
const partFields = {
  shop: ["shopId", "shopName", "currency", "smallest", "largest", "step"],
  bank: ["bankId", "bankUrl", "bankKey", "eventsUrl"],
  backups: ["backupFolder"],
  network: ["publicUrl", "networkPort", "certFile", "keyFile"],
} as const satisfies Readonly<Record<string, readonly OwnServiceField[]>>;
/** One part of the form. */
type OwnPart = keyof typeof partFields;

const usualNetworkPort = "8443";

/** The form of a new service. */
const emptyForm: OwnForm = {
  shopId: "",
  shopName: "",
  currency: "EUR",
  smallest: "",
  largest: "",
  step: "",
  bankId: "",
  bankUrl: "",
  bankKey: "",
  eventsUrl: "",
  backupFolder: "",
  publicUrl: "",
  networkPort: usualNetworkPort,
  certFile: "",
  keyFile: "",
};

/** The form filled with the current settings. A key is never returned: its field is empty. */
const formOf = ({ live, backupFolder, network }: OwnServiceView): OwnForm => {
  const { shop, bank } = live ?? { shop: null, bank: null };
  return {
    ...emptyForm,
    ...(shop && { ...shop, shopId: shop.id, shopName: shop.name }),
    ...(bank && { bankId: bank.id, bankUrl: bank.url, eventsUrl: bank.eventsUrl }),
    backupFolder,
    ...(network && { ...network, networkPort: String(network.port) }),
  };
};

const shopIn = (form: OwnForm) => ({
  id: form.shopId,
  name: form.shopName,
  currency: form.currency.toUpperCase(),
  smallest: form.smallest,
  largest: form.largest,
  step: form.step,
});
const bankIn = (form: OwnForm) => ({
  id: form.bankId,
  url: form.bankUrl,
  eventsUrl: form.eventsUrl,
  key: form.bankKey,
});
const portIn = (text: string): number => {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
};
const networkIn = (form: OwnForm): OwnNetwork => ({
  publicUrl: form.publicUrl,
  port: portIn(form.networkPort),
  certFile: form.certFile,
  keyFile: form.keyFile,
});

/** Required fields. */
const needed: readonly OwnServiceField[] = [
  "shopId",
  "shopName",
  "currency",
  "bankId",
  "bankUrl",
  ...partFields.network,
];

/** Required fields of a part that are empty, or not a port number where one is needed. */
const missingIn = (form: OwnForm, part: OwnPart): readonly OwnServiceField[] =>
  partFields[part].filter(
    (field) =>
      needed.includes(field) && (form[field].trim() === "" || (field === "networkPort" && portIn(form[field]) === 0)),
  );

/** The command of the whole form. */
const setUpCommand = (form: OwnForm): Command => ({
  type: "set_up_service",
  shop: shopIn(form),
  bank: bankIn(form),
  backupFolder: form.backupFolder,
});

/** The command that changes one part. */
const changeCommand = (form: OwnForm, part: OwnPart): Command => {
  switch (part) {
    case "shop":
      return { type: "change_service", change: { part, shop: shopIn(form) } };
    case "bank":
      return { type: "change_service", change: { part, bank: bankIn(form) } };
    case "backups":
      return { type: "change_service", change: { part, folder: form.backupFolder } };
    case "network":
      return { type: "change_service", change: { part, network: networkIn(form) } };
  }
};

/** The result of the last command. */
interface OwnAnswer {
  readonly kind: "idle" | "working" | "done" | "refused";
  readonly fields: readonly OwnServiceField[];
  /** The service's own sentence, in English. */
  readonly output: string | null;
  readonly code: Refusal | null;
}

const idle: OwnAnswer = { kind: "idle", fields: [], output: null, code: null };

/** `send` resolves true when the command was executed. */
const useOwnService = () => {
  const commands = useCommands();
  const [answer, setAnswer] = useState<OwnAnswer>(idle);
  const send = async (command: Command): Promise<boolean> => {
    setAnswer({ ...idle, kind: "working" });
    const reply = await commands.dispatch(command);
    if (!reply.ok) setAnswer({ ...idle, kind: "refused", code: reply.code });
    else {
      // The data is the host's, so its form is the contract's; some commands have none.
      const data = (reply.data ?? { kind: "done" }) as OwnServiceReply;
      setAnswer(data.kind === "done" ? { ...idle, kind: "done" } : { ...idle, ...data });
      return data.kind === "done";
    }
    return false;
  };
  return {
    answer,
    send,
    mark: (fields: readonly OwnServiceField[]): void => setAnswer({ ...idle, kind: "refused", fields }),
    clearResult: (): void => setAnswer((now) => (now.kind === "working" ? now : idle)),
  };
};

interface OwnFieldsProps {
  readonly fields: readonly OwnServiceField[];
  readonly form: OwnForm;
  readonly set: (field: OwnServiceField, value: string) => void;
  readonly answer: OwnAnswer;
  /** Shown but not editable. */
  readonly fixed?: readonly OwnServiceField[];
}

/** Some fields of the form; a refused one shows its rule. */
const OwnFields = ({ fields, form, set, answer, fixed = [] }: OwnFieldsProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.fields}>
      {fields.map((field) => {
        const props = {
          label: t(`ownService.fields.${field}`),
          value: form[field],
          autoComplete: "off",
          spellCheck: false,
          size: "md",
          readOnly: fixed.includes(field),
          error: answer.fields.includes(field) ? t(`ownService.rules.${field}`) : null,
          onChange: (event: { currentTarget: { value: string } }) => set(field, event.currentTarget.value),
        } as const;
        return <TextInput key={field} type={field === "bankKey" ? "password" : "text"} {...props} />;
      })}
    </div>
  );
};

/** The refusal in the service's words; nothing where wrong fields are marked. */
const OwnTrouble = ({ answer }: { readonly answer: OwnAnswer }) => {
  const { t } = useTranslation();
  if (answer.kind !== "refused" || answer.fields.length > 0) return null;
  return (
    <div role="alert" className={page.caution}>
      <p>{answer.code === null ? t("ownService.refused") : t(`refusals.${answer.code}`)}</p>
      {answer.output !== null && <p lang="en">{answer.output}</p>}
    </div>
  );
};

interface OwnPartProps {
  readonly part: OwnPart;
  readonly known: OwnForm;
  readonly fixed?: readonly OwnServiceField[];
  /** Called when the change was made. */
  readonly changed: () => void;
}

/** One part of the service's settings, with a button that saves it. */
const OwnPartForm = ({ part, known, fixed = [], changed }: OwnPartProps) => {
  const { t } = useTranslation();
  const [form, setForm] = useState(known);
  const { answer, send, mark, clearResult } = useOwnService();
  const keep = (): void => {
    const missing = missingIn(form, part);
    if (missing.length > 0) mark(missing);
    else
      void send(changeCommand(form, part)).then((isDone) => {
        if (!isDone) return;
        // The key is saved: it must not stay on the page.
        setForm((now) => ({ ...now, bankKey: "" }));
        changed();
      });
  };
  return (
    <>
      <OwnFields
        fields={partFields[part]}
        form={form}
        set={(field, value) => {
          setForm({ ...form, [field]: value });
          clearResult();
        }}
        answer={answer}
        fixed={fixed}
      />
      <OwnTrouble answer={answer} />
      <Button size="md" variant="default" loading={answer.kind === "working"} onClick={keep}>
        {part === "network" ? t("ownService.open") : t("ownService.keep")}
      </Button>
    </>
  );
};

/** The service's version, addresses, outbox and backup. */
const OwnFacts = ({ view }: { readonly view: OwnServiceView }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const service = view.live?.service ?? null;
  const outbox = (): string => {
    if (service === null) return "–";
    const { waiting, oldestAt } = service.outbox;
    if (waiting === 0 || oldestAt === null) return t("ownService.outboxEmpty");
    return t("ownService.outboxWaits", { count: waiting, time: durationText(Date.now() - oldestAt, language) });
  };
  const copy = (): string => {
    if (service === null) return "–";
    if (service.backup === null) return t("ownService.noCopy");
    return `${momentText(new Date(service.backup.at).toISOString(), language)} · ${service.backup.file}`;
  };
  const facts: readonly (readonly [string, string])[] = [
    [t("ownService.version"), service?.version ?? "–"],
    [t("ownService.address"), view.address],
    [t("ownService.reached"), view.network?.publicUrl ?? t("ownService.closed")],
    [t("ownService.outbox"), outbox()],
    [t("ownService.lastCopy"), copy()],
    [t("ownService.database"), view.database],
  ];
  return (
    <dl className={page.facts}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

const Details = ({ view, again }: { readonly view: OwnServiceView; readonly again: () => void }) => {
  const { t } = useTranslation();
  const { answer, send } = useOwnService();
  const known = formOf(view);
  const isRunning = view.live !== null;
  const press = (type: "back_up_service" | "restart_service" | "renew_bank_access" | "discard_bank_file") => () =>
    void send({ type }).then(again);
  return (
    <div className={page.stack}>
      <section className={page.card}>
        <h2 className={page.row}>
          {isRunning ? <IconServer size={32} aria-hidden /> : <IconAlertTriangle size={32} aria-hidden />}
          {t(`ownService.states.${view.state}`)}
        </h2>
        {view.why !== null && <p>{t(`ownService.troubles.${view.why}`)}</p>}
        {view.lastOutput !== null && <p lang="en">{view.lastOutput}</p>}
        <OwnFacts view={view} />
        <div className={page.row}>
          {isRunning ? (
            <Button size="md" variant="default" loading={answer.kind === "working"} onClick={press("back_up_service")}>
              {t("ownService.backUp")}
            </Button>
          ) : (
            <Button size="md" loading={answer.kind === "working"} onClick={press("restart_service")}>
              {t("ownService.restart")}
            </Button>
          )}
        </div>
        <OwnTrouble answer={answer} />
      </section>
      {isRunning && (
        <>
          <section className={page.card}>
            <h2>{t("ownService.bankFile")}</h2>
            <p className={page.soft}>
              {view.bankFile === null
                ? t("ownService.bankFileGone")
                : t("ownService.bankFileAt", { file: view.bankFile })}
            </p>
            <div className={page.row}>
              {view.bankFile !== null && (
                <Button
                  size="md"
                  variant="default"
                  disabled={answer.kind === "working"}
                  onClick={press("discard_bank_file")}
                >
                  {t("ownService.discard")}
                </Button>
              )}
              <Button
                size="md"
                variant="default"
                loading={answer.kind === "working"}
                onClick={press("renew_bank_access")}
              >
                {t("ownService.renew")}
              </Button>
            </div>
          </section>
          <section className={page.card}>
            <h2>{t("ownService.shop")}</h2>
            <OwnPartForm part="shop" known={known} fixed={["shopId", "currency"]} changed={again} />
          </section>
          <section className={page.card}>
            <h2>{t("ownService.bank")}</h2>
            <OwnPartForm part="bank" known={known} fixed={["bankId"]} changed={again} />
          </section>
          <section className={page.card}>
            <h2>{t("ownService.backups")}</h2>
            <OwnPartForm part="backups" known={known} changed={again} />
          </section>
          <section className={page.card}>
            <h2>{t("ownService.network")}</h2>
            <p className={page.soft}>{t("ownService.networkNext")}</p>
            <OwnPartForm part="network" known={known} changed={again} />
            {view.network !== null && (
              <Button
                size="md"
                variant="default"
                onClick={() =>
                  void send({ type: "change_service", change: { part: "network", network: null } }).then(again)
                }
              >
                {t("ownService.close")}
              </Button>
            )}
          </section>
        </>
      )}
    </div>
  );
};

/** Loads the service's state, and again whenever the service starts, stops or is given up. */
const OwnServicePage = ({ status }: { readonly status: OwnServiceStatus }) => {
  const { state, refetch } = useQuery<OwnServiceView>({ type: "get_service" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the state that matters
  useEffect(refetch, [refetch, status.state]);
  return (
    <Query state={state} again={refetch}>
      {(view) => <Details view={view} again={refetch} />}
    </Query>
  );
};

const bigIcon = { size: 34, stroke: 2, "aria-hidden": true } as const;
const bankFields = [...partFields.bank, ...partFields.backups] as const;

/** One step for the page around it: title, next thing to do, buttons, body. */
interface OwnSetUpStep {
  readonly title: string;
  readonly next: string;
  readonly actions: Actions;
  readonly body: React.ReactNode;
}

/** The form as steps. @param back leaves the form. @param isFirst the set-up continues with the devices and practice afterwards. */
const useOwnSetUp = (back: () => void, isFirst: boolean): OwnSetUpStep => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [form, setForm] = useState<OwnForm>(emptyForm);
  const [step, setStep] = useState<"shop" | "bank">("shop");
  const { answer, send, mark, clearResult } = useOwnService();
  const set = (field: keyof OwnForm, value: string): void => {
    setForm({ ...form, [field]: value });
    clearResult();
  };
  const continueSetUp = (): void => {
    const missing = missingIn(form, "shop");
    if (missing.length > 0) mark(missing);
    else {
      clearResult();
      setStep("bank");
    }
  };
  const start = async (): Promise<void> => {
    if (answer.kind === "working") return;
    const missing = missingIn(form, "bank");
    if (missing.length > 0) return mark(missing);
    const settings = useSnapshotStore.getState().snapshot?.settings;
    if (isFirst && settings)
      await commands.dispatch({ type: "change_settings", settings: { ...settings, setUp: "people" } });
    await send(setUpCommand(form));
  };
  /** A wrong field of the shop leads back to the first step. */
  const isShopWrong =
    step === "bank" && answer.fields.some((field) => (partFields.shop as readonly string[]).includes(field));
  const shown = isShopWrong ? "shop" : step;
  const isWorking = answer.kind === "working";
  return {
    title: shown === "shop" ? t("ownService.shopTitle") : t("ownService.bankTitle"),
    next: shown === "shop" ? t("ownService.shopNext") : t("ownService.bankNext"),
    actions: {
      second: {
        label: t("setup.back"),
        shortcut: "secondDeliberate",
        run: shown === "shop" && !isShopWrong ? back : () => setStep("shop"),
      },
      main:
        shown === "shop"
          ? {
              label: t("setup.go"),
              icon: <IconArrowRight {...bigIcon} />,
              shortcut: "mainDeliberate",
              run: continueSetUp,
            }
          : {
              label: isWorking ? t("ownService.starting") : t("ownService.start"),
              icon: <IconServer {...bigIcon} />,
              shortcut: "mainDeliberate",
              enabled: !isWorking,
              run: () => void start(),
            },
    },
    body: (
      <form
        className={page.stack}
        onSubmit={(event) => {
          event.preventDefault();
          if (shown === "shop") continueSetUp();
          else void start();
        }}
      >
        <OwnFields fields={shown === "shop" ? partFields.shop : bankFields} form={form} set={set} answer={answer} />
        <OwnTrouble answer={answer} />
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.go")}
        </button>
      </form>
    ),
  };
};

interface OwnStepProps {
  readonly back: () => void;
  readonly isFirst: boolean;
}

/** The set-up step of an own service. */
export const OwnStep = ({ back, isFirst }: OwnStepProps) => {
  const { title, next, actions, body } = useOwnSetUp(back, isFirst);
  return (
    <StepPage step="connect" title={title} next={next} actions={actions}>
      {body}
    </StepPage>
  );
};

const runOf = (action: Action | undefined) => (action && "run" in action ? action.run : undefined);

const Begin = ({ back }: { readonly back: () => void }) => {
  const { title, next, actions, body } = useOwnSetUp(back, false);
  return (
    <div className={page.stack}>
      <h2>{title}</h2>
      <p className={page.soft}>{next}</p>
      {body}
      <div className={page.row}>
        <Button size="lg" variant="default" onClick={runOf(actions.second)}>
          {actions.second?.label}
        </Button>
        <Button size="lg" disabled={actions.main?.enabled === false} onClick={runOf(actions.main)}>
          {actions.main?.label}
        </Button>
      </div>
    </div>
  );
};

/** The set-up is refused while withdrawals are open: another service needs another journal. */
export const OwnService = () => {
  const { t } = useTranslation();
  const status = useSnapshotStore((store) => store.snapshot?.header.ownService ?? null);
  const [isBeginning, setBeginning] = useState(false);
  if (status !== null) return <OwnServicePage status={status} />;
  if (isBeginning) return <Begin back={() => setBeginning(false)} />;
  return (
    <div className={page.stack}>
      <section className={page.card}>
        <h2>{t("ownService.way")}</h2>
        <p className={page.soft}>{t("ownService.laterNext")}</p>
        <Button size="lg" variant="default" onClick={() => setBeginning(true)}>
          {t("ownService.begin")}
        </Button>
      </section>
    </div>
  );
};
