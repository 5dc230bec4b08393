/** Where a device of the shop's network is: the same two fields for the drawer and for the printer. */
import { TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./manager.module.css";
import { NumberField } from "./number-field.tsx";
import type { DraftProps } from "./settings-section.tsx";

interface AddressFieldsProps extends DraftProps {
  readonly host: "host" | "printerHost";
  readonly port: "port" | "printerPort";
}

/** Host and port. @param props.host the field of the draft that holds it; `port` likewise. */
export const AddressFields = ({ draft, change, faults, host, port }: AddressFieldsProps) => {
  const { t } = useTranslation();
  return (
    <div className={classes.pair}>
      <TextInput
        size="md"
        label={t("settings.host")}
        value={draft[host]}
        error={faults.has(host) && t("settings.hostFault")}
        onChange={(event) => change({ [host]: event.currentTarget.value })}
      />
      <NumberField
        draft={draft}
        change={change}
        faults={faults}
        name={port}
        label={t("settings.port")}
        faultText={t("settings.portFault")}
      />
    </div>
  );
};
