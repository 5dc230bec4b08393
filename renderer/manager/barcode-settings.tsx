import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { foreignIdAlphabets, foreignIdChecks } from "../../backend/contract/foreign-ids.ts";
import { type Symbology, settingBounds, symbologies } from "../../preload/choices.ts";
import classes from "./manager.module.css";
import { Choice, NumberField, Section, Toggle, useSettingsForm } from "./settings-form.tsx";

/** Proper names, the same in every language. */
const symbologyNames: Readonly<Record<Symbology, string>> = {
  code128: "Code 128",
  qr: "QR",
  aztec: "Aztec",
  datamatrix: "Data Matrix",
  pdf417: "PDF417",
  ean13: "EAN-13",
  itf: "ITF",
  code39: "Code 39",
};

/** Which barcodes are read, and what another network's codes look like. */
export const BarcodeSettings = () => {
  const { t } = useTranslation();
  const { draft, set } = useSettingsForm();
  const read = draft.symbologies;
  return (
    <>
      <Section title={t("settings.symbologies")}>
        <p className={classes.hint}>{t("settings.symbologiesHint")}</p>
        <div className={classes.checks}>
          {symbologies.map((symbology) => (
            <Checkbox
              key={symbology}
              size="md"
              label={symbologyNames[symbology]}
              checked={read.includes(symbology)}
              onChange={(event) =>
                set(
                  "symbologies",
                  event.currentTarget.checked ? [...read, symbology] : read.filter((one) => one !== symbology),
                )
              }
            />
          ))}
        </div>
        <NumberField
          path="fixedLength"
          label={t("settings.fixedLength")}
          description={t("settings.fixedLengthHint", settingBounds.fixedLength)}
        />
      </Section>
      <Section title={t("settings.foreign")}>
        <Toggle path="foreignIds.isOn" label={t("settings.foreignOn")} />
        {draft.foreignIds.isOn && (
          <>
            <div className={classes.pair}>
              <NumberField path="foreignIds.lengthMin" label={t("settings.lengthMin")} />
              <NumberField path="foreignIds.lengthMax" label={t("settings.lengthMax")} />
            </div>
            <div className={classes.pair}>
              <Choice
                path="foreignIds.alphabet"
                label={t("settings.alphabet")}
                data={foreignIdAlphabets.map((value) => ({ value, label: t(`settings.${value}`) }))}
              />
              <Choice
                path="foreignIds.check"
                label={t("settings.check")}
                data={foreignIdChecks.map((value) => ({ value, label: t(`settings.${value}`) }))}
              />
            </div>
          </>
        )}
      </Section>
    </>
  );
};
