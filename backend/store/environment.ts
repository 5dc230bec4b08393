/**
 * A database is for the sandbox or for real money, from its first start on. The sandbox's secrets are known to everybody
 * and its bank pays nothing: neither may ever meet real shops (conventions, "Sandbox").
 */
import { addSetting, settingByName } from "./settings.ts";
import { statement } from "./statement.ts";
import { one, run, type Store, StoreRefused } from "./store.ts";

const purposeName = "purpose";

const anyShop = statement("any_shop", (db) => db.selectFrom("merchants").select("id").limit(1));
const anyBank = statement("any_bank", (db) => db.selectFrom("partners").select("id").limit(1));

/** @throws StoreRefused with a sentence for the operator; the database is left as it is. */
export const assertEnvironment = async (store: Store, sandbox: boolean): Promise<void> => {
  const wanted = sandbox ? "sandbox" : "live";
  const kept = await store.write(function* () {
    const isEmpty = (yield* one(anyShop({}))) === undefined && (yield* one(anyBank({}))) === undefined;
    // Shops that were added before the first start are real ones.
    const purpose = isEmpty ? wanted : "live";
    // The first start has said so for all that follow.
    if (purpose === wanted) yield* run(addSetting({ name: purposeName, value: purpose }));
    return (yield* one(settingByName({ name: purposeName })))?.value ?? purpose;
  });
  if (kept === wanted) return;
  throw new StoreRefused(
    sandbox
      ? "this database is for real shops; the sandbox needs one of its own: set DATABASE_URL"
      : "this database was made by the sandbox, whose secrets everybody knows; real money needs one of its own: set DATABASE_URL",
    { why: "other_environment" },
  );
};

/** Whether this database is the sandbox's. One that was never started with is treated as for real money. */
export const isSandboxDatabase = async (store: Store): Promise<boolean> =>
  (await store.read(() => one(settingByName({ name: purposeName }))))?.value === "sandbox";
