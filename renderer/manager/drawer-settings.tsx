import { Checkbox } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { drawerMoneyRights, drawerPins, settingBounds } from "../../preload/choices.ts";
import { AddressFields, TryDrawer } from "./device-fields.tsx";
import classes from "./manager.module.css";
import { Choice, NumberField, Section, Toggle, useSettingsForm } from "./settings-form.tsx";

/** How the drawer is opened. */
export const DrawerSettings = ({ training }: { readonly training: boolean }) => {
  const { t } = useTranslation();
  const { confirmHandOver, drawer, printer } = useSettingsForm().draft;
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  return (
    <Section title={t("settings.drawer")}>
      <Choice
        path="drawer.kind"
        aria-label={t("settings.drawer")}
        data={[
          ...(training ? [{ value: "simulated", label: t("settings.drawerSimulated") }] : []),
          { value: "none", label: t("settings.drawerNone") },
          ...(training || printer.kind === "none" ? [] : [{ value: "printer", label: t("settings.drawerPrinter") }]),
          ...(training ? [] : [{ value: "network", label: t("settings.drawerNetwork") }]),
        ]}
      />
      {drawer.kind === "network" && <AddressFields device="drawer" />}
      {isReal && <PulseSettings />}
      {isReal && <Toggle path="drawer.sensor" label={t("settings.sensor")} />}
      {drawer.kind !== "none" && (
        <Toggle
          path="confirmHandOver"
          label={t("settings.confirmHandOver")}
          description={t("settings.confirmHandOverHint")}
        />
      )}
      {drawer.kind !== "none" && confirmHandOver && (
        <Toggle
          path="openOnSettled"
          label={t("settings.openOnSettled")}
          description={t("settings.openOnSettledHint")}
        />
      )}
      <TryDrawer />
    </Section>
  );
};

const PulseSettings = () => {
  const { t } = useTranslation();
  const range = t("settings.range", settingBounds.pulseMs);
  return (
    <>
      <Choice
        path="drawer.pulse.pin"
        label={t("settings.pin")}
        data={drawerPins.map((pin) => ({ value: pin, label: t("settings.pinNumber", { pin }) }))}
      />
      <div className={classes.pair}>
        <NumberField path="drawer.pulse.onMs" label={t("settings.pulseOn")} description={range} />
        <NumberField path="drawer.pulse.offMs" label={t("settings.pulseOff")} description={range} />
      </div>
    </>
  );
};

/** Whether the drawer is counted here, and what of it needs a manager. */
export const DrawerMoneySettings = () => {
  const { t } = useTranslation();
  const { draft, set } = useSettingsForm();
  const { enabled, managerFor } = draft.drawerMoney;
  return (
    <Section title={t("settings.drawerMoney")}>
      <Toggle
        path="drawerMoney.enabled"
        label={t("settings.drawerMoneyOn")}
        description={t("settings.drawerMoneyHint")}
      />
      {enabled && (
        <>
          <Checkbox.Group
            label={t("settings.managerFor")}
            value={[...managerFor]}
            onChange={(chosen) =>
              set(
                "drawerMoney.managerFor",
                drawerMoneyRights.filter((right) => chosen.includes(right)),
              )
            }
          >
            {drawerMoneyRights.map((right) => (
              <Checkbox key={right} size="md" value={right} label={t(`settings.drawerMoneyRights.${right}`)} />
            ))}
          </Checkbox.Group>
          <NumberField
            path="drawerMoney.differenceMinor"
            label={t("settings.differenceMinor")}
            description={t("settings.differenceMinorHint", settingBounds.differenceMinor)}
          />
        </>
      )}
    </Section>
  );
};
