/** The manager's area lies over the screens only while no withdrawal is in front. Loaded when it is first opened. */
import { Tabs, UnstyledButton } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

import type { PeopleView, Settings } from "../../preload/contract.ts";
import { DayReports } from "../day/day-reports.tsx";

import { History } from "../history/history.tsx";
import { ScannerTest } from "../scan/test-screen/scanner-test.tsx";
import { useCommands } from "../ui/command-context.tsx";
import { isShortcut } from "../ui/shortcuts.ts";
import { isForDialog } from "../ui/use-keys.ts";
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
  const [tab, setTab] = useState<string | null>("history");
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (!isShortcut("close", event.key) || event.defaultPrevented || event.repeat || isForDialog(event)) return;
      close();
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, [close]);
  return (
    <main className={classes.manager}>
      <div className={classes.top}>
        <h1 ref={title} tabIndex={-1}>
          {t("manager.title")}
        </h1>
        {tab !== "scanner" && <ScanHint scans={ignoredScans} />}
        <UnstyledButton className={classes.close} onClick={close}>
          <IconX size={26} stroke={2.2} aria-hidden />
          {t("manager.close")}
        </UnstyledButton>
      </div>
      <Tabs value={tab} onChange={setTab} keepMounted={false} className={classes.tabs}>
        <Tabs.List>
          <Tabs.Tab value="history">{t("manager.history")}</Tabs.Tab>
          {settings.drawerMoney.enabled && <Tabs.Tab value="days">{t("day.reports")}</Tabs.Tab>}
          <Tabs.Tab value="problems">{t("problems.tab")}</Tabs.Tab>
          <Tabs.Tab value="settings">{t("manager.settings")}</Tabs.Tab>
          <Tabs.Tab value="people">{t("people.tab")}</Tabs.Tab>
          <Tabs.Tab value="scanner">{t("manager.scanner")}</Tabs.Tab>
          <Tabs.Tab value="journal">{t("manager.journal")}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="history" className={classes.panel}>
          <History />
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
    </main>
  );
};

const hintMs = 6000;

const ScanHint = ({ scans }: { readonly scans: number }) => {
  const { t } = useTranslation();
  const [seen, setSeen] = useState(scans);
  useEffect(() => {
    const timer = window.setTimeout(() => setSeen(scans), hintMs);
    return () => window.clearTimeout(timer);
  }, [scans]);
  return (
    <p className={classes.scanHint} role="status" data-shown={scans > seen ? scans : undefined}>
      {scans > seen ? t("manager.scanning") : ""}
    </p>
  );
};
