/** The set-up of a service of one's own. Cut off between any two steps, it can be sent again: each finds what the last run left. */
import path from "node:path";
import type { OwnBank, OwnServiceReply, OwnShop } from "../../../preload/contract.ts";
import { asFields, done, refused } from "./answer.ts";
import { isUsableFolder } from "./checks.ts";
import { addressOf } from "./environment.ts";
import { openServiceHold } from "./hold.ts";
import {
  allowBank,
  applyBank,
  applyShop,
  bankFields,
  makeBankKey,
  makeOwnCode,
  shopFields,
  takeBack,
} from "./operator.ts";
import type { OwnServiceProcess } from "./process.ts";
import type { OwnServiceSettings } from "./settings-file.ts";

const usualPort = 8787;
const attemptsMax = 50;

/** What `set_up_service` brings. */
export interface SetUpForm {
  readonly shop: OwnShop;
  readonly bank: OwnBank;
  readonly backupFolder: string;
}

/** Turns a code into this terminal's access key at that address: null, or why not. */
export type Enrol = (serviceUrl: string, code: string) => Promise<string | null>;

type Attempt = OwnServiceSettings["attempts"][number];

/** Once each, the newest last. */
const withAttempt = (attempts: readonly Attempt[], { shop, bank }: Attempt): Attempt[] => [
  ...attempts.filter((one) => one.shop !== shop || one.bank !== bank).slice(1 - attemptsMax),
  { shop, bank },
];

/** @param actor for the service's audit. */
export const setUpService = async (
  service: OwnServiceProcess,
  { shop, bank, backupFolder: wanted }: SetUpForm,
  actor: string,
  enrol: Enrol,
): Promise<OwnServiceReply> => {
  const { operator, change, notifyBank } = openServiceHold(service);
  const backupFolder = wanted === "" ? path.resolve(service.folder, "copies") : wanted;
  if (!isUsableFolder(backupFolder)) return refused(["backupFolder"]);
  const before = service.settings();
  const fresh = { port: usualPort, network: null, shop: null, bank: null, isBankTold: false };
  const names = { shop: shop.id, bank: bank.id };
  const attempts = withAttempt(before?.attempts ?? [], names);
  service.save({ ...fresh, ...before, backupFolder, attempts });
  if ((service.channel() ?? (await service.start())) === null) return refused([], service.lastOutput());
  const on = operator(actor);
  const withShop = await asFields(shopFields, () => applyShop(on, shop));
  if (withShop.kind === "refused") return withShop;
  const withBank = await asFields(bankFields, async () => {
    const made = await applyBank(on, bank);
    await allowBank(on, bank.id, shop.id);
    const isNotified = service.settings()?.isBankTold === true && service.settings()?.bank === bank.id;
    if (isNotified) return;
    const key = bank.key === "" ? (made ?? (await makeBankKey(on, bank.id, 0))) : null;
    await notifyBank(on, bank.id, shop.id, key);
  });
  if (withBank.kind === "refused") return withBank;
  for (const attempt of attempts) await takeBack(on, attempt, names);
  // First the service is there for good: cut off before the enrolment, the next start has it, and the form can be sent again.
  change(names);
  const { port } = service.settings() ?? fresh;
  const problem = await enrol(addressOf({ port }), await makeOwnCode(on, shop.id));
  if (problem !== null) return refused([], problem);
  change({ attempts: [] });
  return done;
};
