/** The settings of a terminal, which a manager changes and the host keeps on disk. The file, the form, its faults and the defaults come from these schemas. */
import { z } from "zod";
import { foreignIdAlphabets, foreignIdChecks } from "../backend/contract/foreign-ids.ts";
import {
  baudRates,
  codePages,
  colorSchemes,
  customerDisplays,
  defaultPrinterPort,
  defaultScaTimeoutSeconds,
  drawerMoneyRights,
  drawerPins,
  keyboardLayouts,
  languages,
  paperColumns,
  printerModels,
  receiptChoices,
  settingBounds,
  setUpParts,
  symbologies,
  updateChannels,
  usualPulse,
  windowModes,
} from "./choices.ts";
import { isDeviceHost, isPrinterPort } from "./device-address.ts";

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);
const textOf = ({ min, max }: { readonly min: number; readonly max: number }) => z.string().trim().min(min).max(max);

/** A TCP port that something can listen on. */
export const portSchema = within(settingBounds.port);

/** What the ids of a foreign network look like. */
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

/** The drawer's pulse: the connector's pin, how long it is on, and the pause behind it. */
const pulse = z
  .object({
    pin: z.literal(drawerPins).default(usualPulse.pin),
    onMs: within(settingBounds.pulseMs).default(usualPulse.onMs),
    offMs: within(settingBounds.pulseMs).default(usualPulse.offMs),
  })
  .prefault({});
/** A printer in the shop's network. */
const network = {
  kind: z.literal("network"),
  host: textOf(settingBounds.hostLength),
  port: portSchema.default(defaultPrinterPort),
};
/** Whether the drawer has a switch that tells whether it is open. */
const sensor = z.boolean().default(true);

/** `simulated` is for training and opens nothing; for real money the core takes it as `none`: opened by hand. */
export const drawerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("simulated") }),
    z.object({ kind: z.literal("none") }),
    /** On the receipt printer that is set up. */
    z.object({ kind: z.literal("printer"), sensor, pulse }),
    /** On a printer in the network that prints nothing for this terminal. */
    z.object({ ...network, sensor, pulse }),
  ])
  .default({ kind: "simulated" });

const paper = {
  model: z.enum(printerModels).default("generic"),
  columns: z.literal(paperColumns).default(42),
  codePage: z.enum(codePages).default("auto"),
  /** Copies that are printed automatically after a hand-out. */
  receipts: z.enum(receiptChoices).default("customer"),
};

/** Which receipt printer is connected, how, and what paper it holds. */
export const printerSchema = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("none") }),
    z.object({ ...network, ...paper }),
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
  /** False where the shop counts in its own till system. */
  enabled: z.boolean().default(false),
  managerFor: z.array(z.enum(drawerMoneyRights)).default(["cash_moves", "expected"]),
  /** Tolerance of a count in minor units; beyond, it needs a reason, and a manager to clear it up. */
  differenceMinor: within(settingBounds.differenceMinor).default(0),
});

/** Settings about people. */
const peopleSettingsSchema = z.object({
  /** Whether a cashier signs in before anything is done at the counter; a shop of one needs none. */
  cashiersSignIn: z.boolean().default(false),
  /** Sessions end after so long without a touch. */
  lockAfterMinutes: z.int().min(1).max(60).default(5),
  /** Whose PIN *Not handed out* needs after the drawer was open. */
  notHandedOutBy: z.enum(["manager", "second_person"]).default("manager"),
});

/** An hour of the day on this terminal's clock: `02:30`. */
const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/** The settings about updates. */
const updateSettingsSchema = z.object({
  /** Checks for new versions and downloads them. False: nothing is requested and nothing installed. */
  enabled: z.boolean().default(true),
  channel: z.enum(updateChannels).default("latest"),
  /** When a version may install by itself; spans midnight where `to` is before `from`. Null (the default): any time. */
  window: z.object({ from: timeOfDay, to: timeOfDay }).nullable().default(null),
});
/** The settings about updates. */
export type UpdateSettings = z.infer<typeof updateSettingsSchema>;

/**
 * Settings about rights and cash. The journal keeps them; where the settings file says otherwise, it is not obeyed.
 * Every field has a default, so that `{}` is a whole set; bounds are in `choices.ts`.
 */
export const protectedSettingsSchema = z.object({
  /** Only a manager chooses drawer and printer. */
  drawer: drawerSchema,
  printer: printerSchema,
  drawerMoney: drawerMoneySettingsSchema.prefault({}),
  /** After the drawer opened, the cashier counts and then confirms the hand-over; false: the open drawer counts as the hand-over. */
  confirmHandOver: z.boolean().default(true),
  /** Opens the drawer as soon as a payment is settled; only together with `confirmHandOver`. */
  openOnSettled: z.boolean().default(false),
  people: peopleSettingsSchema.prefault({}),
  /** Desktop only. Only a manager can leave a kiosk. */
  windowMode: z.enum(windowModes).default("window"),
});
/** The settings that the journal keeps. */
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
  /** Which part of the set-up comes next, after the enrolment; `practice` runs in training and goes back to real money by itself. */
  setUp: z.enum(setUpParts).default("done"),
  /** Whether the tour in training was finished or left. */
  tourSeen: z.boolean().default(false),
  /** What people call this terminal; empty: the name it was enrolled under. */
  terminalName: z.string().trim().max(settingBounds.terminalNameLength.max).default(""),
  /** Desktop only: the customer's display. In the browser host its page is opened by hand. */
  customerDisplay: z.enum(customerDisplays).default("off"),
  /** The installed program starts when somebody signs in to the computer. */
  startWithSystem: z.boolean().default(false),
  /** For the installed desktop program; without effect elsewhere. */
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

/** A printer that a manager may enter; without one there is no default. */
export const enteredPrinterSchema = printerSchema.unwrap().superRefine(inShopNetwork);

/** As for a printer. */
export const enteredDrawerSchema = drawerSchema.unwrap().superRefine(inShopNetwork);

/** What a manager may enter. Stricter than what is read: older settings with addresses outside the shop's network stay readable. */
export const enteredSettingsSchema = settingsSchema.extend({
  drawer: enteredDrawerSchema.default({ kind: "simulated" }),
  printer: enteredPrinterSchema.default({ kind: "none" }),
  foreignIds: foreignIdPatternSchema.nullable().superRefine((pattern, context) => {
    if (pattern !== null && pattern.lengthMax < pattern.lengthMin)
      context.addIssue({ code: "custom", path: ["lengthMax"] });
  }),
});
