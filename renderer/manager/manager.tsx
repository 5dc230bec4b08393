/** The manager's area lies over the screens only while no withdrawal is in front. Loaded when it is first opened. */
import { Tabs } from "@mantine/core";
import { t } from "i18next";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { type ManagerPart, type ManagerTab, managerTabs } from "../help/sections.ts";
import { useTabPlace } from "../help/use-help.ts";
import { DayReports } from "../history/day-reports.tsx";
import { History } from "../history/history.tsx";
import { ScannerTest } from "../scan/test-screen/scanner-test.tsx";
import { OwnService } from "../setup/own-service.tsx";
import { Area, type OverScreenProps } from "../ui/area.tsx";
import { PickOne } from "../ui/controls.tsx";
import { Working } from "../ui/screen-body.tsx";
import { useSnapshot } from "../ui/snapshot-store.ts";
import { JournalHealth } from "./journal-health.tsx";
import classes from "./manager.module.css";
import { Overview } from "./overview.tsx";
import { PeoplePage } from "./people-page.tsx";
import type { SettingsPart } from "./settings-fields.tsx";
import { SettingsPage } from "./settings-page.tsx";
import { UpdateLine } from "./update-settings.tsx";

// The chart library is larger than the rest of the screens together.
const loadFigures = async () => ({ default: (await import("../history/figures-charts.tsx")).FiguresPage });
const loadBooks = async () => ({ default: (await import("../history/books-page.tsx")).BooksPage });
const Figures = lazy(loadFigures);
const Books = lazy(loadBooks);

const tabs = Object.keys(managerTabs) as ManagerTab[];

/** The manager's area: five tabs, each with its parts. */
export const Manager = ({ close, ignoredScans }: OverScreenProps) => {
  const { header, settings } = useSnapshot();
  const [tab, setTab] = useState<ManagerTab>("today");
  const [picked, setPicked] = useState<ManagerPart>("overview");
  useEffect(() => {
    // A load that fails is repeated when the part is opened.
    for (const load of [loadFigures, loadBooks]) load().catch(() => undefined);
  }, []);
  const settingsOf = (part: SettingsPart): ReactNode => (
    // One form for all of them: what was just changed on one page is not yet in the snapshot when the next one opens.
    <SettingsPage key="settings" part={part} />
  );
  /** What a part's page is null for, is not offered. */
  const parts: Readonly<Record<ManagerPart, readonly [name: string, page: ReactNode]>> = {
    overview: [t("manager.overview"), <Overview key="overview" />],
    list: [t("history.list"), <History key="list" saves />],
    days: [t("day.reports"), settings.drawerMoney.enabled ? <DayReports key="days" /> : null],
    figures: [t("figures.title"), <Figures key="figures" />],
    books: [t("books.title"), <Books key="books" />],
    people: [t("people.tab"), <PeoplePage key="people" />],
    printer: [t("settings.printer"), settingsOf("printer")],
    drawer: [t("settings.drawer"), settingsOf("drawer")],
    scanner: [t("manager.scannerSettings"), settingsOf("scanner")],
    scanner_test: [t("manager.scanner"), <ScannerTest key="test" />],
    display: [t("customerDisplay.title"), settingsOf("display")],
    terminal: [t("settings.terminal"), settingsOf("terminal")],
    rules: [t("manager.rules"), settingsOf("rules")],
    computer: [t("computer.title"), settingsOf("computer")],
    journal: [t("manager.journal"), <JournalHealth key="journal" />],
    service: [t("ownService.tab"), header.training || !header.ownService ? null : <OwnService key="service" />],
  };
  const offered = managerTabs[tab].filter((one: ManagerPart) => parts[one][1] !== null) as readonly ManagerPart[];
  const part = offered.includes(picked) ? picked : (offered[0] ?? "overview");
  useTabPlace(`manager_${part}`);
  return (
    <Area title={t("manager.title")} close={close} ignoredScans={part === "scanner_test" ? null : ignoredScans}>
      <Tabs
        value={tab}
        onChange={(next) => setTab(tabs.find((one) => one === next) ?? tab)}
        keepMounted={false}
        className={classes.tabs}
      >
        <UpdateLine />
        <Tabs.List>
          {tabs.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {t(`manager.tabs.${one}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} className={classes.panel}>
          {offered.length > 1 && (
            <PickOne
              label={t(`manager.tabs.${tab}`)}
              options={offered.map((value) => [value, parts[value][0]])}
              picked={part}
              pick={setPicked}
            />
          )}
          <Suspense fallback={<Working />}>{parts[part][1]}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </Area>
  );
};
