/** Settings by name, shared by all processes on one database. */
import { sql } from "kysely";
import { insertRow, type Store, StoreRefused, statement } from "./store.ts";

/** Adds a setting; the first writer wins. */
export const addSetting = statement("setting_add", (db, p: { name: string; value: string }) =>
  insertRow(db, "settings", p).onConflict((same) => same.column("name").doNothing()),
);

/** One setting; no row before it was written. */
export const settingByName = statement("setting_by_name", (db, p: { name: string }) =>
  db.selectFrom("settings").select("value").where("name", "=", p.name),
);

/** Sets a setting; the last writer wins. */
export const setSetting = statement("setting_set", (db, p: { name: string; value: string }) =>
  insertRow(db, "settings", p).onConflict((same) => same.column("name").doUpdateSet({ value: p.value })),
);

/** Locks a setting until the commit; no row comes back where its value is another one. */
export const holdSetting = statement("setting_hold", (db, p: { name: string; value: string }) =>
  db
    .updateTable("settings")
    .set({ value: p.value })
    .where((row) => row.and({ name: p.name, value: p.value }))
    .returning("name"),
);

/** Locks a setting until the commit, and adds it first where there is none. */
export const holdAddedSetting = statement("setting_hold_added", (db, p: { name: string; value: string }) =>
  insertRow(db, "settings", p)
    .onConflict((same) => same.column("name").doUpdateSet({ value: sql<string>`settings.value` }))
    .returning("value"),
);

/** Removes a setting; no row comes back where it is gone already. */
export const removeSetting = statement("setting_remove", (db, p: { name: string }) =>
  db.deleteFrom("settings").where("name", "=", p.name).returning("name"),
);

/** The newest migration's number; also used to check that the database responds. */
export const schemaVersion = statement("schema_version", (db) =>
  db.selectFrom("schema_version").select("version").limit(1),
);

/** The names of the service keys that the newest service on an SQLite file was started with. */
export const servedWithSetting = "served_with_keys";

/** The setting with the environment of the database, once it was started with. */
export const purposeName = "purpose";

const anyShop = statement("any_shop", (db) => db.selectFrom("merchants").select("id").limit(1));
const anyBank = statement("any_bank", (db) => db.selectFrom("partners").select("id").limit(1));

/** The refusal of a database of the other environment. @param sandbox whether this program is the sandbox. */
export const otherEnvironment = (sandbox: boolean): StoreRefused =>
  new StoreRefused(
    sandbox
      ? "this database is for real shops; the sandbox needs one of its own: set DATABASE_URL"
      : "this database was made by the sandbox, whose secrets everybody knows; real money needs one of its own: set DATABASE_URL",
    { why: "other_environment" },
  );

/**
 * Checks that the database belongs to this environment (sandbox or live).
 * @throws StoreRefused with a sentence for the operator; the database is left as it is.
 */
export const assertEnvironment = async (store: Store, sandbox: boolean): Promise<void> => {
  const wanted = sandbox ? "sandbox" : "live";
  const kept = await store.write(async (tx) => {
    const isEmpty = (await tx.first(anyShop({}))) === undefined && (await tx.first(anyBank({}))) === undefined;
    // Shops added before the first start are real ones.
    const purpose = isEmpty ? wanted : "live";
    // The first start decides for all later ones.
    if (purpose === wanted) await tx.run(addSetting({ name: purposeName, value: purpose }));
    return (await tx.first(settingByName({ name: purposeName })))?.value ?? purpose;
  });
  if (kept !== wanted) throw otherEnvironment(sandbox);
};

/** Whether this is a sandbox database. One that was never started with counts as live. */
export const isSandboxDatabase = async (store: Store): Promise<boolean> =>
  (await store.read((tx) => tx.first(settingByName({ name: purposeName }))))?.value === "sandbox";
