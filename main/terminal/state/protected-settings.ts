/**
 * Settings about authority and cash as the journal keeps them. The host's file is taken over once, by a terminal's first entry or
 * by the first start of a version that keeps them; from then on a manager's command alone changes them.
 */
import { isDeepStrictEqual } from "node:util";
import { drawerMoneyRights } from "../../../preload/choices.ts";
import { type ProtectedSettings, protectedSettingsSchema, type Settings } from "../../../preload/contract.ts";
import type { State } from "./state.ts";
import { usableSettings } from "./usable-settings.ts";

/** Those of all settings that are the journal's. */
export const protectedOf = (settings: Settings): ProtectedSettings => protectedSettingsSchema.parse(settings);

/** Where nobody knows what a manager wanted: more is asked. The devices, and whether the drawer is counted here, are the file's. */
export const strictest = (file: ProtectedSettings): ProtectedSettings => ({
  ...file,
  confirmHandOver: true,
  people: {
    cashiersSignIn: true,
    lockAfterMinutes: Math.min(file.people.lockAfterMinutes, 5),
    notHandedOutBy: "manager",
  },
  drawerMoney: { ...file.drawerMoney, managerFor: [...drawerMoneyRights], differenceMinor: 0 },
});

/** The names of those that differ. */
export const differing = (one: ProtectedSettings, other: ProtectedSettings): readonly string[] =>
  Object.entries(one)
    .filter(([name, value]) => !isDeepStrictEqual(value, other[name as keyof ProtectedSettings]))
    .map(([name]) => name);

/** The state in which they hold, whatever the file says. */
export const withProtected = (state: State, settings: ProtectedSettings): State => ({
  ...state,
  protectedSettings: settings,
  settings: usableSettings({ ...state.settings, ...settings }, state.training),
});
