/** The settings while a manager edits them, checked by the schema of all settings. */
import "./schemas-without-eval.ts";
import { createContext, useContext } from "react";
import { defaultPrinterPort } from "../../preload/choices.ts";
import type { Settings } from "../../preload/contract.ts";
import { drawerSchema, enteredSettingsSchema, printerSchema, settingsSchema } from "../../preload/settings.ts";

type Kind<Of extends { readonly kind: string }, Name extends Of["kind"]> = Omit<Extract<Of, { kind: Name }>, "kind">;
type Drawer = Settings["drawer"];
type Printer = Settings["printer"];
type ForeignIds = NonNullable<Settings["foreignIds"]>;
/** What other pages change. */
type Elsewhere = "keyboardScanner" | "tourSeen" | "people";

/** The settings as they are edited. A device has the fields of all its kinds; a number that is not valid yet is a text. */
export interface Draft extends Omit<Settings, "drawer" | "printer" | "foreignIds" | Elsewhere> {
  readonly drawer: { readonly kind: Drawer["kind"] } & Kind<Drawer, "network">;
  readonly printer: { readonly kind: Printer["kind"] } & Kind<Printer, "network"> & Kind<Printer, "serial">;
  readonly foreignIds: ForeignIds & { readonly isOn: boolean };
}

type PathIn<Of> = {
  [Name in keyof Of & string]: Of[Name] extends string | number | boolean | null | readonly unknown[]
    ? Name
    : `${Name}.${PathIn<NonNullable<Of[Name]>>}`;
}[keyof Of & string];
/** A field of the draft: `drawer.host`. */
export type Path = PathIn<Draft>;

type Fields = Readonly<Record<string, unknown>>;
/** The value of a field. */
export const valueAt = (fields: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as Fields)[name], fields);
const withValue = (fields: unknown, [name = "", ...inner]: readonly string[], value: unknown): unknown => ({
  ...(fields as Fields),
  [name]: inner.length === 0 ? value : withValue((fields as Fields)[name], inner, value),
});

/** The draft with one field changed. */
export const changed = (draft: Draft, path: readonly string[], value: unknown): Draft =>
  withValue(draft, path, value) as Draft;

const usual = {
  drawer: { ...drawerSchema.parse({ kind: "network", host: "-" }), host: "" },
  printer: { host: "", port: defaultPrinterPort, ...printerSchema.parse({ kind: "serial", path: "-" }), path: "" },
  foreignIds: { lengthMin: 12, lengthMax: 20, alphabet: "digits", check: "luhn" },
} as const;

/** The form filled with settings. */
export const toDraft = ({ keyboardScanner, tourSeen, people, ...settings }: Settings): Draft => ({
  ...settings,
  drawer: { ...usual.drawer, ...settings.drawer } as Draft["drawer"],
  printer: { ...usual.printer, ...settings.printer } as Draft["printer"],
  foreignIds: { ...usual.foreignIds, ...settings.foreignIds, isOn: settings.foreignIds !== null },
});

const entered = (draft: Draft) => ({ ...draft, foreignIds: draft.foreignIds.isOn ? draft.foreignIds : null });

const issuesOf = (draft: Draft): readonly (readonly string[])[] =>
  enteredSettingsSchema.safeParse(entered(draft)).error?.issues.map(({ path }) => path.map(String)) ?? [];

/** The fields that the terminal would refuse. */
export const faultsOf = (draft: Draft): ReadonlySet<string> => new Set(issuesOf(draft).map((path) => path.join(".")));

/** These are taken whole or not at all. */
const wholes = ["drawer", "printer", "foreignIds"];

/** The draft as settings. A field that is wrong is as it was `before`; what this page does not show stays. */
export const fromDraft = (draft: Draft, before: Settings): Settings => {
  const kept = toDraft(before);
  const right = issuesOf(draft)
    .map((path) => (wholes.includes(path[0] ?? "") ? path.slice(0, 1) : path))
    .reduce((next, path) => changed(next, path, valueAt(kept, path)), draft);
  return settingsSchema.parse({ ...before, ...entered(right) });
};

/** Whether nothing differs, in whatever order it is written. */
export const isSame = (one: Settings, other: Settings): boolean =>
  JSON.stringify(settingsSchema.parse(one)) === JSON.stringify(settingsSchema.parse(other));

interface SettingsForm {
  readonly draft: Draft;
  readonly faults: ReadonlySet<string>;
  /** Saved at once. */
  readonly set: (path: Path | "updates.window", value: unknown) => void;
  /** Saved when the field loses the focus. */
  readonly type: (path: Path, value: unknown) => void;
}

/** Provided around the page's sections. */
export const SettingsFormContext = createContext<SettingsForm | null>(null);

/** The form that the section is part of. */
export const useSettingsForm = (): SettingsForm => {
  const form = useContext(SettingsFormContext);
  if (form === null) throw new Error("a section of the settings is outside of their form");
  return form;
};
