/** The service that this terminal runs itself: its form, all of it as text, and the manager's page about its state and settings. */
import { Button, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconArrowRight, IconServer } from "@tabler/icons-react";
import { t } from "i18next";
import { type ReactNode, useRef, useState } from "react";
import { ownServiceParts } from "../../preload/choices.ts";
import type { Command, OwnServiceField, OwnServiceReply, OwnServiceView, Reply } from "../../preload/contract.ts";
import { Section } from "../ui/controls.tsx";
import { Facts } from "../ui/data-table.tsx";
import { HiddenSubmit, useFields } from "../ui/fields.tsx";
import { durationText, momentText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { useCommands, useSettingsChange, useSnapshotStore } from "../ui/terminal.tsx";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

type OwnPart = keyof typeof ownServiceParts;
type OwnForm = Readonly<Record<OwnServiceField, string>>;

const parts = Object.keys(ownServiceParts) as OwnPart[];
/** The fields of some parts, with their names in the parts' commands. */
const namesIn = (...of: readonly OwnPart[]) =>
  of.flatMap((part) => Object.entries(ownServiceParts[part]) as (readonly [OwnServiceField, string])[]);

const usual: Partial<OwnForm> = { currency: "EUR", networkPort: "8443" };

/** The form filled with what is known; a bank's key is never returned, and stays empty. */
const formOf = (known: Partial<Record<OwnPart, object | null | undefined>>): OwnForm =>
  Object.fromEntries(
    parts.flatMap((part) =>
      namesIn(part).map(([field, name]) => {
        const value = (known[part] as Record<string, unknown> | null | undefined)?.[name];
        return [field, String(value ?? usual[field] ?? "")];
      }),
    ),
  ) as OwnForm;

const portIn = (text: string): number => {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
};

/** A part as its command has it. The host parses it. */
const valuesOf = (form: OwnForm, part: OwnPart): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    namesIn(part).map(([field, name]) => {
      const value = form[field];
      return [name, field === "networkPort" ? portIn(value) : field === "currency" ? value.toUpperCase() : value];
    }),
  );

const setUpCommand = (form: OwnForm) =>
  ({
    type: "set_up_service",
    shop: valuesOf(form, "shop"),
    bank: valuesOf(form, "bank"),
    backupFolder: form.backupFolder,
  }) as Command;

const changeCommand = (form: OwnForm, part: OwnPart) => {
  const values = valuesOf(form, part);
  return { type: "change_service", change: { part, ...(part === "backups" ? values : { [part]: values }) } } as Command;
};

const optional: readonly OwnServiceField[] = ["smallest", "largest", "step", "bankKey", "eventsUrl", "backupFolder"];

const rulesOf = (fields: readonly OwnServiceField[]) =>
  Object.fromEntries(fields.map((field) => [field, t(`ownService.rules.${field}`)]));

/** The fields that are empty and needed, or no port number where one is needed. */
const missingIn = (form: OwnForm, ...of: readonly OwnPart[]) =>
  rulesOf(
    namesIn(...of)
      .map(([field]) => field)
      .filter((field) => !optional.includes(field))
      .filter((field) => form[field].trim() === "" || (field === "networkPort" && portIn(form[field]) === 0)),
  );

type Faults = Readonly<Record<string, string>>;

/** What was refused: at the fields, or in the service's own words, which are English. */
const refusedBy = (reply: Reply): Faults => {
  if (!reply.ok) return { form: t(`refusals.${reply.code}`) };
  // The data is the host's, so its form is the contract's; some commands have none.
  const answer = (reply.data ?? { kind: "done" }) as OwnServiceReply;
  if (answer.kind === "done") return {};
  if (answer.fields.length > 0) return rulesOf(answer.fields);
  return { form: t("ownService.refused"), ...(answer.output !== null && { output: answer.output }) };
};

const isRefused = (faults: Faults): boolean => Object.keys(faults).length > 0;

/** Names that are written in books: shown, and never changed. */
const namesInBooks: readonly OwnServiceField[] = ["shopId", "currency", "bankId"];

interface OwnFieldsProps {
  readonly form: ReturnType<typeof useFields<OwnForm>>;
  readonly of: readonly OwnPart[];
  readonly fixed?: readonly OwnServiceField[];
}

/** The fields of some parts; a refused one shows its rule. */
const OwnFields = ({ form, of, fixed = [] }: OwnFieldsProps) => (
  <>
    <div className={classes.fields}>
      {namesIn(...of).map(([field]) => (
        <TextInput
          key={field}
          {...form.getInputProps(field)}
          size="md"
          label={t(`ownService.fields.${field}`)}
          type={field === "bankKey" ? "password" : "text"}
          readOnly={fixed.includes(field)}
        />
      ))}
    </div>
    <Trouble errors={form.errors} />
  </>
);

const Trouble = ({ errors: { form, output } }: { readonly errors: Readonly<Record<string, ReactNode>> }) =>
  form && (
    <div role="alert" className={page.caution}>
      <p>{form}</p>
      {output && <p lang="en">{output}</p>}
    </div>
  );

const OwnFacts = ({ view }: { readonly view: OwnServiceView }) => {
  const { version, outbox, backup } = view.live?.service ?? {};
  const waits = outbox?.oldestAt == null ? null : durationText(Date.now() - outbox.oldestAt);
  const waiting = waits
    ? t("ownService.outboxWaits", { count: outbox?.waiting, time: waits })
    : t("ownService.outboxEmpty");
  const copy = backup ? `${momentText(backup.at)} · ${backup.file}` : t("ownService.noCopy");
  return (
    <Facts
      rows={[
        [t("ownService.version"), version ?? "–"],
        [t("ownService.address"), view.address],
        [t("ownService.reached"), view.network?.publicUrl ?? t("ownService.closed")],
        [t("ownService.outbox"), view.live ? waiting : "–"],
        [t("ownService.lastCopy"), view.live ? copy : "–"],
        [t("ownService.database"), view.database],
      ]}
    />
  );
};

interface DetailsProps {
  readonly view: OwnServiceView;
  readonly again: () => void;
  /** One of this page's commands is under way. */
  readonly isWorking: boolean;
  /** Sends one. @returns why it was refused; empty if it was not. */
  readonly ask: (command: Command) => Promise<Faults>;
}

/** One part of the service's settings, with a button that saves it. */
const PartForm = ({ view, again, ask, part }: Omit<DetailsProps, "isWorking"> & { readonly part: OwnPart }) => {
  const { live, backupFolder: folder, network } = view;
  const form = useFields({
    initialValues: formOf({ shop: live?.shop, bank: live?.bank, backups: { folder }, network }),
    validate: (typed) => missingIn(typed, part),
    send: async (typed) => {
      const faults = await ask(changeCommand(typed, part));
      if (isRefused(faults)) return faults;
      // The form is made anew: a key that was saved does not stay on the page.
      again();
      return {};
    },
  });
  const close = async (): Promise<void> => {
    const refusal = await ask({ type: "change_service", change: { part: "network", network: null } });
    form.setErrors(refusal);
    if (!isRefused(refusal)) again();
  };
  return (
    <Section title={t(`ownService.${part}`)}>
      {part === "network" && <p className={page.soft}>{t("ownService.networkNext")}</p>}
      <OwnFields form={form} of={[part]} fixed={namesInBooks} />
      <Button loading={form.isSending} onClick={() => void form.submit()}>
        {part === "network" ? t("ownService.open") : t("ownService.keep")}
      </Button>
      {part === "network" && network !== null && <Button onClick={() => void close()}>{t("ownService.close")}</Button>}
    </Section>
  );
};

const Details = ({ view, again, isWorking, ask }: DetailsProps) => {
  const [faults, setFaults] = useState<Faults>({});
  const isRunning = view.live !== null;
  const port = view.network?.port ?? new URL(view.address).port;
  // A certificate that is gone keeps it from starting: it is closed, or given another one, all the same.
  const shown = isRunning ? parts : parts.filter((part) => part === "network" && view.network !== null);
  const press = async (type: "back_up_service" | "restart_service" | "renew_bank_access" | "discard_bank_file") => {
    const refusal = await ask({ type });
    setFaults(refusal);
    // What is made anew says why the service does not start, and nothing of any other refusal.
    if (type === "restart_service" || !isRefused(refusal)) again();
  };
  return (
    <div className={page.stack}>
      <section className={page.card}>
        <h2 className={page.row}>
          {isRunning ? <IconServer size={32} aria-hidden /> : <IconAlertTriangle size={32} aria-hidden />}
          {t(`ownService.states.${view.state}`)}
        </h2>
        {view.why !== null && <p>{t(`ownService.troubles.${view.why}`, { port })}</p>}
        {view.lastOutput !== null && <p lang="en">{view.lastOutput}</p>}
        <OwnFacts view={view} />
        <Button
          loading={isWorking}
          variant={isRunning ? "default" : "filled"}
          onClick={() => void press(isRunning ? "back_up_service" : "restart_service")}
        >
          {t(isRunning ? "ownService.backUp" : "ownService.restart")}
        </Button>
        <Trouble errors={faults} />
      </section>
      {isRunning && (
        <Section title={t("ownService.bankFile")}>
          <p className={page.soft}>
            {view.bankFile === null
              ? t("ownService.bankFileGone")
              : t("ownService.bankFileAt", { file: view.bankFile })}
          </p>
          <div className={page.row}>
            {view.bankFile !== null && (
              <Button disabled={isWorking} onClick={() => void press("discard_bank_file")}>
                {t("ownService.discard")}
              </Button>
            )}
            <Button loading={isWorking} onClick={() => void press("renew_bank_access")}>
              {t("ownService.renew")}
            </Button>
          </div>
        </Section>
      )}
      {shown.map((part) => (
        <PartForm key={part} view={view} again={again} ask={ask} part={part} />
      ))}
    </div>
  );
};

/** The manager's page: loads the service's state, and again whenever the service starts, stops or is given up. */
export const OwnService = () => {
  const { dispatch } = useCommands();
  const state = useSnapshotStore((store) => store.snapshot?.header.ownService?.state);
  const [isWorking, setWorking] = useState(false);
  /** A command that starts the service anew is answered on the form that it was sent from. */
  const shown = useRef(state);
  if (!isWorking) shown.current = state;
  const ask = async (command: Command): Promise<Faults> => {
    setWorking(true);
    const reply = await dispatch(command);
    setWorking(false);
    return refusedBy(reply);
  };
  return (
    <Query<OwnServiceView> key={shown.current} command={{ type: "get_service" }}>
      {(view, again) => <Details view={view} again={again} isWorking={isWorking} ask={ask} />}
    </Query>
  );
};

interface OwnStepProps {
  /** The short name of the shop where this terminal was enrolled before. */
  readonly shop?: string | undefined;
  /** Leaves the form. */
  readonly back: () => void;
}

/** The set-up of an own service: the shop, then the bank; people and devices follow. */
export const OwnStep = ({ shop, back }: OwnStepProps) => {
  const { dispatch } = useCommands();
  const change = useSettingsChange();
  const [step, setStep] = useState<"shop" | "bank">("shop");
  /** A wrong field of the shop leads back to the first step. */
  const shownBy = (errors: Readonly<Record<string, ReactNode>>) =>
    namesIn("shop").some(([field]) => errors[field]) ? "shop" : step;
  const form = useFields<OwnForm>({
    initialValues: formOf({ shop: { id: shop } }),
    validate: (typed, before) => missingIn(typed, shownBy(before)),
    send: async (typed, before) => {
      setStep("bank");
      if (shownBy(before) === "shop") return {};
      await change({ setUp: "people" });
      return refusedBy(await dispatch(setUpCommand(typed)));
    },
  });
  const shown = shownBy(form.errors);
  return (
    <StepPage
      step="connect"
      title={t(`ownService.${shown}Title`)}
      next={t(`ownService.${shown}Next`)}
      actions={{
        second: { label: t("setup.back"), run: step === "shop" ? back : () => setStep("shop") },
        main: {
          label: t(shown === "shop" ? "setup.go" : form.isSending ? "ownService.starting" : "ownService.start"),
          icon: shown === "shop" ? IconArrowRight : IconServer,
          enabled: !form.isSending,
          run: () => void form.submit(),
        },
      }}
    >
      <form className={page.stack} onSubmit={form.onSubmit}>
        <OwnFields form={form} of={shown === "shop" ? ["shop"] : ["bank", "backups"]} />
        <HiddenSubmit />
      </form>
    </StepPage>
  );
};
