import { NativeSelect, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { baudRates, codePages, paperColumns, printerModels, receiptChoices } from "../../preload/choices.ts";
import { AddressFields } from "./address-fields.tsx";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { type DraftProps, Section } from "./settings-section.tsx";
import { TryPrinter } from "./try-device.tsx";

/** By model; `generic` has a name in each language. */
export const printerNames: Readonly<Record<Exclude<(typeof printerModels)[number], "generic">, string>> = {
  "bixolon-srp350": "Bixolon SRP-350",
  "bixolon-srp350iii": "Bixolon SRP-350III",
  "citizen-ct-s310ii": "Citizen CT-S310II",
  "epson-tm-m30ii": "Epson TM-m30II",
  "epson-tm-m30iii": "Epson TM-m30III",
  "epson-tm-p20ii": "Epson TM-P20II",
  "epson-tm-t20ii": "Epson TM-T20II",
  "epson-tm-t20iii": "Epson TM-T20III",
  "epson-tm-t20iv": "Epson TM-T20IV",
  "epson-tm-t70": "Epson TM-T70",
  "epson-tm-t70ii": "Epson TM-T70II",
  "epson-tm-t88ii": "Epson TM-T88II",
  "epson-tm-t88iii": "Epson TM-T88III",
  "epson-tm-t88iv": "Epson TM-T88IV",
  "epson-tm-t88v": "Epson TM-T88V",
  "epson-tm-t88vi": "Epson TM-T88VI",
  "epson-tm-t88vii": "Epson TM-T88VII",
  "fujitsu-fp1000": "Fujitsu FP-1000",
  "hp-a779": "HP A779",
  "metapace-t1": "Metapace T-1",
  "mpt-ii": "MPT-II",
  "pos-5890": "POS-5890",
  "pos-8360": "POS-8360",
  sunmi: "SUNMI Generic",
  "sunmi-p2se": "SUNMI P2SE",
  "sunmi-p3h": "SUNMI P3H",
  "sunmi-p3kh": "SUNMI P3KH",
  "sunmi-p3mix": "SUNMI P3 MIX",
  "xprinter-xp-n160ii": "Xprinter XP-N160II",
  "xprinter-xp-t80q": "Xprinter XP-T80Q",
  "youku-58t": "Youku 58T",
};

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
