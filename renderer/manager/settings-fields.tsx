/** Which settings each page shows: one list, from which the form is drawn. What few shops need is under *Expert*. */
import { Button, Checkbox } from "@mantine/core";
import type { TFunction } from "i18next";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { foreignIdAlphabets, foreignIdChecks } from "../../backend/contract/foreign-ids.ts";
import { scaLastSeconds } from "../../backend/contract/sca.ts";
import {
  colorSchemes,
  customerDisplays,
  drawerMoneyRights,
  type Symbology,
  settingBounds,
  symbologies,
  windowModes,
} from "../../preload/choices.ts";
import type { Refusal, ShopProfile } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import {
  baudRates,
  codePages,
  drawerPins,
  paperColumns,
  printerModels,
  receiptChoices,
} from "../../preload/printer-choices.ts";
import { languageNames } from "../texts/index.ts";
import { isInProgram } from "../ui/bridge.ts";
import { useCommands } from "../ui/command-context.tsx";
import { amountText } from "../ui/format.ts";
import { useProfile, useSnapshotStore, useSupport } from "../ui/snapshot-store.ts";
import { play } from "../ui/sounds.ts";
import { type DeviceTest, useDrawerTest, usePrinterTest } from "../ui/use-device-test.ts";
import { useLanguage } from "../ui/use-language.ts";
import classes from "./manager.module.css";
import { printerNames } from "./printer-names.ts";
import {
  Choice,
  type Draft,
  NumberField,
  type Path,
  Section,
  TextField,
  Toggle,
  useSettingsForm,
  valueAt,
} from "./settings-form.tsx";
import { UpdateSettings } from "./update-settings.tsx";

/** The parts of the manager's area that hold settings. */
export type SettingsPart = "printer" | "drawer" | "scanner" | "display" | "terminal" | "rules" | "computer";

interface Labelled {
  readonly path: Path;
  readonly label: string;
  readonly hint?: string | undefined;
}
type Options = readonly (readonly [value: string | number, label: string])[];
type Field =
  | (Labelled & { readonly kind: "text" | "number"; readonly fault?: string; readonly more?: object })
  | (Labelled & { readonly kind: "toggle" })
  /** `isTitled`: the heading above says it already. */
  | (Labelled & { readonly kind: "choice" | "checks"; readonly options: Options; readonly isTitled?: boolean })
  /** What is no field: a button, a test, a line to read. */
  | { readonly kind: "other"; readonly name: string; readonly node: ReactNode };

interface Group {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly expert?: readonly Field[];
}

interface Known {
  readonly t: TFunction;
  readonly draft: Draft;
  readonly training: boolean;
  readonly profile: ShopProfile | null;
}

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

const when = <T,>(isSo: boolean, ...of: readonly T[]): readonly T[] => (isSo ? of : []);
const options = <T extends string | number>(values: readonly T[], label: (value: T) => string): Options =>
  values.map((value) => [value, label(value)] as const);
const other = (name: string, node: ReactNode): Field => ({ kind: "other", name, node });

const address = (t: TFunction, device: "drawer" | "printer"): readonly Field[] => [
  { kind: "text", path: `${device}.host`, label: t("settings.host"), fault: t("settings.hostFault") },
  { kind: "number", path: `${device}.port`, label: t("settings.port"), fault: t("settings.portFault") },
];

const printerGroups = ({ t, draft }: Known): readonly Group[] => {
  const { kind } = draft.printer;
  const isThere = kind !== "none";
  return [
    {
      title: t("settings.printer"),
      fields: [
        {
          kind: "choice",
          path: "printer.kind",
          label: t("settings.printer"),
          isTitled: true,
          options: options(["none", "network", "serial"] as const, (value) => t(`settings.printerKinds.${value}`)),
        },
        ...when(kind === "network", ...address(t, "printer")),
        ...when<Field>(kind === "serial", {
          kind: "text",
          path: "printer.path",
          label: t("settings.devicePath"),
          more: { placeholder: "/dev/ttyUSB0, COM3" },
        }),
        ...when<Field>(
          isThere,
          {
            kind: "choice",
            path: "printer.model",
            label: t("settings.model"),
            options: options(printerModels, (value) =>
              value === "generic" ? t("settings.modelGeneric") : printerNames[value],
            ),
          },
          {
            kind: "choice",
            path: "printer.columns",
            label: t("settings.columns"),
            options: options(paperColumns, (value) => t(`settings.paper.columns${value}`)),
          },
          {
            kind: "choice",
            path: "printer.receipts",
            label: t("settings.receipts"),
            options: options(receiptChoices, (value) => t(`settings.receiptChoices.${value}`)),
          },
        ),
        other("try", <TryPrinter />),
      ],
      expert: [
        ...when<Field>(kind === "serial", {
          kind: "choice",
          path: "printer.baudRate",
          label: t("settings.baudRate"),
          options: options(baudRates, String),
        }),
        ...when<Field>(isThere, {
          kind: "choice",
          path: "printer.codePage",
          label: t("settings.codePage"),
          options: options(codePages, (value) => (value === "auto" ? t("settings.codePageAuto") : value)),
        }),
      ],
    },
  ];
};

const drawerGroups = ({ t, draft, training }: Known): readonly Group[] => {
  const { drawer, printer, confirmHandOver } = draft;
  const isThere = drawer.kind !== "none";
  const isReal = drawer.kind === "network" || drawer.kind === "printer";
  const range = t("settings.range", settingBounds.pulseMs);
  return [
    {
      title: t("settings.drawer"),
      fields: [
        {
          kind: "choice",
          path: "drawer.kind",
          label: t("settings.drawer"),
          isTitled: true,
          options: [
            ...when(training, ["simulated", t("settings.drawerSimulated")] as const),
            ["none", t("settings.drawerNone")],
            ...when(!training && printer.kind !== "none", ["printer", t("settings.drawerPrinter")] as const),
            ...when(!training, ["network", t("settings.drawerNetwork")] as const),
          ],
        },
        ...when(drawer.kind === "network", ...address(t, "drawer")),
        ...when<Field>(isReal, { kind: "toggle", path: "drawer.sensor", label: t("settings.sensor") }),
        ...when<Field>(isThere, {
          kind: "toggle",
          path: "confirmHandOver",
          label: t("settings.confirmHandOver"),
          hint: t("settings.confirmHandOverHint"),
        }),
        ...when<Field>(isThere && confirmHandOver, {
          kind: "toggle",
          path: "openOnSettled",
          label: t("settings.openOnSettled"),
          hint: t("settings.openOnSettledHint"),
        }),
        other("try", <TryDrawer />),
      ],
      expert: when<Field>(
        isReal,
        {
          kind: "choice",
          path: "drawer.pulse.pin",
          label: t("settings.pin"),
          options: options(drawerPins, (pin) => t("settings.pinNumber", { pin })),
        },
        { kind: "number", path: "drawer.pulse.onMs", label: t("settings.pulseOn"), hint: range },
        { kind: "number", path: "drawer.pulse.offMs", label: t("settings.pulseOff"), hint: range },
      ),
    },
  ];
};

const scannerGroups = ({ t, draft }: Known): readonly Group[] => [
  {
    title: t("settings.camera"),
    fields: [{ kind: "toggle", path: "camera.enabled", label: t("settings.cameraOn") }],
    expert: [
      {
        kind: "checks",
        path: "symbologies",
        label: t("settings.symbologies"),
        hint: t("settings.symbologiesHint"),
        options: options(symbologies, (value) => symbologyNames[value]),
      },
      {
        kind: "number",
        path: "fixedLength",
        label: t("settings.fixedLength"),
        hint: t("settings.fixedLengthHint", settingBounds.fixedLength),
      },
      { kind: "toggle", path: "foreignIds.isOn", label: t("settings.foreignOn") },
      ...when<Field>(
        draft.foreignIds.isOn,
        { kind: "number", path: "foreignIds.lengthMin", label: t("settings.lengthMin") },
        { kind: "number", path: "foreignIds.lengthMax", label: t("settings.lengthMax") },
        {
          kind: "choice",
          path: "foreignIds.alphabet",
          label: t("settings.alphabet"),
          options: options(foreignIdAlphabets, (value) => t(`settings.${value}`)),
        },
        {
          kind: "choice",
          path: "foreignIds.check",
          label: t("settings.check"),
          options: options(foreignIdChecks, (value) => t(`settings.${value}`)),
        },
      ),
    ],
  },
];

const displayGroups = ({ t, draft }: Known): readonly Group[] => [
  {
    title: t("customerDisplay.title"),
    fields: [
      other("hint", <p className={classes.hint}>{t("customerDisplay.hint")}</p>),
      ...(isInProgram()
        ? [
            {
              kind: "choice",
              path: "customerDisplay",
              label: t("customerDisplay.shown"),
              options: options(customerDisplays, (value) => t(`customerDisplay.${value}`)),
            } as const,
            ...when(draft.customerDisplay === "second_screen", other("next", <NextScreen />)),
          ]
        : [
            other("openHint", <p className={classes.hint}>{t("customerDisplay.openHint")}</p>),
            other(
              "open",
              <Button variant="default" component="a" href="/customer-display" target="_blank" rel="noreferrer">
                {t("customerDisplay.open")}
              </Button>,
            ),
          ]),
    ],
  },
];

const terminalGroups = ({ t, draft }: Known): readonly Group[] => [
  {
    title: t("settings.terminal"),
    fields: [
      {
        kind: "text",
        path: "terminalName",
        label: t("settings.terminalName"),
        hint: t("settings.terminalNameHint"),
        more: { maxLength: settingBounds.terminalNameLength.max },
      },
      other("about", <AboutShop />),
      other("again", <SetUpAgain />),
    ],
  },
  {
    title: t("settings.general"),
    fields: [
      {
        kind: "choice",
        path: "language",
        label: t("settings.language"),
        options: options(languages, (value) => languageNames[value]),
      },
      {
        kind: "choice",
        path: "colorScheme",
        label: t("settings.colors"),
        options: options(colorSchemes, (value) => t(`settings.${value}`)),
      },
      {
        kind: "toggle",
        path: "sound",
        label: t("settings.sound"),
        hint: t("settings.soundHint", { seconds: scaLastSeconds }),
      },
      ...when(draft.sound, other("volume", <Volume />)),
    ],
  },
];

const rulesGroups = ({ t, draft, profile }: Known): readonly Group[] => {
  const hint = t("settings.scaTimeoutHint", settingBounds.scaTimeoutSeconds);
  const seconds = profile?.scaTimeoutSeconds;
  return [
    {
      title: t("settings.drawerMoney"),
      fields: [
        {
          kind: "toggle",
          path: "drawerMoney.enabled",
          label: t("settings.drawerMoneyOn"),
          hint: t("settings.drawerMoneyHint"),
        },
        ...when<Field>(
          draft.drawerMoney.enabled,
          {
            kind: "checks",
            path: "drawerMoney.managerFor",
            label: t("settings.managerFor"),
            options: options(drawerMoneyRights, (right) => t(`settings.drawerMoneyRights.${right}`)),
          },
          {
            kind: "number",
            path: "drawerMoney.differenceMinor",
            label: t("settings.differenceMinor"),
            hint: t("settings.differenceMinorHint", settingBounds.differenceMinor),
          },
        ),
      ],
    },
    {
      title: t("settings.waiting"),
      fields: [
        {
          kind: "number",
          path: "scaTimeoutSeconds",
          label: t("settings.scaTimeout"),
          hint: seconds == null ? hint : t("settings.scaTimeoutService", { hint, seconds }),
        },
      ],
    },
  ];
};

const computerGroups = ({ t, training }: Known): readonly Group[] =>
  when<Group>(isInProgram(), {
    title: t("computer.title"),
    fields: [
      {
        kind: "choice",
        path: "windowMode",
        label: t("computer.window"),
        hint: t("computer.windowHint"),
        options: options(windowModes, (value) => t(`computer.windowModes.${value}`)),
      },
      ...when<Field>(!training, {
        kind: "toggle",
        path: "startWithSystem",
        label: t("computer.startWithSystem"),
        hint: t("computer.startWithSystemHint"),
      }),
      other("close", <CloseProgram />),
    ],
  });

const groupsOf: Readonly<Record<SettingsPart, (known: Known) => readonly Group[]>> = {
  printer: printerGroups,
  drawer: drawerGroups,
  scanner: scannerGroups,
  display: displayGroups,
  terminal: terminalGroups,
  rules: rulesGroups,
  computer: computerGroups,
};

const FieldView = ({ field }: { readonly field: Field }) => {
  const { draft, set } = useSettingsForm();
  if (field.kind === "other") return field.node;
  const { path, label, hint } = field;
  const said = hint === undefined ? { path, label } : { path, label, description: hint };
  switch (field.kind) {
    case "text":
      return <TextField {...said} {...field.more} {...(field.fault && { fault: field.fault })} />;
    case "number":
      return <NumberField {...said} {...(field.fault && { fault: field.fault })} />;
    case "toggle":
      return <Toggle {...said} />;
    case "choice":
      return (
        <Choice
          {...(field.isTitled ? { path, "aria-label": label } : said)}
          data={field.options.map(([value, text]) => ({ value, label: text }))}
        />
      );
    case "checks":
      return (
        <Checkbox.Group
          label={label}
          description={hint}
          value={[...(valueAt(draft, path.split(".")) as readonly string[])]}
          onChange={(chosen) =>
            set(
              path,
              field.options.map(([value]) => value).filter((one) => chosen.includes(String(one))),
            )
          }
        >
          <div className={classes.checks}>
            {field.options.map(([value, text]) => (
              <Checkbox key={value} size="md" value={String(value)} label={text} />
            ))}
          </div>
        </Checkbox.Group>
      );
  }
};

const Fields = ({ fields }: { readonly fields: readonly Field[] }) =>
  fields.map((field) => <FieldView key={field.kind === "other" ? field.name : field.path} field={field} />);

/** The settings of one part, group by group. */
export const SettingsFields = ({ part, training }: { readonly part: SettingsPart; readonly training: boolean }) => {
  const { t } = useTranslation();
  const { draft, faults } = useSettingsForm();
  const profile = useProfile();
  return (
    <>
      {groupsOf[part]({ t, draft, training, profile }).map(({ title, fields, expert = [] }) => (
        <Section key={title} title={title}>
          <Fields fields={fields} />
          {expert.length > 0 && (
            <details
              className={classes.expert}
              open={expert.some((field) => field.kind !== "other" && faults.has(field.path)) || undefined}
            >
              <summary>{t("settings.expert")}</summary>
              <div>
                <Fields fields={expert} />
              </div>
            </details>
          )}
        </Section>
      ))}
      {part === "computer" && <UpdateSettings />}
    </>
  );
};

/** What the service says about the shop. */
const AboutShop = () => {
  const { t } = useTranslation();
  const language = useLanguage();
  const profile = useProfile();
  const support = useSupport();
  if (profile === null) return null;
  const { limits } = profile;
  const text = (amount: string): string => amountText({ amount, currency: limits?.currency ?? "" }, language);
  const amounts = limits && { min: text(limits.min), max: text(limits.max), step: text(limits.step) };
  const lines = [
    [t("facts.shop"), profile.name],
    [t("settings.amounts"), amounts && t("settings.amountsRange", amounts)],
    [t("facts.support"), support],
  ] as const;
  return (
    <dl className={classes.about}>
      {lines.map(([name, value]) => value && [<dt key={name}>{name}</dt>, <dd key={`${name} is`}>{value}</dd>])}
    </dl>
  );
};

/** The way back into the set-up, and from training to money and back. */
const SetUpAgain = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  const { set } = useSettingsForm();
  const training = useSnapshotStore((store) => store.snapshot?.header.training ?? false);
  return (
    <div className={classes.again}>
      {!training &&
        (["connect", "devices"] as const).map((part) => (
          <Button key={part} variant="default" onClick={() => set("setUp", part)}>
            {t(`setup.again.${part}`)}
          </Button>
        ))}
      <Button variant="default" onClick={() => void commands.dispatch({ type: "switch_purpose", training: !training })}>
        {training ? t("setup.again.live") : t("practice.start")}
      </Button>
    </div>
  );
};

/** Moves the display on, screen by screen; the one where it stays is remembered. */
const NextScreen = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const move = async (): Promise<void> => {
    const reply = await commands.dispatch({ type: "move_customer_display" });
    setRefusal(reply.ok ? null : reply.code);
  };
  return (
    <div className={classes.tryDevice}>
      <Button variant="default" onClick={() => void move()}>
        {t("customerDisplay.next")}
      </Button>
      <span role="status">{refusal !== null && t(`refusals.${refusal}`)}</span>
    </div>
  );
};

const CloseProgram = () => {
  const { t } = useTranslation();
  const commands = useCommands();
  return (
    <div className={classes.again}>
      <Button variant="default" onClick={() => void commands.dispatch({ type: "close_program" })}>
        {t("computer.close")}
      </Button>
    </div>
  );
};

const Volume = () => {
  const { t } = useTranslation();
  const { draft, set } = useSettingsForm();
  return (
    <div className={classes.volume}>
      <label>
        <span>{t("settings.volume", { percent: draft.volume })}</span>
        <input
          type="range"
          {...settingBounds.volume}
          step={10}
          value={draft.volume}
          onChange={(event) => set("volume", event.currentTarget.valueAsNumber)}
        />
      </label>
      <Button variant="default" onClick={() => play("give", draft.volume)}>
        {t("settings.soundTest")}
      </Button>
    </div>
  );
};

const Try = ({ result, test }: DeviceTest) =>
  test && (
    <div className={classes.tryDevice}>
      <Button variant="default" onClick={test.run}>
        {test.label}
      </Button>
      <span role="status">{result}</span>
    </div>
  );

const TryKeptPrinter = ({ printer }: { readonly printer: Parameters<typeof usePrinterTest>[0] }) => (
  <Try {...usePrinterTest(printer)} />
);
const TryKeptDrawer = ({ drawer }: { readonly drawer: Parameters<typeof useDrawerTest>[0] }) => (
  <Try {...useDrawerTest(drawer)} />
);

/** Tries the printer as it is kept, not as it is being typed; what was said of another one is forgotten. */
const TryPrinter = () => {
  const printer = useSnapshotStore((store) => store.snapshot?.settings.printer);
  return printer && <TryKeptPrinter key={JSON.stringify(printer)} printer={printer} />;
};

/** The same for the drawer. */
const TryDrawer = () => {
  const drawer = useSnapshotStore((store) => store.snapshot?.settings.drawer);
  return drawer && <TryKeptDrawer key={JSON.stringify(drawer)} drawer={drawer} />;
};
