/** The manager's area lies over the screens only while no withdrawal is in front. Loaded when it is first opened. */
import { Tabs } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { PeopleView, Settings } from "../../preload/contract.ts";
import { type ManagerTab, managerTabs } from "../help/sections.ts";
import { useTabPlace } from "../help/use-help.ts";
import { DayReports } from "../history/day-reports.tsx";
import { ManagerHistory } from "../history/history-area.tsx";
import { ScannerTest } from "../scan/test-screen/scanner-test.tsx";
import { OwnService } from "../setup/own-service.tsx";
import { Area } from "../ui/area.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { JournalHealth } from "./journal-health.tsx";
import classes from "./manager.module.css";
import { PeoplePage } from "./people-page.tsx";
import { Problems } from "./problems.tsx";
import { SettingsPage } from "./settings-page.tsx";
import { UpdateLine } from "./update-settings.tsx";

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
  /** By tab, so that none of them is without its page; what a tab's page is null for, has no tab. */
  const pages: Readonly<Record<ManagerTab, { readonly name: string; readonly page: ReactNode }>> = {
    history: { name: t("manager.history"), page: <ManagerHistory /> },
    days: { name: t("day.reports"), page: settings.drawerMoney.enabled ? <DayReports /> : null },
    problems: { name: t("problems.tab"), page: <Problems /> },
    settings: { name: t("manager.settings"), page: <SettingsPage settings={settings} training={training} /> },
    service: { name: t("ownService.tab"), page: training ? null : <OwnService /> },
    people: { name: t("people.tab"), page: <PeoplePage people={people} settings={settings} /> },
    scanner: {
      name: t("manager.scanner"),
      page: (
        <ScannerTest
          settings={settings}
          onSettings={(changed) => void commands.dispatch({ type: "change_settings", settings: changed })}
        />
      ),
    },
    journal: { name: t("manager.journal"), page: <JournalHealth /> },
  };
  const shown = managerTabs.filter((one) => pages[one].page !== null);
  return (
    <Area title={t("manager.title")} close={close} ignoredScans={tab === "scanner" ? null : ignoredScans}>
      <Tabs
        value={tab}
        onChange={(next) => setTab(shown.find((one) => one === next) ?? tab)}
        keepMounted={false}
        className={classes.tabs}
      >
        <UpdateLine />
        <Tabs.List>
          {shown.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {pages[one].name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map((one) => (
          <Tabs.Panel key={one} value={one} className={classes.panel}>
            {pages[one].page}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Area>
  );
};
