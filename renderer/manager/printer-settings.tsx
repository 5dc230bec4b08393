import { useTranslation } from "react-i18next";
import { baudRates, codePages, paperColumns, printerModels, receiptChoices } from "../../preload/choices.ts";
import { AddressFields, TryPrinter } from "./device-fields.tsx";
import classes from "./manager.module.css";
import { Choice, Section, TextField, useSettingsForm } from "./settings-form.tsx";

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

/** Which receipt printer prints, how it is reached, and what it prints by itself. */
export const PrinterSettings = () => {
  const { t } = useTranslation();
  const { kind } = useSettingsForm().draft.printer;
  return (
    <Section title={t("settings.printer")}>
      <Choice
        path="printer.kind"
        aria-label={t("settings.printer")}
        data={(["none", "network", "serial"] as const).map((value) => ({
          value,
          label: t(`settings.printerKinds.${value}`),
        }))}
      />
      {kind === "network" && <AddressFields device="printer" />}
      {kind === "serial" && (
        <div className={classes.pair}>
          <TextField path="printer.path" label={t("settings.devicePath")} placeholder="/dev/ttyUSB0, COM3" />
          <Choice
            path="printer.baudRate"
            label={t("settings.baudRate")}
            data={baudRates.map((value) => ({ value, label: String(value) }))}
          />
        </div>
      )}
      {kind !== "none" && <PaperSettings />}
      <TryPrinter />
    </Section>
  );
};

const PaperSettings = () => {
  const { t } = useTranslation();
  return (
    <>
      <Choice
        path="printer.model"
        label={t("settings.model")}
        data={printerModels.map((value) => ({
          value,
          label: value === "generic" ? t("settings.modelGeneric") : printerNames[value],
        }))}
      />
      <div className={classes.pair}>
        <Choice
          path="printer.columns"
          label={t("settings.columns")}
          data={paperColumns.map((value) => ({ value, label: t(`settings.paper.columns${value}`) }))}
        />
        <Choice
          path="printer.codePage"
          label={t("settings.codePage")}
          data={codePages.map((value) => ({ value, label: value === "auto" ? t("settings.codePageAuto") : value }))}
        />
      </div>
      <Choice
        path="printer.receipts"
        label={t("settings.receipts")}
        data={receiptChoices.map((value) => ({ value, label: t(`settings.receiptChoices.${value}`) }))}
      />
    </>
  );
};
