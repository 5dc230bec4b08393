import { Checkbox, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { drawerMoneyRights } from "../../preload/choices.ts";
import { type DraftProps, Section } from "./settings-section.tsx";

/** Whether the drawer is counted here, and what of it needs a manager. */
export const DrawerMoneySettings = ({ draft, change }: Pick<DraftProps, "draft" | "change">) => {
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
    </Section>
  );
};
