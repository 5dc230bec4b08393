import { useTranslation } from "react-i18next";
import type { OwnServiceView } from "../../preload/contract.ts";
import { durationText, momentText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./own-service.module.css";

/** The service's version, addresses, outbox and backup. */
export const OwnFacts = ({ view }: { readonly view: OwnServiceView }) => {
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
