/** The settings of a terminal: what a manager changes and the host keeps on disk. */
import { z } from "zod";
import { foreignIdAlphabets, foreignIdChecks } from "../backend/contract/foreign-ids.ts";
import {
  colorSchemes,
  customerDisplays,
  defaultScaTimeoutSeconds,
  keyboardLayouts,
  settingBounds,
  setUpParts,
  symbologies,
  windowModes,
} from "./choices.ts";
import { drawerSchema, printerSchema } from "./device-settings.ts";
import { drawerMoneySettingsSchema } from "./drawer-money.ts";
import { languages } from "./languages.ts";
import { peopleSettingsSchema } from "./people.ts";
import { updateSettingsSchema } from "./updates.ts";

const within = ({ min, max }: { readonly min: number; readonly max: number }) => z.int().min(min).max(max);

/** Ids of a foreign network: what the manager says they look like. */
export const foreignIdPatternSchema = z.object({
  lengthMin: within(settingBounds.foreignIdLength),
  lengthMax: within(settingBounds.foreignIdLength),
  alphabet: z.enum(foreignIdAlphabets),
  check: z.enum(foreignIdChecks),
});

/** How one keyboard scanner behaves, learnt on the test screen. */
export const keyboardScannerSchema = z.object({
  /** Longest pause between two keys of one scan. */
  gapMs: within(settingBounds.keyboardGapMs).default(60),
  prefix: z.string().max(8).default(""),
  suffix: z.string().max(8).default(""),
  layout: z.enum(keyboardLayouts).default("us"),
});

/** The settings of a terminal. Every field has a default, so that `{}` is a whole set; bounds are in `choices.ts`. */
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
  drawer: drawerSchema,
  printer: printerSchema,
  drawerMoney: drawerMoneySettingsSchema.prefault({}),
  /** Which part of the set-up comes next, after the enrolment; `done` also for a terminal that was set up before there were parts. */
  setUp: z.enum(setUpParts).default("done"),
  /** Whether the first-time tour in training was seen or left. */
  tourSeen: z.boolean().default(false),
  /** What people call this terminal; empty: the name it was enrolled under. */
  terminalName: z.string().max(settingBounds.terminalNameLength.max).default(""),
  /** After the drawer opened, the cashier counts and then says that the cash was handed over; false takes the open drawer for that. */
  confirmHandOver: z.boolean().default(true),
  people: peopleSettingsSchema.prefault({}),
  /** The desktop program's second window; in the browser host its page is opened by hand. */
  customerDisplay: z.enum(customerDisplays).default("off"),
  /** Of the desktop program alone. */
  windowMode: z.enum(windowModes).default("window"),
  /** The installed program starts when somebody signs in to the computer. */
  startWithSystem: z.boolean().default(false),
  /** Of the installed desktop program; elsewhere they do nothing. */
  updates: updateSettingsSchema.prefault({}),
});
/** The settings with every default filled in. */
export type Settings = z.infer<typeof settingsSchema>;

/**
 * Which settings decide who may do what, or about cash: those are the journal's, and the settings' file is not obeyed where it
 * says otherwise.
 */
export const settingsProtection = {
  language: false,
  colorScheme: false,
  sound: false,
  volume: false,
  scaTimeoutSeconds: false,
  camera: false,
  symbologies: false,
  fixedLength: false,
  foreignIds: false,
  keyboardScanner: false,
  /** Where the drawer is, and on which printer: a manager's to choose. */
  drawer: true,
  printer: true,
  drawerMoney: true,
  setUp: false,
  tourSeen: false,
  terminalName: false,
  confirmHandOver: true,
  people: true,
  customerDisplay: false,
  /** As a kiosk the program is left by a manager alone. */
  windowMode: true,
  startWithSystem: false,
  updates: false,
} as const satisfies Readonly<Record<keyof Settings, boolean>>;

type ProtectedName = {
  [Name in keyof Settings]: (typeof settingsProtection)[Name] extends true ? Name : never;
}[keyof Settings];
/** The settings that are the journal's. */
export type ProtectedSettings = Pick<Settings, ProtectedName>;

/** See `settingsProtection`. */
export const protectedSettingsSchema = settingsSchema.pick({
  drawer: true,
  printer: true,
  drawerMoney: true,
  confirmHandOver: true,
  people: true,
  windowMode: true,
}) satisfies z.ZodType<ProtectedSettings>;
