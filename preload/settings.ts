/** The settings of a terminal: what a manager changes and the host keeps on disk. File, form, faults and defaults come from here. */
import { z } from "zod";
import { foreignIdAlphabets, foreignIdChecks } from "../backend/contract/foreign-ids.ts";
import {
  colorSchemes,
  customerDisplays,
  defaultScaTimeoutSeconds,
  drawerMoneyRights,
  keyboardLayouts,
  settingBounds,
  setUpParts,
  symbologies,
  updateChannels,
  windowModes,
} from "./choices.ts";
import { isDeviceHost, isPrinterPort } from "./device-address.ts";
import { languages } from "./languages.ts";
import {
  baudRates,
  codePages,
  defaultPrinterPort,
  drawerPins,
  paperColumns,
  printerModels,
  receiptChoices,
  usualPulse,
} from "./printer-choices.ts";

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);
const textOf = ({ min, max }: { readonly min: number; readonly max: number }) => z.string().trim().min(min).max(max);

/** Ids of a foreign network: what the manager says they look like. */
const foreignIdPatternSchema = z.object({
  lengthMin: within(settingBounds.foreignIdLength),
  lengthMax: within(settingBounds.foreignIdLength),
  alphabet: z.enum(foreignIdAlphabets),
  check: z.enum(foreignIdChecks),
});

/** How one keyboard scanner behaves, learnt on the test screen. */
const keyboardScannerSchema = z.object({
  /** Longest pause between two keys of one scan. */
  gapMs: within(settingBounds.keyboardGapMs).default(60),
  prefix: z.string().max(8).default(""),
  suffix: z.string().max(8).default(""),
  layout: z.enum(keyboardLayouts).default("us"),
});

/** The kick: which pin of the connector, how long the current flows, and how long the next one waits. */
const pulse = z
  .object({
    pin: z.literal(drawerPins).default(usualPulse.pin),
    onMs: within(settingBounds.pulseMs).default(usualPulse.onMs),
    offMs: within(settingBounds.pulseMs).default(usualPulse.offMs),
  })
  .prefault({});
/** Whether the drawer has a switch that tells open from closed. */
const sensor = z.boolean().default(true);

/** `simulated` opens nothing and is for training; outside of it the core takes it as `none`: opened by hand. */
export const drawerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("simulated") }),
    z.object({ kind: z.literal("none") }),
    /** On the receipt printer that is set up. */
    z.object({ kind: z.literal("printer"), sensor, pulse }),
    /** On a printer in the network that prints nothing for this terminal. */
    z.object({
      kind: z.literal("network"),
      host: textOf(settingBounds.hostLength),
      port: within(settingBounds.port).default(defaultPrinterPort),
      sensor,
      pulse,
    }),
  ])
  .default({ kind: "simulated" });

const paper = {
  model: z.enum(printerModels).default("generic"),
  columns: z.literal(paperColumns).default(42),
  codePage: z.enum(codePages).default("auto"),
  /** Copies that are printed by themselves when cash was handed out. */
  receipts: z.enum(receiptChoices).default("customer"),
};

/** Which receipt printer is connected, how, and what paper it holds. */
export const printerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("none") }),
    z.object({
      kind: z.literal("network"),
      host: textOf(settingBounds.hostLength),
      port: within(settingBounds.port).default(defaultPrinterPort),
      ...paper,
    }),
    /** A serial device file, also of a USB printer that shows up as one. */
    z.object({
      kind: z.literal("serial"),
      path: textOf(settingBounds.devicePathLength),
      baudRate: z.literal(baudRates).default(9_600),
      ...paper,
    }),
  ])
  .default({ kind: "none" });

/** Settings about the drawer's money. */
const drawerMoneySettingsSchema = z.object({
  /** Off where the shop counts in its own till system. */
  enabled: z.boolean().default(false),
  managerFor: z.array(z.enum(drawerMoneyRights)).default(["cash_moves", "expected"]),
  /** A count that is off by more needs a reason, and a manager to clear it up. In minor units. */
  differenceMinor: within(settingBounds.differenceMinor).default(0),
});

/** Settings about people. */
const peopleSettingsSchema = z.object({
  /** Whether a cashier signs in before anything is done at the counter; a shop of one needs none. */
  cashiersSignIn: z.boolean().default(false),
  /** Without a touch for so long, sessions end. */
  lockAfterMinutes: z.int().min(1).max(60).default(5),
  /** Who must agree, by PIN, that nothing was handed out after the drawer was open. */
  notHandedOutBy: z.enum(["manager", "second_person"]).default("manager"),
});

/** An hour of the day on this terminal's clock: `02:30`. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** The settings about updates. */
const updateSettingsSchema = z.object({
  /** Checks for new versions and downloads them. False: nothing is requested and nothing installed. */
  enabled: z.boolean().default(true),
  channel: z.enum(updateChannels).default("latest"),
  /** When a version may install by itself; over midnight where `to` is before `from`. Null (the default): at any time of day. */
  window: z.object({ from: timeOfDay, to: timeOfDay }).nullable().default(null),
});
/** The settings about updates. */
export type UpdateSettings = z.infer<typeof updateSettingsSchema>;

/**
 * Who may do what, and what is about cash: these are the journal's, and the settings' file is not obeyed where it says otherwise.
 * Every field has a default, so that `{}` is a whole set; bounds are in `choices.ts`.
 */
export const protectedSettingsSchema = z.object({
  /** Where the drawer is, and on which printer: a manager's to choose. */
  drawer: drawerSchema,
  printer: printerSchema,
  drawerMoney: drawerMoneySettingsSchema.prefault({}),
  /** After the drawer opened, the cashier counts and then says that the cash was handed over; false takes the open drawer for that. */
  confirmHandOver: z.boolean().default(true),
  /** Opens the drawer at the moment in which a payment is settled; only where `confirmHandOver` asks for the cash behind it. */
  openOnSettled: z.boolean().default(false),
  people: peopleSettingsSchema.prefault({}),
  /** Of the desktop program alone. As a kiosk it is left by a manager alone. */
  windowMode: z.enum(windowModes).default("window"),
});
/** The settings that are the journal's. */
export type ProtectedSettings = z.infer<typeof protectedSettingsSchema>;

/** All settings of a terminal. */
export const settingsSchema = z.object({
  language: z.enum(languages).default("en"),
  colorScheme: z.enum(colorSchemes).default("auto"),
  sound: z.boolean().default(true),
  /** Of the sounds, in percent. */
  volume: within(settingBounds.volume).default(50),
  /** The terminal's own time-out for the customer's approval, for services that name no deadline of their own. */
  scaTimeoutSeconds: within(settingBounds.scaTimeoutSeconds).default(defaultScaTimeoutSeconds),
  camera: z
    .object({ enabled: z.boolean().default(true), deviceId: z.string().max(512).nullable().default(null) })
    .prefault({}),
  symbologies: z.array(z.enum(symbologies)).default(["code128", "qr", "aztec", "datamatrix", "pdf417"]),
  /** ITF and Code 39 are read only at this length (with a check digit); null keeps them off. */
  fixedLength: within(settingBounds.fixedLength).nullable().default(null),
  foreignIds: foreignIdPatternSchema.nullable().default(null),
  keyboardScanner: keyboardScannerSchema.prefault({}),
  /** Which part of the set-up comes next, after the enrolment; `practice` in training: it goes back to real money by itself. */
  setUp: z.enum(setUpParts).default("done"),
  /** Whether the first-time tour in training was seen or left. */
  tourSeen: z.boolean().default(false),
  /** What people call this terminal; empty: the name it was enrolled under. */
  terminalName: z.string().trim().max(settingBounds.terminalNameLength.max).default(""),
  /** The desktop program's second window; in the browser host its page is opened by hand. */
  customerDisplay: z.enum(customerDisplays).default("off"),
  /** The installed program starts when somebody signs in to the computer. */
  startWithSystem: z.boolean().default(false),
  /** Of the installed desktop program; elsewhere they do nothing. */
  updates: updateSettingsSchema.prefault({}),
  ...protectedSettingsSchema.shape,
});
/** The settings with every default filled in. */
export type Settings = z.infer<typeof settingsSchema>;

const inShopNetwork = (device: Settings["drawer"] | Settings["printer"], context: z.RefinementCtx): void => {
  if (device.kind !== "network") return;
  if (!isDeviceHost(device.host)) context.addIssue({ code: "custom", path: ["host"] });
  if (!isPrinterPort(device.port)) context.addIssue({ code: "custom", path: ["port"] });
};

/** What a manager may enter. What was saved before addresses were held to the shop's network goes on being read. */
export const enteredSettingsSchema = settingsSchema.extend({
  drawer: drawerSchema.superRefine(inShopNetwork),
  printer: printerSchema.superRefine(inShopNetwork),
  foreignIds: foreignIdPatternSchema.nullable().superRefine((pattern, context) => {
    if (pattern !== null && pattern.lengthMax < pattern.lengthMin)
      context.addIssue({ code: "custom", path: ["lengthMax"] });
  }),
});
