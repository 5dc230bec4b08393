/** The manager's area lies over the screens only while no withdrawal is in front. Loaded when it is first opened. */

import { Button, PasswordInput, Switch, Tabs, Textarea, TextInput } from "@mantine/core";
import { useInputState } from "@mantine/hooks";
import { t } from "i18next";
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { codeText } from "../../backend/contract/ids.ts";
import { type Language, languages, noteLengthMax, pinLengths, roles } from "../../preload/choices.ts";
import type { Command, FiguresView, PersonView, Problem, Role, Settings } from "../../preload/contract.ts";
import { type ManagerPart, type ManagerTab, managerTabs } from "../help/sections.ts";
import { useTabPlace } from "../help/use-help.ts";
import { DayReports } from "../history/day-reports.tsx";
import { History } from "../history/history.tsx";
import { BooksPage, dayOf, PaidTotals } from "../history/period-page.tsx";
import { discrepancyText } from "../history/words.ts";
import { usePersonName } from "../people/authority.tsx";
import { FirstPin } from "../people/pins.tsx";
import { ScannerTest } from "../scan/test-screen/scanner-test.tsx";
import { OwnService } from "../setup/own-service.tsx";
import { languageNames } from "../texts/index.ts";
import { Area, type OverScreenProps } from "../ui/area.tsx";
import { isInProgram } from "../ui/bridge.ts";
import { PickOne, Section } from "../ui/controls.tsx";
import { Select, useFields } from "../ui/fields.tsx";
import { amountText, momentText, signedText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { Query } from "../ui/query.tsx";
import { Working } from "../ui/screen-body.tsx";
import { useCommands, useProfile, useSend, useSettingsChange, useSnapshot } from "../ui/terminal.tsx";
import { JournalHealth } from "./journal-health.tsx";
import classes from "./manager.module.css";
import { groupsOf, hasFault, SettingsGroups, type SettingsPart } from "./settings-fields.tsx";
import {
  changed,
  type Draft,
  faultsOf,
  fromDraft,
  isSame,
  type Path,
  SettingsFormContext,
  toDraft,
} from "./settings-form.tsx";
import { UpdateLine, UpdateSettings } from "./update-settings.tsx";

// The chart library is larger than the rest of the screens together.
const loadFigures = async () => ({ default: (await import("../history/figures-charts.tsx")).FiguresPage });
const Figures = lazy(loadFigures);

const tabs = Object.keys(managerTabs) as ManagerTab[];

/** The manager's area: five tabs, each with its parts. */
export const Manager = ({ close, ignoredScans }: OverScreenProps) => {
  const { header, settings } = useSnapshot();
  const [tab, setTab] = useState<ManagerTab>("today");
  const [picked, setPicked] = useState<ManagerPart>("overview");
  useEffect(() => {
    // A load that fails is repeated when the part is opened.
    loadFigures().catch(() => undefined);
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
    books: [t("books.title"), <BooksPage key="books" />],
    people: [t("people.tab"), <PeoplePage key="people" />],
    printer: [t("settings.printer"), settingsOf("printer")],
    drawer: [t("settings.drawer"), settingsOf("drawer")],
    scanner: [t("manager.scannerSettings"), settingsOf("scanner")],
    scanner_test: [t("manager.scanner"), <ScannerTest key="test" />],
    display: [t("customerDisplay.title"), settingsOf("display")],
    terminal: [t("settings.terminal"), settingsOf("terminal")],
    rules: [t("manager.rules"), settingsOf("rules")],
    computer: [t("computer.title"), isInProgram() ? settingsOf("computer") : null],
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

/** The first page, the day at a glance: what was handed out, what is open, and what has to be cleared up. */
export const Overview = () => {
  const today = dayOf(new Date());
  const { open, day } = useSnapshot().header;
  return (
    <div className={classes.overview}>
      <Section title={t("manager.today")}>
        <Query<FiguresView> command={{ type: "get_figures", from: today, to: today }}>
          {({ paid }) =>
            paid.length === 0 ? (
              <p className={page.soft}>{t("manager.nothingYet")}</p>
            ) : (
              paid.map((one) => <PaidTotals key={one.currency} paid={one} />)
            )
          }
        </Query>
        {open.length > 0 && <p>{t("header.open", { count: open.length })}</p>}
        {day !== null && (
          <p className={page.soft}>
            {day.kind === "closed" ? t("day.ready") : t("day.openTitle", { number: day.number })}
          </p>
        )}
      </Section>
      <Section title={t("problems.tab")}>
        <Query<readonly Problem[]> command={{ type: "list_problems" }}>
          {(problems, again) =>
            problems.length === 0 ? (
              <p>{t("problems.none")}</p>
            ) : (
              <ul className={page.stack}>
                {problems.map((problem) => (
                  <Entry key={problem.withdrawalId} problem={problem} changed={again} />
                ))}
              </ul>
            )
          }
        </Query>
      </Section>
    </div>
  );
};

/** One problem. It leaves the list only with a manager's note; what was refused may have changed, and is read again. */
const Entry = ({ problem, changed }: { readonly problem: Problem; readonly changed: () => void }) => {
  const { send, refusal } = useSend();
  const [note, setNote] = useInputState("");
  const { withdrawalId, since, about } = problem;
  const button = (label: string, variant: string, command: Command) => (
    <Button
      key={label}
      variant={variant}
      size="lg"
      disabled={note.trim() === ""}
      onClick={() => void send(command).then(({ ok }) => ok && changed())}
    >
      {label}
    </Button>
  );
  return (
    <li className={page.card}>
      <Subject problem={problem} />
      <Textarea
        label={t("problems.note")}
        value={note}
        size="lg"
        maxLength={noteLengthMax}
        onChange={setNote}
        error={refusal !== null && t("problems.refused")}
      />
      <div className={page.row}>
        {problem.kind !== "open"
          ? button(t("problems.acknowledge"), "filled", {
              type: "acknowledge_problem",
              withdrawalId,
              note,
              shown: { since, about },
            })
          : problem.decisions.map((decision) =>
              button(t(`problems.${decision}`), "default", { type: "decide_withdrawal", withdrawalId, decision, note }),
            )}
        {refusal !== null && (
          <Button variant="default" size="lg" onClick={changed}>
            {t("manager.again")}
          </Button>
        )}
      </div>
    </li>
  );
};

const Subject = ({ problem }: { readonly problem: Problem }) => {
  const nameOf = usePersonName();
  if (problem.kind === "journal")
    return (
      <>
        <h2 className={page.row}>
          {t("problems.journalForked")}
          <span>{momentText(problem.since)}</span>
        </h2>
        <p>{t("problems.journalForkedNext")}</p>
      </>
    );
  if (problem.kind === "drawer") {
    const { about, day, differenceMinor, currency, since, who, noSale } = problem;
    const people = who === null ? "–" : who.split(", ").map(nameOf).join(", ");
    const reason = noSale && [t(`day.noSaleReasons.${noSale.reason}`), noSale.note];
    return (
      <>
        <h2 className={page.row}>
          {(currency && signedText(differenceMinor, currency)) || t("problems.drawer")}
          <span>{momentText(since)}</span>
          {day !== null && <span>{t("problems.day", { day })}</span>}
        </h2>
        <p>{[t(`problems.about.${about}`, { who: people }), ...(reason ?? [])].filter(Boolean).join(" · ")}</p>
      </>
    );
  }
  const { kind, money, since, transactionId, about, otherShop } = problem;
  return (
    <>
      <h2 className={page.row}>
        {amountText(money)}
        <span>{momentText(since)}</span>
        <span>{codeText(transactionId)}</span>
      </h2>
      <p>
        {kind === "open" ? t("problems.open") : discrepancyText(about, t)}
        {otherShop !== null && ` (${t("problems.otherShop", { shop: otherShop })})`}
      </p>
    </>
  );
};

const lockMinutes = [1, 2, 5, 10, 15, 30, 60] as const;

/** Who may do what at this terminal: the people with their PINs, and when they are asked for them. */
export const PeoplePage = () => {
  const { dispatch } = useCommands();
  const changeSettings = useSettingsChange();
  const { people, settings } = useSnapshot();
  const [editing, setEditing] = useState<PersonView | "new" | null>(null);
  const { cashiersSignIn, lockAfterMinutes, notHandedOutBy } = settings.people;
  const change = (part: Partial<Settings["people"]>): void =>
    void changeSettings({ people: { ...settings.people, ...part } });
  if (people.managers === "none")
    return (
      <Section title={t("people.firstTitle")}>
        <p className={page.soft}>{t("people.firstNext", { min: pinLengths.manager, max: pinLengths.max })}</p>
        <FirstPin save={(name, pin) => dispatch({ type: "set_manager_pin", name, pin })} />
      </Section>
    );
  return (
    <div className={classes.columns}>
      <Section title={t("people.list")}>
        <ul className={page.stack}>
          {people.list.map((person) => (
            <li key={person.code} className={classes.person}>
              <span>{person.code}</span>
              <span>
                {person.name}
                <small>{t(`people.${person.role}`)}</small>
              </span>
              <Button onClick={() => setEditing(person)}>{t("people.edit")}</Button>
            </li>
          ))}
        </ul>
        {editing === null ? (
          <Button variant="filled" size="lg" onClick={() => setEditing("new")}>
            {t("people.add")}
          </Button>
        ) : (
          <PersonForm
            key={editing === "new" ? "new" : editing.code}
            person={editing === "new" ? null : editing}
            close={() => setEditing(null)}
          />
        )}
      </Section>
      <Section title={t("people.rules")}>
        <Switch
          label={t("people.cashiersSignIn")}
          description={t("people.cashiersSignInHint")}
          checked={cashiersSignIn}
          onChange={(event) => change({ cashiersSignIn: event.currentTarget.checked })}
        />
        <Select<number>
          label={t("people.lockAfter")}
          value={lockAfterMinutes}
          change={(minutes) => change({ lockAfterMinutes: minutes })}
          options={[...new Set([...lockMinutes, lockAfterMinutes])].map((count) => [
            count,
            t("people.minutes", { count }),
          ])}
        />
        <Select
          label={t("people.notHandedOutBy")}
          description={t("people.notHandedOutByHint")}
          value={notHandedOutBy}
          change={(who) => change({ notHandedOutBy: who })}
          options={(["manager", "second_person"] as const).map((who) => [who, t(`people.${who}`)])}
        />
      </Section>
    </div>
  );
};

const PersonForm = ({ person, close }: Readonly<{ person: PersonView | null; close: () => void }>) => {
  const { dispatch } = useCommands();
  const [role, setRole] = useState<Role>(person?.role ?? "cashier");
  const [language, setLanguage] = useState<Language | null>(person?.language ?? null);
  const send = async (command: Command): Promise<Readonly<Record<string, string>>> => {
    const reply = await dispatch(command);
    if (!reply.ok) return { [reply.code === "weak_pin" ? "pin" : "form"]: t(`refusals.${reply.code}`) };
    close();
    return {};
  };
  const form = useFields({
    initialValues: { name: person?.name ?? "", pin: "" },
    validate: ({ name, pin }) => {
      const needsPin = person === null || (role === "manager" && person.role !== "manager");
      if (name.trim() === "") return { name: t("people.nameMissing") };
      if ((!needsPin && pin === "") || pin.length >= pinLengths[role]) return {};
      return { pin: t("people.pinShort", { min: pinLengths[role] }) };
    },
    send: ({ name, pin }) =>
      send({ type: "save_person", person: person?.code ?? null, name: name.trim(), role, pin: pin || null, language }),
  });
  return (
    <form className={page.stack} onSubmit={form.onSubmit}>
      <TextInput {...form.getInputProps("name")} size="md" label={t("people.name")} maxLength={40} />
      <Select
        label={t("people.role")}
        value={role}
        change={setRole}
        options={roles.map((one) => [one, t(`people.${one}`)])}
      />
      <Select<Language | null>
        label={t("people.language")}
        value={language}
        change={setLanguage}
        options={[
          [null, t("people.languageOfTerminal")],
          ...languages.map((one) => [one, languageNames[one]] as const),
        ]}
      />
      <PasswordInput
        {...form.getInputProps("pin")}
        size="md"
        inputMode="numeric"
        label={t(person === null ? "people.pin" : "people.newPin")}
        description={t(`people.${role}PinHint`, { min: pinLengths[role], max: pinLengths.max })}
        onChange={({ currentTarget: { value } }) =>
          form.setFieldValue("pin", value.replace(/\D/g, "").slice(0, pinLengths.max))
        }
      />
      {form.errors.form && <p role="alert">{form.errors.form}</p>}
      <div className={page.row}>
        <Button variant="filled" type="submit">
          {t("people.save")}
        </Button>
        <Button onClick={close}>{t("people.cancel")}</Button>
        {person !== null && (
          <Button
            variant="subtle"
            color="red"
            onClick={() => void send({ type: "remove_person", person: person.code }).then(form.setErrors)}
          >
            {t("people.remove")}
          </Button>
        )}
      </div>
    </form>
  );
};

/** Settings of the file that are invalid, or differ from what a manager set; a press saves the settings that are in use. */
const WrongSettings = () => {
  const { dispatch } = useCommands();
  const { header, settings } = useSnapshot();
  const keep = (
    <Button onClick={() => void dispatch({ type: "change_settings", settings })}>{t("settings.wrongKeep")}</Button>
  );
  const { wrongSettings: wrong, changedSettings: changed } = header;
  return (
    <>
      {wrong.length > 0 && (
        <Section title={t("settings.wrong")}>
          <p>{t("settings.wrongNext", { names: wrong.join(", ") })}</p>
          {keep}
        </Section>
      )}
      {changed.length > 0 && (
        <Section title={t("settings.changed")}>
          <p>{t("settings.changedNext", { names: changed.join(", ") })}</p>
          {wrong.length === 0 && keep}
        </Section>
      )}
    </>
  );
};

/** One part of the settings. They are saved as they are changed: there is no save button, and nothing is lost on the way out. */
export const SettingsPage = ({ part }: { readonly part: SettingsPart }) => {
  const { dispatch } = useCommands();
  const { header, settings } = useSnapshot();
  const profile = useProfile();
  const [draft, setDraft] = useState(() => toDraft(settings));
  const [saving, setSaving] = useState<"atOnce" | "saved" | "failed">("atOnce");
  const faults = faultsOf(draft);
  const groups = groupsOf[part]({ draft, training: header.training, profile });
  /** The settings that were sent last, and a queue: nothing is sent twice, or out of order. */
  const sent = useRef({ settings, queue: Promise.resolve() });
  const keep = (typed: Draft): void => {
    const known = sent.current.settings;
    const { keyboardScanner, tourSeen, people } = settings;
    const next = fromDraft(typed, { ...known, keyboardScanner, tourSeen, people });
    if (isSame(next, known)) return;
    setSaving("atOnce");
    const send = async (): Promise<void> => {
      const reply = await dispatch({ type: "change_settings", settings: next });
      if (sent.current.settings !== next) return;
      setSaving(reply.ok ? "saved" : "failed");
      // So that leaving the field, or the page, tries once more.
      if (!reply.ok) sent.current = { ...sent.current, settings: known };
    };
    sent.current = { settings: next, queue: sent.current.queue.then(send) };
  };
  const type = (path: Path | "updates.window", value: unknown): Draft => {
    const next = changed(draft, path.split("."), value);
    setDraft(next);
    setSaving("atOnce");
    return next;
  };
  const saveTyped = (): void => keep(draft);
  // Leaving with the cursor still in a field: closing with Esc sends no blur.
  const onLeave = useEffectEvent(saveTyped);
  useEffect(() => () => onLeave(), []);
  const isWrong = groups.some(({ fields, expert = [] }) => hasFault([...fields, ...expert], faults));
  return (
    <div className={classes.settings}>
      <form
        onBlur={saveTyped}
        onSubmit={(event) => {
          event.preventDefault();
          saveTyped();
        }}
      >
        <WrongSettings />
        <div className={classes.columns}>
          <SettingsFormContext value={{ draft, faults, type, set: (path, value) => keep(type(path, value)) }}>
            <SettingsGroups groups={groups} />
            {part === "computer" && <UpdateSettings />}
          </SettingsFormContext>
        </div>
      </form>
      <p role="status">{t(`settings.${isWrong ? "invalid" : saving}`)}</p>
    </div>
  );
};
