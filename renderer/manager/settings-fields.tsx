/** Which settings each page shows: one list, from which the form is drawn. What few shops need is under *Expert*. */

import { Button, Checkbox, Switch, TextInput, type TextInputProps } from "@mantine/core";
import { t } from "i18next";
import { Fragment, type ReactNode, useState } from "react";
import { foreignIdAlphabets, foreignIdChecks } from "../../backend/contract/foreign-ids.ts";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import {
  baudRates,
  codePages,
  colorSchemes,
  customerDisplays,
  drawerMoneyRights,
  drawerPins,
  languages,
  paperColumns,
  printerModels,
  printerNames,
  receiptChoices,
  type Symbology,
  settingBounds,
  symbologies,
  windowModes,
} from "../../preload/choices.ts";
import type { Command, DrawerResult, PrinterTest, Reply, ShopProfile } from "../../preload/contract.ts";
import { languageNames } from "../texts/index.ts";
import { isInProgram } from "../ui/bridge.ts";
import { Section, SendButton } from "../ui/controls.tsx";
import { Facts } from "../ui/data-table.tsx";
import { Select } from "../ui/fields.tsx";
import { amountText } from "../ui/format.ts";
import page from "../ui/page.module.css";
import { play } from "../ui/sounds.ts";
import { useProfile, useSend, useSnapshot, useSupport } from "../ui/terminal.tsx";
import classes from "./manager.module.css";
import { type Draft, type Path, useSettingsForm, valueAt } from "./settings-form.tsx";

/** The parts of the manager's area that hold settings. */
export type SettingsPart = "printer" | "drawer" | "scanner" | "display" | "terminal" | "rules" | "computer";

interface Field {
  readonly kind: "text" | "number" | "toggle" | "choice" | "checks";
  readonly path: Path;
  readonly label: string;
  readonly hint?: string | undefined;
  /** Shown for a wrong value; without it the field is only marked. */
  readonly fault?: string;
  readonly options?: Options;
  /** The heading above says the label already. */
  readonly isTitled?: boolean;
  readonly input?: Pick<TextInputProps, "placeholder" | "maxLength">;
}
/** What is no field: a button, a test, a line to read. */
interface Other {
  readonly name: string;
  readonly node: ReactNode;
}
type Options = readonly (readonly [value: string | number, label: string])[];
type Entry = Field | Other;

interface Group {
  readonly title: string;
  readonly fields: readonly Entry[];
  readonly expert?: readonly Entry[];
}

interface Known {
  readonly draft: Draft;
  readonly training: boolean;
  readonly profile: ShopProfile | null;
}

/** On or off. */
export const toggle = (path: Path, label: string, hint?: string): Field => ({ kind: "toggle", path, label, hint });
const text = (path: Path, label: string, more: Partial<Field>): Field => ({ kind: "text", path, label, ...more });
const number = (path: Path, label: string, hint?: string): Field => ({ kind: "number", path, label, hint });
/** One of some values. */
export const choice = (path: Path, label: string, options: Options, more?: Partial<Field>): Field => ({
  kind: "choice",
  path,
  label,
  options,
  ...more,
});
const checks = (path: Path, label: string, options: Options, hint?: string): Field => ({
  ...choice(path, label, options, { hint }),
  kind: "checks",
});
const other = (name: string, node: ReactNode): Other => ({ name, node });
const sendButton = (label: string, command: Command) => (
  <div className={page.row}>
    <SendButton size="sm" command={command}>
      {label}
    </SendButton>
  </div>
);
const when = <T,>(isSo: boolean, ...of: readonly T[]): readonly T[] => (isSo ? of : []);
const options = <T extends string | number>(values: readonly T[], label: (value: T) => string): Options =>
  values.map((value) => [value, label(value)] as const);

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

const address = (device: "drawer" | "printer"): readonly Field[] => [
  text(`${device}.host`, t("settings.host"), { fault: t("settings.hostFault") }),
  { ...number(`${device}.port`, t("settings.port")), fault: t("settings.portFault") },
];

const printerGroups = ({ draft }: Known): readonly Group[] => {
  const { kind } = draft.printer;
  const isSerial = kind === "serial";
  const isThere = kind !== "none";
  const kinds = options(["none", "network", "serial"] as const, (value) => t(`settings.printerKinds.${value}`));
  const models = options(printerModels, (value) => printerNames[value] ?? t("settings.modelGeneric"));
  const papers = options(paperColumns, (value) => t(`settings.paper.columns${value}`));
  const receipts = options(receiptChoices, (value) => t(`settings.receiptChoices.${value}`));
  const pages = options(codePages, (value) => (value === "auto" ? t("settings.codePageAuto") : value));
  return [
    {
      title: t("settings.printer"),
      fields: [
        choice("printer.kind", t("settings.printer"), kinds, { isTitled: true }),
        ...when(kind === "network", ...address("printer")),
        ...when(
          isSerial,
          text("printer.path", t("settings.devicePath"), { input: { placeholder: "/dev/ttyUSB0, COM3" } }),
        ),
        ...when(
          isThere,
          choice("printer.model", t("settings.model"), models),
          choice("printer.columns", t("settings.columns"), papers),
          choice("printer.receipts", t("settings.receipts"), receipts),
        ),
        other("try", <TryDevice device="printer" />),
      ],
      expert: [
        ...when(isSerial, choice("printer.baudRate", t("settings.baudRate"), options(baudRates, String))),
        ...when(isThere, choice("printer.codePage", t("settings.codePage"), pages)),
      ],
    },
  ];
};

const drawerGroups = ({ draft, training }: Known): readonly Group[] => {
  const { drawer, printer, confirmHandOver } = draft;
  const isThere = drawer.kind !== "none";
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  const range = t("settings.range", settingBounds.pulseMs);
  const kinds: Options = [
    ...when(training, ["simulated", t("settings.drawerSimulated")] as const),
    ["none", t("settings.drawerNone")],
    ...when(!training && printer.kind !== "none", ["printer", t("settings.drawerPrinter")] as const),
    ...when(!training, ["network", t("settings.drawerNetwork")] as const),
  ];
  const pins = options(drawerPins, (pin) => t("settings.pinNumber", { pin }));
  return [
    {
      title: t("settings.drawer"),
      fields: [
        choice("drawer.kind", t("settings.drawer"), kinds, { isTitled: true }),
        ...when(drawer.kind === "network", ...address("drawer")),
        ...when(isReal, toggle("drawer.sensor", t("settings.sensor"))),
        ...when(isThere, toggle("confirmHandOver", t("settings.confirmHandOver"), t("settings.confirmHandOverHint"))),
        ...when(
          isThere && confirmHandOver,
          toggle("openOnSettled", t("settings.openOnSettled"), t("settings.openOnSettledHint")),
        ),
        other("try", <TryDevice device="drawer" />),
      ],
      expert: when(
        isReal,
        choice("drawer.pulse.pin", t("settings.pin"), pins),
        number("drawer.pulse.onMs", t("settings.pulseOn"), range),
        number("drawer.pulse.offMs", t("settings.pulseOff"), range),
      ),
    },
  ];
};

const scannerGroups = ({ draft }: Known): readonly Group[] => {
  const names = options(symbologies, (value) => symbologyNames[value]);
  const lengthHint = t("settings.fixedLengthHint", settingBounds.fixedLength);
  const alphabets = options(foreignIdAlphabets, (value) => t(`settings.${value}`));
  const rules = options(foreignIdChecks, (value) => t(`settings.${value}`));
  return [
    {
      title: t("settings.camera"),
      fields: [toggle("camera.enabled", t("settings.cameraOn"))],
      expert: [
        checks("symbologies", t("settings.symbologies"), names, t("settings.symbologiesHint")),
        number("fixedLength", t("settings.fixedLength"), lengthHint),
        toggle("foreignIds.isOn", t("settings.foreignOn")),
        ...when(
          draft.foreignIds.isOn,
          number("foreignIds.lengthMin", t("settings.lengthMin")),
          number("foreignIds.lengthMax", t("settings.lengthMax")),
          choice("foreignIds.alphabet", t("settings.alphabet"), alphabets),
          choice("foreignIds.check", t("settings.check"), rules),
        ),
      ],
    },
  ];
};

const displayGroups = ({ draft }: Known): readonly Group[] => {
  const places = options(customerDisplays, (value) => t(`customerDisplay.${value}`));
  const inBrowser = [
    other("openHint", <p className={page.soft}>{t("customerDisplay.openHint")}</p>),
    other(
      "open",
      <Button size="sm" component="a" href="/customer-display" target="_blank" rel="noreferrer">
        {t("customerDisplay.open")}
      </Button>,
    ),
  ];
  const inProgram = [
    choice("customerDisplay", t("customerDisplay.shown"), places),
    ...when(
      draft.customerDisplay === "second_screen",
      // Moves the display on, screen by screen; the one where it stays is remembered.
      other("next", sendButton(t("customerDisplay.next"), { type: "move_customer_display" })),
    ),
  ];
  const hint = other("hint", <p className={page.soft}>{t("customerDisplay.hint")}</p>);
  return [{ title: t("customerDisplay.title"), fields: [hint, ...(isInProgram() ? inProgram : inBrowser)] }];
};

const terminalGroups = ({ draft }: Known): readonly Group[] => {
  const colors = options(colorSchemes, (value) => t(`settings.${value}`));
  const { max: maxLength } = settingBounds.terminalNameLength;
  return [
    {
      title: t("settings.terminal"),
      fields: [
        text("terminalName", t("settings.terminalName"), {
          hint: t("settings.terminalNameHint"),
          input: { maxLength },
        }),
        other("about", <AboutShop />),
        other("again", <SetUpAgain />),
      ],
    },
    {
      title: t("settings.general"),
      fields: [
        choice(
          "language",
          t("settings.language"),
          options(languages, (value) => languageNames[value]),
        ),
        choice("colorScheme", t("settings.colors"), colors),
        toggle("sound", t("settings.sound"), t("settings.soundHint", { seconds: scaLastSeconds })),
        ...when(draft.sound, other("volume", <Volume />)),
      ],
    },
  ];
};

const rulesGroups = ({ draft, profile }: Known): readonly Group[] => {
  const hint = t("settings.scaTimeoutHint", settingBounds.scaTimeoutSeconds);
  const seconds = profile?.scaTimeoutSeconds;
  const rights = options(drawerMoneyRights, (right) => t(`settings.drawerMoneyRights.${right}`));
  const centsHint = t("settings.differenceMinorHint", settingBounds.differenceMinor);
  return [
    {
      title: t("settings.drawerMoney"),
      fields: [
        toggle("drawerMoney.enabled", t("settings.drawerMoneyOn"), t("settings.drawerMoneyHint")),
        ...when(
          draft.drawerMoney.enabled,
          checks("drawerMoney.managerFor", t("settings.managerFor"), rights),
          number("drawerMoney.differenceMinor", t("settings.differenceMinor"), centsHint),
        ),
      ],
    },
    {
      title: t("settings.waiting"),
      fields: [
        number(
          "scaTimeoutSeconds",
          t("settings.scaTimeout"),
          seconds == null ? hint : t("settings.scaTimeoutService", { hint, seconds }),
        ),
      ],
    },
  ];
};

const computerGroups = ({ training }: Known): readonly Group[] => {
  const modes = options(windowModes, (value) => t(`computer.windowModes.${value}`));
  return when(isInProgram(), {
    title: t("computer.title"),
    fields: [
      choice("windowMode", t("computer.window"), modes, { hint: t("computer.windowHint") }),
      ...when(!training, toggle("startWithSystem", t("computer.startWithSystem"), t("computer.startWithSystemHint"))),
      other("close", sendButton(t("computer.close"), { type: "close_program" })),
    ],
  });
};

/** By the part of the manager's area. */
export const groupsOf: Readonly<Record<SettingsPart, (known: Known) => readonly Group[]>> = {
  printer: printerGroups,
  drawer: drawerGroups,
  scanner: scannerGroups,
  display: displayGroups,
  terminal: terminalGroups,
  rules: rulesGroups,
  computer: computerGroups,
};

/** Whether one of these fields is wrong. */
export const hasFault = (fields: readonly Entry[], faults: ReadonlySet<string>): boolean =>
  fields.some((field) => "path" in field && faults.has(field.path));

const numberIn = (text: string): number | string | null =>
  text.trim() === "" ? null : /^\d{1,9}$/.test(text.trim()) ? Number(text) : text;

/** One setting, as its kind is changed. Typed ones are saved when the field loses the focus. */
export const FieldView = ({ field }: { readonly field: Field }) => {
  const { draft, faults, set, type } = useSettingsForm();
  const { kind, path, label, hint, fault = true, options = [], isTitled, input } = field;
  const value = valueAt(draft, path.split("."));
  const named = { ...(isTitled ? { "aria-label": label } : { label }), description: hint };
  switch (kind) {
    case "text":
    case "number":
      return (
        <TextInput
          size="md"
          {...named}
          {...input}
          {...(kind === "number" && { inputMode: "numeric" })}
          value={String(value ?? "")}
          error={faults.has(path) && fault}
          onChange={({ currentTarget }) =>
            type(path, kind === "number" ? numberIn(currentTarget.value) : currentTarget.value)
          }
        />
      );
    case "toggle":
      return (
        <Switch {...named} checked={value as boolean} onChange={(event) => set(path, event.currentTarget.checked)} />
      );
    case "choice":
      return (
        <Select {...named} value={value as string | number} options={options} change={(chosen) => set(path, chosen)} />
      );
    case "checks":
      return (
        <Checkbox.Group
          {...named}
          value={[...(value as readonly string[])]}
          onChange={(chosen) =>
            set(
              path,
              options.map(([one]) => one).filter((one) => chosen.includes(String(one))),
            )
          }
        >
          <div className={classes.pair}>
            {options.map(([one, text]) => (
              <Checkbox key={one} size="md" value={String(one)} label={text} />
            ))}
          </div>
        </Checkbox.Group>
      );
  }
};

const Fields = ({ fields }: { readonly fields: readonly Entry[] }) =>
  fields.map((field) =>
    "path" in field ? <FieldView key={field.path} field={field} /> : <Fragment key={field.name}>{field.node}</Fragment>,
  );

/** What few shops need. It stays as it was opened, and opens by itself over a field that is wrong. */
const Expert = ({ fields, isWrong }: { readonly fields: readonly Entry[]; readonly isWrong: boolean }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={classes.expert}
      open={isOpen || isWrong}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{t("settings.expert")}</summary>
      <div>
        <Fields fields={fields} />
      </div>
    </details>
  );
};

/** The settings of one part, group by group. */
export const SettingsGroups = ({ groups }: { readonly groups: readonly Group[] }) => {
  const { faults } = useSettingsForm();
  return groups.map(({ title, fields, expert = [] }) => (
    <Section key={title} title={title}>
      <Fields fields={fields} />
      {expert.length > 0 && <Expert fields={expert} isWrong={hasFault(expert, faults)} />}
    </Section>
  ));
};

const AboutShop = () => {
  const profile = useProfile();
  const support = useSupport();
  if (profile === null) return null;
  const { name, limits } = profile;
  const text = (amount: string): string => amountText({ amount, currency: limits?.currency ?? "" });
  const amounts = limits && { min: text(limits.min), max: text(limits.max), step: text(limits.step) };
  return (
    <Facts
      rows={[
        [t("facts.shop"), name],
        [t("settings.amounts"), amounts && t("settings.amountsRange", amounts)],
        [t("facts.support"), support],
      ]}
    />
  );
};

const SetUpAgain = () => {
  const { set } = useSettingsForm();
  const { training } = useSnapshot().header;
  return (
    <div className={page.row}>
      {!training &&
        (["connect", "devices"] as const).map((part) => (
          <Button size="sm" key={part} onClick={() => set("setUp", part)}>
            {t(`setup.again.${part}`)}
          </Button>
        ))}
      <SendButton size="sm" command={{ type: "switch_purpose", training: !training }}>
        {training ? t("setup.again.live") : t("practice.start")}
      </SendButton>
    </div>
  );
};

const Volume = () => {
  const { draft, set } = useSettingsForm();
  const { volume } = draft;
  return (
    <div className={`${page.row} ${classes.volume}`}>
      <label>
        <span>{t("settings.volume", { percent: volume })}</span>
        <input
          type="range"
          {...settingBounds.volume}
          step={10}
          value={volume}
          onChange={(event) => set("volume", event.currentTarget.valueAsNumber)}
        />
      </label>
      <Button size="sm" onClick={() => play("give", volume)}>
        {t("settings.soundTest")}
      </Button>
    </div>
  );
};

const resultOf = {
  test_printer: (reply: Reply): string => {
    if (!reply.ok) return t("refusals.busy");
    const result = reply.data as PrinterTest;
    if (result === "printed") return t("devices.printed");
    return t("printing.notPrinted", { why: t(`printing.why.${result}`) });
  },
  test_drawer: (reply: Reply): string => {
    const failed = !reply.ok && reply.code === "busy" ? "busy" : "failed";
    return t(`devices.drawerSays.${reply.ok ? (reply.data as DrawerResult) : failed}`);
  },
} as const;

const Test = ({ type }: { readonly type: keyof typeof resultOf }) => {
  const { send, isSending, reply } = useSend();
  const isPrinter = type === "test_printer";
  const testing = t(isPrinter ? "devices.printing" : "devices.drawerSays.testing");
  return (
    <div className={page.row}>
      <Button size="sm" onClick={() => void send({ type })}>
        {t(isPrinter ? "devices.tryPrinter" : "devices.tryDrawer")}
      </Button>
      <span role="status">{isSending ? testing : reply ? resultOf[type](reply) : t("devices.inUse")}</span>
    </div>
  );
};

/** Tests a device as it is saved, not as it is being typed; a printer prints the letters of all languages. A change of the device clears the result. */
const TryDevice = ({ device }: { readonly device: "printer" | "drawer" }) => {
  const used = useSnapshot().settings[device];
  return used.kind !== "none" && <Test key={JSON.stringify(used)} type={`test_${device}`} />;
};
