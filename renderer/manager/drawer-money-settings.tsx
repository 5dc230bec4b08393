import { Checkbox, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { drawerMoneyRights, settingBounds } from "../../preload/choices.ts";
import { NumberField } from "./number-field.tsx";
import { type DraftProps, Section } from "./settings-section.tsx";

/** Whether the drawer is counted here, and what of it needs a manager. */
export const DrawerMoneySettings = ({ draft, change, faults }: DraftProps) => {
  const { t } = useTranslation();
  return (
    <Section title={t("settings.drawerMoney")}>
      <Switch
        size="lg"
        label={t("settings.drawerMoneyOn")}
        description={t("settings.drawerMoneyHint")}
        checked={draft.drawerMoney}
        onChange={(event) => change({ drawerMoney: event.currentTarget.checked })}
      />
      {draft.drawerMoney && (
        <Checkbox.Group
          label={t("settings.managerFor")}
          value={[...draft.managerFor]}
          onChange={(chosen) => change({ managerFor: drawerMoneyRights.filter((right) => chosen.includes(right)) })}
        >
          {drawerMoneyRights.map((right) => (
            <Checkbox key={right} size="md" value={right} label={t(`settings.drawerMoneyRights.${right}`)} />
          ))}
        </Checkbox.Group>
      )}
      {draft.drawerMoney && (
        <NumberField
          draft={draft}
          change={change}
          faults={faults}
          name="differenceMinor"
          label={t("settings.differenceMinor")}
          description={t("settings.differenceMinorHint", settingBounds.differenceMinor)}
        />
      )}
    </Section>
  );
};
