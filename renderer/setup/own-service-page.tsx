/** The manager's page about the own service: its state, and its settings. */

import { Button } from "@mantine/core";
import { IconAlertTriangle, IconServer } from "@tabler/icons-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import type { OwnServiceStatus, OwnServiceView } from "../../preload/contract.ts";
import { durationText, momentText } from "../ui/format.ts";
import { Query } from "../ui/query.tsx";
import { useLanguage } from "../ui/use-language.ts";
import { useQuery } from "../ui/use-query.ts";
import { formOf } from "./form.ts";
import { OwnTrouble } from "./own-fields.tsx";
import { OwnPartForm } from "./own-part.tsx";
import classes from "./own-service.module.css";
import { useOwnService } from "./use-own-service.ts";

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
