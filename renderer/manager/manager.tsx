/** The manager's area lies over the screens only while no withdrawal is in front. Loaded when it is first opened. */
import { Tabs } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { PeopleView, Settings } from "../../preload/contract.ts";
import { DayReports } from "../day/day-reports.tsx";
import { type ManagerTab, managerTabs } from "../help/sections.ts";
import { useTabPlace } from "../help/use-help.ts";
import { Past } from "../history/past.tsx";
import { OwnService } from "../own-service/own-service.tsx";
import { ScannerTest } from "../scan/test-screen/scanner-test.tsx";
import { Area } from "../ui/area.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { JournalHealth } from "./journal-health.tsx";
import "./manager-styles.ts";
import classes from "./manager.module.css";
import { PeoplePage } from "./people-page.tsx";
import { Problems } from "./problems.tsx";
import { SettingsPage } from "./settings-page.tsx";

interface ManagerProps {
  readonly settings: Settings;
  readonly people: PeopleView;
  readonly training: boolean;
  readonly close: () => void;
  /** Grows with each scan that came while this area was open. */
  readonly ignoredScans: number;
}

/** The manager's area, a tab for each of its parts. */
export const Manager = ({ settings, people, training, close, ignoredScans }: ManagerProps) => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [tab, setTab] = useState<ManagerTab>("history");
  useTabPlace(`manager_${tab}`);
  return (
    <Area title={t("manager.title")} close={close} ignoredScans={tab === "scanner" ? null : ignoredScans}>
      <Tabs
        value={tab}
        onChange={(next) => setTab(managerTabs.find((one) => one === next) ?? tab)}
        keepMounted={false}
        className={classes.tabs}
      >
        <Tabs.List>
          <Tabs.Tab value="history">{t("manager.history")}</Tabs.Tab>
          {settings.drawerMoney.enabled && <Tabs.Tab value="days">{t("day.reports")}</Tabs.Tab>}
          <Tabs.Tab value="problems">{t("problems.tab")}</Tabs.Tab>
          <Tabs.Tab value="settings">{t("manager.settings")}</Tabs.Tab>
          {!training && <Tabs.Tab value="service">{t("ownService.tab")}</Tabs.Tab>}
          <Tabs.Tab value="people">{t("people.tab")}</Tabs.Tab>
          <Tabs.Tab value="scanner">{t("manager.scanner")}</Tabs.Tab>
          <Tabs.Tab value="journal">{t("manager.journal")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="history" className={classes.panel}>
          <Past />
        </Tabs.Panel>
        <Tabs.Panel value="days" className={classes.panel}>
          <DayReports />
        </Tabs.Panel>
        <Tabs.Panel value="problems" className={classes.panel}>
          <Problems />
        </Tabs.Panel>
        <Tabs.Panel value="settings" className={classes.panel}>
          <SettingsPage settings={settings} training={training} />
        </Tabs.Panel>
        <Tabs.Panel value="service" className={classes.panel}>
          <OwnService />
        </Tabs.Panel>
        <Tabs.Panel value="people" className={classes.panel}>
          <PeoplePage people={people} settings={settings} />
        </Tabs.Panel>
        <Tabs.Panel value="scanner" className={classes.panel}>
          <ScannerTest
            settings={settings}
            onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
          />
        </Tabs.Panel>
        <Tabs.Panel value="journal" className={classes.panel}>
          <JournalHealth />
        </Tabs.Panel>
      </Tabs>
    </Area>
  );
};
