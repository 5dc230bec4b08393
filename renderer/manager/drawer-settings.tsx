import { NativeSelect, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { drawerPins, settingBounds } from "../../preload/choices.ts";
import { AddressFields } from "./address-fields.tsx";
import type { Draft } from "./draft.ts";
import classes from "./manager.module.css";
import { NumberField } from "./number-field.tsx";
import { type DraftProps, Section } from "./settings-section.tsx";
import { TryDrawer } from "./try-device.tsx";

interface DrawerProps extends DraftProps {
  readonly training: boolean;
}

/** How the drawer is opened. */
export const DrawerSettings = ({ draft, change, faults, training }: DrawerProps) => {
  const { t } = useTranslation();
  const isReal = draft.drawerKind === "network" || draft.drawerKind === "printer";
  return (
    <Section title={t("settings.drawer")}>
      <NativeSelect
        size="md"
        aria-label={t("settings.drawer")}
        value={draft.drawerKind}
        onChange={(event) => change({ drawerKind: event.currentTarget.value as Draft["drawerKind"] })}
        data={[
          ...(training ? [{ value: "simulated", label: t("settings.drawerSimulated") }] : []),
          { value: "none", label: t("settings.drawerNone") },
          ...(training || draft.printerKind === "none"
            ? []
            : [{ value: "printer", label: t("settings.drawerPrinter") }]),
          ...(training ? [] : [{ value: "network", label: t("settings.drawerNetwork") }]),
        ]}
      />
      {draft.drawerKind === "network" && (
        <AddressFields draft={draft} change={change} faults={faults} host="host" port="port" />
      )}
      {isReal && <PulseSettings draft={draft} change={change} faults={faults} />}
      {isReal && (
        <Switch
          size="lg"
          label={t("settings.sensor")}
          checked={draft.sensor}
          onChange={(event) => change({ sensor: event.currentTarget.checked })}
        />
      )}
      {draft.drawerKind !== "none" && (
        <Switch
          size="lg"
          label={t("settings.confirmHandOver")}
          description={t("settings.confirmHandOverHint")}
          checked={draft.confirmHandOver}
          onChange={(event) => change({ confirmHandOver: event.currentTarget.checked })}
        />
      )}
      <TryDrawer />
    </Section>
  );
};

const PulseSettings = (props: DraftProps) => {
  const { t } = useTranslation();
  const { draft, change } = props;
  const range = t("settings.range", settingBounds.pulseMs);
  return (
    <>
      <NativeSelect
        size="md"
        label={t("settings.pin")}
        value={draft.pin}
        onChange={(event) => change({ pin: Number(event.currentTarget.value) as Draft["pin"] })}
        data={drawerPins.map((pin) => ({ value: String(pin), label: t("settings.pinNumber", { pin }) }))}
      />
      <div className={classes.pair}>
        <NumberField {...props} name="pulseOn" label={t("settings.pulseOn")} description={range} />
        <NumberField {...props} name="pulseOff" label={t("settings.pulseOff")} description={range} />
      </div>
    </>
  );
};
