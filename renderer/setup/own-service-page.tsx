/** The manager's page about the own service: its state, and its settings. */

import { Button, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconServer } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type {
  Command,
  OwnServiceField,
  OwnServiceReply,
  OwnServiceStatus,
  OwnServiceView,
  Refusal,
} from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { durationText, momentText } from "../ui/format.ts";
import { Query, useQuery } from "../ui/query.tsx";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./own-service.module.css";
import { changeCommand, formOf, missingIn, type OwnForm, type OwnPart, partFields } from "./own-service-form.ts";

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
export const useOwnService = () => {
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
export const OwnFields = ({ fields, form, set, answer, fixed = [] }: OwnFieldsProps) => {
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
export const OwnTrouble = ({ answer }: { readonly answer: OwnAnswer }) => {
  const { t } = useTranslation();
  if (answer.kind !== "refused" || answer.fields.length > 0) return null;
  return (
    <div role="alert" className={classes.trouble}>
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
    <dl className={classes.facts}>
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
    <div className={classes.page}>
      <section>
        <h2 className={classes.state}>
          {isRunning ? <IconServer size={32} aria-hidden /> : <IconAlertTriangle size={32} aria-hidden />}
          {t(`ownService.states.${view.state}`)}
        </h2>
        {view.why !== null && <p>{t(`ownService.troubles.${view.why}`)}</p>}
        {view.lastOutput !== null && <p lang="en">{view.lastOutput}</p>}
        <OwnFacts view={view} />
        <div className={classes.buttons}>
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
          <section>
            <h2>{t("ownService.bankFile")}</h2>
            <p className={classes.note}>
              {view.bankFile === null
                ? t("ownService.bankFileGone")
                : t("ownService.bankFileAt", { file: view.bankFile })}
            </p>
            <div className={classes.buttons}>
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
          <section>
            <h2>{t("ownService.shop")}</h2>
            <OwnPartForm part="shop" known={known} fixed={["shopId", "currency"]} changed={again} />
          </section>
          <section>
            <h2>{t("ownService.bank")}</h2>
            <OwnPartForm part="bank" known={known} fixed={["bankId"]} changed={again} />
          </section>
          <section>
            <h2>{t("ownService.backups")}</h2>
            <OwnPartForm part="backups" known={known} changed={again} />
          </section>
          <section>
            <h2>{t("ownService.network")}</h2>
            <p className={classes.note}>{t("ownService.networkNext")}</p>
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
export const OwnServicePage = ({ status }: { readonly status: OwnServiceStatus }) => {
  const { state, refetch } = useQuery<OwnServiceView>({ type: "get_service" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the state that matters
  useEffect(refetch, [refetch, status.state]);
  return (
    <Query state={state} again={refetch}>
      {(view) => <Details view={view} again={refetch} />}
    </Query>
  );
};
