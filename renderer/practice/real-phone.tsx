/** A real phone in the shop's network plays the customer: the code to scan, the address to type, and the end of it. */
import { Button } from "@mantine/core";
import { IconDeviceMobile } from "@tabler/icons-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PhoneAccess, Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";
import { clockText } from "../ui/format.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./practice.module.css";

/** Opens the pages, or says why they cannot be opened. */
const useOpening = () => {
  const { dispatch } = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const open = async (address: string | null): Promise<void> => {
    setRefusal(null);
    const reply = await dispatch({ type: "open_phone_access", address });
    if (!reply.ok) setRefusal(reply.code);
  };
  return { open: (address: string | null) => void open(address), refusal };
};

const Refused = ({ code }: { readonly code: Refusal | null }) => {
  const { t } = useTranslation();
  return code && <p role="alert">{t(`refusals.${code}`)}</p>;
};

/** The button that opens the pages to a phone. */
export const UseRealPhone = () => {
  const { t } = useTranslation();
  const { open, refusal } = useOpening();
  return (
    <>
      <Button
        size="lg"
        variant="default"
        className={classes.start ?? ""}
        leftSection={<IconDeviceMobile size={24} aria-hidden />}
        onClick={() => open(null)}
      >
        {t("phone.real.start")}
      </Button>
      <Refused code={refusal} />
    </>
  );
};

/** While they are open: where, until when, and how to end it. */
export const RealPhone = ({ access }: { readonly access: PhoneAccess }) => {
  const { t } = useTranslation();
  const language = useLanguage();
  const { dispatch } = useCommands();
  const { open, refusal } = useOpening();
  const title = useId();
  const { url, qr, untilMs, others } = access;
  return (
    <section className={classes.phone} aria-labelledby={title}>
      <h3 id={title} className={classes.ask}>
        {t("phone.real.title")}
      </h3>
      <svg className={classes.qr} viewBox={`0 0 ${qr.size} ${qr.size}`} aria-hidden shapeRendering="crispEdges">
        <path d={qr.path} />
      </svg>
      <p className={classes.address} translate="no">
        {url.replace("http://", "")}
      </p>
      <p>{t("phone.real.until", { time: clockText(untilMs, language) })}</p>
      <p className={classes.note}>{t("phone.real.next")}</p>
      <div className={classes.actions}>
        {others.map(({ address, card }) => (
          <Button key={address} size="md" variant="default" onClick={() => open(address)}>
            {t("phone.real.other", { card, address })}
          </Button>
        ))}
        <Button size="lg" onClick={() => void dispatch({ type: "close_phone_access" })}>
          {t("phone.real.end")}
        </Button>
      </div>
      <Refused code={refusal} />
    </section>
  );
};
