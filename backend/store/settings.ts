/** What all processes on one database share, by name. */
import { statement } from "./statement.ts";

/** The first to write a name wins. */
export const addSetting = statement("setting_add", (db, p: { name: string; value: string }) =>
  db
    .insertInto("settings")
    .values({ name: p.name, value: p.value })
    .onConflict((conflict) => conflict.column("name").doNothing()),
);

/** One setting; no row before it was written. */
export const settingByName = statement("setting_by_name", (db, p: { name: string }) =>
  db.selectFrom("settings").select("value").where("name", "=", p.name),
);

/** The last to write a name wins. */
export const setSetting = statement("setting_set", (db, p: { name: string; value: string }) =>
  db
    .insertInto("settings")
    .values({ name: p.name, value: p.value })
    .onConflict((same) => same.column("name").doUpdateSet({ value: p.value })),
);

/** Takes a setting away; no row comes back where somebody else has. */
export const removeSetting = statement("setting_remove", (db, p: { name: string }) =>
  db.deleteFrom("settings").where("name", "=", p.name).returning("name"),
);

/** The number of the newest migration; asked to see whether the database answers. */
export const schemaVersion = statement("schema_version", (db, _: Readonly<Record<never, never>>) =>
  db.selectFrom("schema_version").select("version").limit(1),
);
