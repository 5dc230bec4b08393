/** The service that this terminal runs itself: its form, all of it as text, and the manager's page about its state and settings. */

import { Button, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconArrowRight, IconServer } from "@tabler/icons-react";
import { t } from "i18next";
import { useEffect, useState } from "react";
import { ownServiceParts } from "../../preload/choices.ts";
import type { Command, OwnServiceField, OwnServiceReply, OwnServiceView, Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { Facts } from "../ui/data-table.tsx";
import { durationText, momentText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query, useQuery } from "../ui/query.tsx";
import { useSnapshotStore } from "../ui/snapshot-store.ts";
import classes from "./setup.module.css";
import { StepPage } from "./step-page.tsx";

/** One part of the form. */
type OwnPart = keyof typeof ownServiceParts;
/** The form of all parts. */
type OwnForm = Readonly<Record<OwnServiceField, string>>;

const namesIn = (part: OwnPart) =>
  Object.entries(ownServiceParts[part]) as readonly (readonly [OwnServiceField, string])[];
const fieldsOf = (part: OwnPart): readonly OwnServiceField[] => namesIn(part).map(([field]) => field);

/** The fields of a part, filled with what holds; the one that is not known stays empty, as a key that is never returned. */
const filled = (part: OwnPart, known: object | null | undefined): Partial<OwnForm> =>
  Object.fromEntries(
    namesIn(part).map(([field, name]) => [field, String((known as Record<string, unknown>)?.[name] ?? "")]),
  );

/** The form of a new service. */
const emptyForm = {
  ...filled("shop", { currency: "EUR" }),
  ...filled("bank", null),
  ...filled("backups", null),
  ...filled("network", { port: 8443 }),
} as OwnForm;

/** The form filled with the current settings. */
const formOf = ({ live, backupFolder, network }: OwnServiceView): OwnForm => ({
  ...emptyForm,
  ...(live?.shop && filled("shop", live.shop)),
  ...filled("bank", live?.bank),
  backupFolder,
  ...(network && filled("network", network)),
});

const portIn = (text: string): number => {
  const port = /^\d{1,5}$/.test(text.trim()) ? Number(text) : 0;
  return port <= 65_535 ? port : 0;
};

type Names<Part extends OwnPart> = (typeof ownServiceParts)[Part];
type PartValues<Part extends OwnPart> = {
  readonly [Field in keyof Names<Part> as Names<Part>[Field] & string]: Field extends "networkPort" ? number : string;
};

/** A part as its command has it. The host parses it. */
const valuesOf = <Part extends OwnPart>(form: OwnForm, part: Part) =>
  Object.fromEntries(
    namesIn(part).map(([field, name]) => {
      const value = form[field];
      return [name, field === "networkPort" ? portIn(value) : field === "currency" ? value.toUpperCase() : value];
    }),
  ) as PartValues<Part>;

/** Required fields. */
const needed: readonly OwnServiceField[] = [
  ...(["shopId", "shopName", "currency", "bankId", "bankUrl"] as const),
  ...fieldsOf("network"),
];

/** Required fields of a part that are empty, or not a port number where one is needed. */
const missingIn = (form: OwnForm, part: OwnPart): readonly OwnServiceField[] =>
  fieldsOf(part).filter(
    (field) =>
      needed.includes(field) && (form[field].trim() === "" || (field === "networkPort" && portIn(form[field]) === 0)),
  );

/** The command of the whole form. */
const setUpCommand = (form: OwnForm): Command => ({
  type: "set_up_service",
  shop: valuesOf(form, "shop"),
  bank: valuesOf(form, "bank"),
  backupFolder: form.backupFolder,
});

/** What changes one part. */
const changeOf = (form: OwnForm, part: OwnPart): Extract<Command, { type: "change_service" }>["change"] => {
  if (part === "shop") return { part, shop: valuesOf(form, part) };
  if (part === "bank") return { part, bank: valuesOf(form, part) };
  if (part === "network") return { part, network: valuesOf(form, part) };
  return { part, ...valuesOf(form, part) };
};

/** Names that are written in books: shown, and never changed. */
const namesInBooks: readonly OwnServiceField[] = ["shopId", "currency", "bankId"];

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
  /** Called when the change was made. */
  readonly changed: () => void;
}

/** One part of the service's settings, with a button that saves it. */
const OwnPartForm = ({ part, known, changed }: OwnPartProps) => {
  const [form, setForm] = useState(known);
  const { answer, send, mark, clearResult } = useOwnService();
  const keep = (): void => {
    const missing = missingIn(form, part);
    if (missing.length > 0) mark(missing);
    else
      void send({ type: "change_service", change: changeOf(form, part) }).then((isDone) => {
        if (!isDone) return;
        // The key is saved: it must not stay on the page.
        setForm((now) => ({ ...now, bankKey: "" }));
        changed();
      });
  };
  return (
    <>
      <OwnFields
        fields={fieldsOf(part)}
        form={form}
        set={(field, value) => {
          setForm({ ...form, [field]: value });
          clearResult();
        }}
        answer={answer}
        fixed={namesInBooks}
      />
      <OwnTrouble answer={answer} />
      <Button loading={answer.kind === "working"} onClick={keep}>
        {part === "network" ? t("ownService.open") : t("ownService.keep")}
      </Button>
    </>
  );
};

/** The service's version, addresses, outbox and backup. */
const OwnFacts = ({ view }: { readonly view: OwnServiceView }) => {
  const service = view.live?.service ?? null;
  const outbox = (): string => {
    if (service === null) return "–";
    const { waiting, oldestAt } = service.outbox;
    if (waiting === 0 || oldestAt === null) return t("ownService.outboxEmpty");
    return t("ownService.outboxWaits", { count: waiting, time: durationText(Date.now() - oldestAt) });
  };
  const copy = (): string => {
    if (service === null) return "–";
    if (service.backup === null) return t("ownService.noCopy");
    return `${momentText(new Date(service.backup.at).toISOString())} · ${service.backup.file}`;
  };
  return (
    <Facts
      rows={[
        [t("ownService.version"), service?.version ?? "–"],
        [t("ownService.address"), view.address],
        [t("ownService.reached"), view.network?.publicUrl ?? t("ownService.closed")],
        [t("ownService.outbox"), outbox()],
        [t("ownService.lastCopy"), copy()],
        [t("ownService.database"), view.database],
      ]}
    />
  );
};

const Details = ({ view, again }: { readonly view: OwnServiceView; readonly again: () => void }) => {
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
            <Button loading={answer.kind === "working"} onClick={press("back_up_service")}>
              {t("ownService.backUp")}
            </Button>
          ) : (
            <Button variant="filled" loading={answer.kind === "working"} onClick={press("restart_service")}>
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
                <Button disabled={answer.kind === "working"} onClick={press("discard_bank_file")}>
                  {t("ownService.discard")}
                </Button>
              )}
              <Button loading={answer.kind === "working"} onClick={press("renew_bank_access")}>
                {t("ownService.renew")}
              </Button>
            </div>
          </section>
          {(Object.keys(ownServiceParts) as OwnPart[]).map((part) => (
            <section key={part} className={page.card}>
              <h2>{t(`ownService.${part}`)}</h2>
              {part === "network" && <p className={page.soft}>{t("ownService.networkNext")}</p>}
              <OwnPartForm part={part} known={known} changed={again} />
              {part === "network" && view.network !== null && (
                <Button
                  onClick={() =>
                    void send({ type: "change_service", change: { part: "network", network: null } }).then(again)
                  }
                >
                  {t("ownService.close")}
                </Button>
              )}
            </section>
          ))}
        </>
      )}
    </div>
  );
};

/** The manager's page: loads the service's state, and again whenever the service starts, stops or is given up. */
export const OwnService = () => {
  const status = useSnapshotStore((store) => store.snapshot?.header.ownService?.state);
  const { state, refetch } = useQuery<OwnServiceView>({ type: "get_service" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change of the state that matters
  useEffect(refetch, [refetch, status]);
  return (
    <Query state={state} again={refetch}>
      {(view) => <Details view={view} again={refetch} />}
    </Query>
  );
};

const bigIcon = { size: 34, stroke: 2, "aria-hidden": true } as const;
const bankFields = [...fieldsOf("bank"), ...fieldsOf("backups")];

interface OwnStepProps {
  /** Leaves the form. */
  readonly back: () => void;
}

/** The set-up of an own service: the shop, then the bank; people and devices follow. */
export const OwnStep = ({ back }: OwnStepProps) => {
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
    if (settings) await commands.dispatch({ type: "change_settings", settings: { ...settings, setUp: "people" } });
    await send(setUpCommand(form));
  };
  /** A wrong field of the shop leads back to the first step. */
  const isShopWrong = step === "bank" && answer.fields.some((field) => fieldsOf("shop").includes(field));
  const shown = isShopWrong ? "shop" : step;
  const isWorking = answer.kind === "working";
  const next = shown === "shop" ? continueSetUp : () => void start();
  return (
    <StepPage
      step="connect"
      title={shown === "shop" ? t("ownService.shopTitle") : t("ownService.bankTitle")}
      next={shown === "shop" ? t("ownService.shopNext") : t("ownService.bankNext")}
      actions={{
        second: {
          label: t("setup.back"),
          run: shown === "shop" && !isShopWrong ? back : () => setStep("shop"),
        },
        main: {
          label: shown === "shop" ? t("setup.go") : isWorking ? t("ownService.starting") : t("ownService.start"),
          icon: shown === "shop" ? <IconArrowRight {...bigIcon} /> : <IconServer {...bigIcon} />,
          enabled: shown === "shop" || !isWorking,
          run: next,
        },
      }}
    >
      <form
        className={page.stack}
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <OwnFields fields={shown === "shop" ? fieldsOf("shop") : bankFields} form={form} set={set} answer={answer} />
        <OwnTrouble answer={answer} />
        <button type="submit" className="visually-hidden" tabIndex={-1} aria-hidden>
          {t("setup.go")}
        </button>
      </form>
    </StepPage>
  );
};
