import { Checkbox, NativeSelect, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { foreignIdAlphabets, foreignIdChecks } from "../../backend/contract/foreign-ids.ts";
import { type Symbology, settingBounds, symbologies } from "../../preload/choices.ts";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { NumberField } from "./number-field.tsx";
import { type DraftProps, Section } from "./settings-section.tsx";

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
export const BarcodeSettings = ({ draft, change, faults }: DraftProps) => {
  const { t } = useTranslation();
  const toggle = (symbology: Symbology, isOn: boolean): void =>
    change({
      symbologies: isOn ? [...draft.symbologies, symbology] : draft.symbologies.filter((one) => one !== symbology),
    });
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
              checked={draft.symbologies.includes(symbology)}
              onChange={(event) => toggle(symbology, event.currentTarget.checked)}
            />
          ))}
        </div>
        <NumberField
          draft={draft}
          change={change}
          faults={faults}
          name="fixedLength"
          label={t("settings.fixedLength")}
          description={t("settings.fixedLengthHint", settingBounds.fixedLength)}
        />
      </Section>
      <ForeignSettings draft={draft} change={change} faults={faults} />
    </>
  );
};

const ForeignSettings = ({ draft, change, faults }: DraftProps) => {
  const { t } = useTranslation();
  return (
    <Section title={t("settings.foreign")}>
      <Switch
        size="lg"
        label={t("settings.foreignOn")}
        checked={draft.foreignOn}
        onChange={(event) => change({ foreignOn: event.currentTarget.checked })}
      />
      {draft.foreignOn && (
        <>
          <div className={classes.pair}>
            {(["lengthMin", "lengthMax"] as const).map((name) => (
              <NumberField
                key={name}
                draft={draft}
                change={change}
                faults={faults}
                name={name}
                label={t(`settings.${name}`)}
              />
            ))}
          </div>
          <div className={classes.pair}>
            <NativeSelect
              size="md"
              label={t("settings.alphabet")}
              value={draft.alphabet}
              onChange={(event) => change({ alphabet: event.currentTarget.value as Draft["alphabet"] })}
              data={foreignIdAlphabets.map((value) => ({
                value,
                label: t(`settings.${value}`),
              }))}
            />
            <NativeSelect
              size="md"
              label={t("settings.check")}
              value={draft.check}
              onChange={(event) => change({ check: event.currentTarget.value as Draft["check"] })}
              data={foreignIdChecks.map((value) => ({
                value,
                label: t(`settings.${value}`),
              }))}
            />
          </div>
        </>
      )}
    </Section>
  );
};
