/** The set-up of the own service. After a crash between two steps it can be repeated: each step finds what was done before. */
import path from "node:path";
import type { OwnBank, OwnServiceReply, OwnShop } from "../../../preload/contract.ts";
import { done, refused, withFieldErrors } from "./answer.ts";
import { isUsableFolder } from "./checks.ts";
import { openServiceContext } from "./context.ts";
import { addressOf } from "./environment.ts";
import {
  allowBank,
  applyBank,
  applyShop,
  bankFields,
  makeBankKey,
  makeTerminalCode,
  revokeMistaken,
  shopFields,
} from "./operator.ts";
import type { OwnServiceProcess } from "./process.ts";
import type { OwnServiceSettings } from "./settings-file.ts";

const defaultPort = 8787;
const attemptsMax = 50;

/** Fields of the command `set_up_service`. */
export interface SetUpForm {
  readonly shop: OwnShop;
  readonly bank: OwnBank;
  readonly backupFolder: string;
}

/** Enrols this terminal by a code at that address. @returns null, or why it failed. */
export type Enrol = (serviceUrl: string, code: string) => Promise<string | null>;

type Attempt = OwnServiceSettings["attempts"][number];

/** Adds an attempt; each pair of shop and bank once, the newest last. */
const withAttempt = (attempts: readonly Attempt[], { shop, bank }: Attempt): Attempt[] => [
  ...attempts.filter((one) => one.shop !== shop || one.bank !== bank).slice(1 - attemptsMax),
  { shop, bank },
];

/** Sets up service, shop and bank, and enrols this terminal. @param actor the name in the service's audit. */
export const setUpService = async (
  service: OwnServiceProcess,
  { shop, bank, backupFolder: wanted }: SetUpForm,
  actor: string,
  enrol: Enrol,
): Promise<OwnServiceReply> => {
  const { operator, change, notifyBank } = openServiceContext(service);
  const backupFolder = wanted === "" ? path.resolve(service.folder, "copies") : wanted;
  if (!isUsableFolder(backupFolder)) return refused(["backupFolder"]);
  const before = service.settings();
  const fresh = { port: defaultPort, network: null, shop: null, bank: null, isBankTold: false };
  const names = { shop: shop.id, bank: bank.id };
  const attempts = withAttempt(before?.attempts ?? [], names);
  service.save({ ...fresh, ...before, backupFolder, attempts });
  if ((service.channel() ?? (await service.start())) === null) return refused([], service.lastOutput());
  const on = operator(actor);
  const withShop = await withFieldErrors(shopFields, () => applyShop(on, shop));
  if (withShop.kind === "refused") return withShop;
  const withBank = await withFieldErrors(bankFields, async () => {
    const made = await applyBank(on, bank);
    await allowBank(on, bank.id, shop.id);
    const isNotified = service.settings()?.isBankTold === true && service.settings()?.bank === bank.id;
    if (isNotified) return;
    const key = bank.key === "" ? (made ?? (await makeBankKey(on, bank.id, 0))) : null;
    await notifyBank(on, bank.id, shop.id, key);
  });
  if (withBank.kind === "refused") return withBank;
  for (const attempt of attempts) await revokeMistaken(on, attempt, names);
  // Before the enrolment: after a crash here the next start runs the service, and the form can be sent again.
  change(names);
  const { port } = service.settings() ?? fresh;
  const problem = await enrol(addressOf({ port }), await makeTerminalCode(on, shop.id));
  if (problem !== null) return refused([], problem);
  change({ attempts: [] });
  return done;
};
