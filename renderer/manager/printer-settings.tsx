import { NativeSelect, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { baudRates, codePages, paperColumns, printerModels, receiptChoices } from "../../preload/choices.ts";
import { AddressFields } from "./address-fields.tsx";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { printerNames } from "./printer-names.ts";
import { type DraftProps, Section } from "./settings-section.tsx";
import { TryPrinter } from "./try-device.tsx";

/** Which receipt printer is connected, and how it prints. */
export const PrinterSettings = ({ draft, change, faults }: DraftProps) => {
  const { t } = useTranslation();
  return (
    <Section title={t("settings.printer")}>
      <NativeSelect
        size="md"
        aria-label={t("settings.printer")}
        value={draft.printerKind}
        onChange={(event) => change({ printerKind: event.currentTarget.value as Draft["printerKind"] })}
        data={(["none", "network", "serial"] as const).map((value) => ({
          value,
          label: t(`settings.printerKinds.${value}`),
        }))}
      />
      {draft.printerKind === "network" && (
        <AddressFields draft={draft} change={change} faults={faults} host="printerHost" port="printerPort" />
      )}
      {draft.printerKind === "serial" && (
        <div className={classes.pair}>
          <TextInput
            size="md"
            label={t("settings.devicePath")}
            placeholder="/dev/ttyUSB0, COM3"
            value={draft.devicePath}
            error={faults.has("devicePath")}
            onChange={(event) => change({ devicePath: event.currentTarget.value })}
          />
          <NativeSelect
            size="md"
            label={t("settings.baudRate")}
            value={draft.baudRate}
            onChange={(event) => change({ baudRate: Number(event.currentTarget.value) as Draft["baudRate"] })}
            data={baudRates.map(String)}
          />
        </div>
      )}
      {draft.printerKind !== "none" && <PaperSettings draft={draft} change={change} />}
      <TryPrinter />
    </Section>
  );
};

const PaperSettings = ({ draft, change }: Pick<DraftProps, "draft" | "change">) => {
  const { t } = useTranslation();
  return (
    <>
      <NativeSelect
        size="md"
        label={t("settings.model")}
        value={draft.model}
        onChange={(event) => change({ model: event.currentTarget.value as Draft["model"] })}
        data={printerModels.map((value) => ({
          value,
          label: value === "generic" ? t("settings.modelGeneric") : printerNames[value],
        }))}
      />
      <div className={classes.pair}>
        <NativeSelect
          size="md"
          label={t("settings.columns")}
          value={draft.columns}
          onChange={(event) => change({ columns: Number(event.currentTarget.value) as Draft["columns"] })}
          data={paperColumns.map((value) => ({ value: String(value), label: t(`settings.paper.columns${value}`) }))}
        />
        <NativeSelect
          size="md"
          label={t("settings.codePage")}
          value={draft.codePage}
          onChange={(event) => change({ codePage: event.currentTarget.value as Draft["codePage"] })}
          data={codePages.map((value) => ({ value, label: value === "auto" ? t("settings.codePageAuto") : value }))}
        />
      </div>
      <NativeSelect
        size="md"
        label={t("settings.receipts")}
        value={draft.receipts}
        onChange={(event) => change({ receipts: event.currentTarget.value as Draft["receipts"] })}
        data={receiptChoices.map((value) => ({ value, label: t(`settings.receiptChoices.${value}`) }))}
      />
    </>
  );
};
