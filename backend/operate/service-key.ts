/** `service-key rotate` and `service-key status`: change from SERVICE_KEY_BEFORE to SERVICE_KEY while the service runs. */
import { auditKeyInUse, holdAudit, setAuditKey } from "../access/audit.ts";
import { keyCipherOf } from "../access/key-ring.ts";
import { settingsAudit } from "../access/setting-entries.ts";
import { isSealed } from "../partner/keys.ts";
import { allPartners, keyColumns, rewrapKeys, tryOpen } from "../partner/partners.ts";
import { livingProcesses } from "../store/ownership.ts";
import { servedWithSetting, settingByName } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { UsageError } from "./arguments.ts";
import type { CommandContext, CommandOutput } from "./context.ts";

type On = Pick<CommandContext, "store" | "clock" | "random" | "keys">;

const rotationOf = ({ keys: { rotation } }: On) => {
  if (!rotation) throw new UsageError("set SERVICE_KEY to the new key, and SERVICE_KEY_BEFORE to the one in use");
  return rotation;
};

/** Counts service processes started without this key: the living ones of a fleet; for SQLite the newest one. */
const processesWithout = async ({ store: { dialect }, clock }: On, tx: Tx, keyId: string) => {
  const keys =
    dialect === "postgres"
      ? (await livingProcesses(tx, clock.now())).map((each) => each.service_keys)
      : [(await tx.first(settingByName({ name: servedWithSetting })))?.value];
  return keys.filter((names) => !names?.split(" ").includes(keyId)).length;
};

/** `service-key status`: how far a rotation is, and what comes next. */
export const serviceKeyStatus = async (on: On): Promise<CommandOutput> => {
  const { keys, store } = on;
  const { to, before, isBack } = rotationOf(on);
  const inUse = keys.auditKeyId === to.auditKeyId ? "SERVICE_KEY" : "SERVICE_KEY_BEFORE";
  const [newest, isRotated] = [keyCipherOf(to, on.random), inUse === "SERVICE_KEY"];
  const { unaware, left } = await store.read(async (tx) => {
    const stored = (await tx.all(allPartners({}))).flatMap((row) =>
      keyColumns.flatMap((column) => (row[column] === null ? [] : [{ id: row.id, key: row[column] }])),
    );
    const under = stored.filter(({ id, key }) => isSealed(key) && tryOpen(newest, id, key) === null);
    return { unaware: await processesWithout(on, tx, to.auditKeyId), left: under.length };
  });
  const next = () => {
    if (isBack) return "swap SERVICE_KEY and SERVICE_KEY_BEFORE: the new one is in SERVICE_KEY_BEFORE";
    if (before === null)
      return "nothing: to rotate, give every process a new SERVICE_KEY, and this one as SERVICE_KEY_BEFORE";
    if (unaware > 0) return "give every process both keys and restart it";
    if (!isRotated || left > 0) return "service-key rotate";
    return "take SERVICE_KEY_BEFORE away from every process and restart it; this key is needed no more but for copies from before";
  };
  return [
    {
      in_use: inUse,
      key: keys.auditKeyId,
      other_keys: keys.others?.map(({ auditKeyId }) => auditKeyId).join(" ") || null,
      processes_without_service_key: unaware,
      bank_keys_under_others: left,
      next: next(),
    },
  ];
};

/**
 * `service-key rotate`: in one commit everything switches to SERVICE_KEY and stored keys are re-encrypted. Run again,
 * it re-encrypts what a concurrent command left. @param flags `lost`: the old key is gone, and what was under it can no
 * longer be verified.
 * @throws UsageError where a process could not go on.
 */
export const rotateServiceKey = async (on: On, flags: Readonly<Record<string, string>>): Promise<CommandOutput> => {
  const { store, keys } = on;
  const { to, before, isBack, noteEarlier } = rotationOf(on);
  const isLost = flags.lost !== undefined;
  if (isBack)
    throw new UsageError("SERVICE_KEY is a key that was rotated away: swap SERVICE_KEY and SERVICE_KEY_BEFORE");
  if (!isLost && before === null)
    throw new UsageError("SERVICE_KEY_BEFORE is missing: set it to the key in use, and SERVICE_KEY to the new one");
  const inUse = await store.read(auditKeyInUse);
  if (isLost && [to, before].some((given) => given?.auditKeyId === inUse))
    throw new UsageError("no key is lost: the one in use was given. Leave --lost away");
  const rewrapped = await store.write(async (tx) => {
    const unaware = await processesWithout(on, tx, to.auditKeyId);
    if (unaware > 0 && !isLost)
      throw new UsageError(
        `${on.store.dialect === "sqlite" ? "the service was" : `${unaware} processes of the service were`} started without this SERVICE_KEY and could not go on: give each both keys and restart it first`,
      );
    // Others may have written the first entry since this process found none.
    await holdAudit(tx, keys);
    const was = keys.auditKeyId;
    if (isLost || was !== to.auditKeyId) {
      await tx.run(setAuditKey({ key_id: to.auditKeyId }));
      await noteEarlier(tx);
    }
    const [from, newest] = [keyCipherOf(keys, on.random), keyCipherOf(to, on.random)];
    return { was, ...(await rewrapKeys(tx, from, newest, settingsAudit(on))) };
  });
  return [
    {
      key: to.auditKeyId,
      before: rewrapped.was,
      bank_keys_encrypted_anew: rewrapped.done,
      bank_keys_unreadable: rewrapped.unreadable,
    },
  ];
};
