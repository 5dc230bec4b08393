/** What a manager does with the service of one's own. Every step may be repeated after a crash between two of them. */
import { existsSync } from "node:fs";
import path from "node:path";
import type {
  OwnBank,
  OwnNetwork,
  OwnServiceField,
  OwnServiceReply,
  OwnServiceView,
  OwnShop,
} from "../../../preload/contract.ts";
import { choosePort } from "../ports.ts";
import { ServiceRefusal } from "../service-channel.ts";
import { bankFileIn, discardBankFile, writeBankFile } from "./bank-file.ts";
import { isUsableFolder, networkFaults } from "./checks.ts";
import { addressOf, databaseIn } from "./environment.ts";
import {
  allowBank,
  applyBank,
  applyShop,
  bankDevice,
  bankFields,
  makeBankKey,
  makeBankPassword,
  makeOwnCode,
  type Operator,
  operatorOf,
  readOwners,
  shopFields,
} from "./operator.ts";
import type { OwnServiceProcess } from "./process.ts";
import type { OwnServiceSettings } from "./settings-file.ts";

const usualPort = 8787;
const overlapHours = 24;
const done: OwnServiceReply = { kind: "done" };

const refused = (fields: readonly OwnServiceField[], output: string | null = null): OwnServiceReply => ({
  kind: "refused",
  fields,
  output,
});

type Names = Readonly<Record<string, OwnServiceField>>;

/** A refusal of the service as the form's fields; anything else is thrown on. */
const asFields = async (names: Names, work: () => Promise<void>): Promise<OwnServiceReply> => {
  try {
    await work();
    return done;
  } catch (error) {
    if (!(error instanceof ServiceRefusal)) throw error;
    const fields = error.fields.flatMap((name) => names[name] ?? []);
    return refused(fields, error.message);
  }
};

/** What `set_up_service` brings. */
export interface SetUpForm {
  readonly shop: OwnShop;
  readonly bank: OwnBank;
  readonly backupFolder: string;
}

/** The work on one service. `enrol` turns a code into this terminal's access key at that address: null, or why not. */
export const createOwnServiceWork = (service: OwnServiceProcess) => {
  const { folder } = service;

  const operator = (actor: string): Operator => {
    const channel = service.channel();
    if (channel === null) throw new ServiceRefusal(service.lastOutput() ?? "the service does not run", []);
    return operatorOf(channel, actor);
  };
  const change = (part: Partial<OwnServiceSettings>): void => {
    const settings = service.settings();
    if (settings !== null) service.save({ ...settings, ...part });
  };
  const publicAddress = (): string => {
    const settings = service.settings();
    return settings === null ? "" : (settings.network?.publicUrl ?? addressOf(settings));
  };

  const notifyBank = async (on: Operator, bank: string, shop: string, key: string | null): Promise<void> => {
    const password = await makeBankPassword(on, bank);
    writeBankFile(folder, { bank, shop, key, address: publicAddress(), device: bankDevice, password });
    change({ isBankTold: true });
  };

  return {
    async setUp(
      { shop, bank, backupFolder: wanted }: SetUpForm,
      actor: string,
      enrol: (serviceUrl: string, code: string) => Promise<string | null>,
    ): Promise<OwnServiceReply> {
      const backupFolder = wanted === "" ? path.resolve(folder, "copies") : wanted;
      if (!isUsableFolder(backupFolder)) return refused(["backupFolder"]);
      const before = service.settings();
      const port = before?.port ?? (await choosePort(usualPort, false));
      const fresh = { port, network: null, shop: null, bank: null, isBankTold: false };
      service.save({ ...fresh, ...before, backupFolder });
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
      // First the service is there for good: cut off before the enrolment, the next start has it, and the form can be sent again.
      change({ shop: shop.id, bank: bank.id });
      const problem = await enrol(addressOf({ port }), await makeOwnCode(on, shop.id));
      return problem === null ? done : refused([], problem);
    },

    changeShop: (shop: OwnShop, actor: string): Promise<OwnServiceReply> => {
      if (shop.id !== service.settings()?.shop) return Promise.resolve(refused(["shopId"]));
      return asFields(shopFields, () => applyShop(operator(actor), shop));
    },

    async changeBank(bank: OwnBank, actor: string): Promise<OwnServiceReply> {
      if (bank.id !== service.settings()?.bank) return refused(["bankId"]);
      return asFields(bankFields, async () => void (await applyBank(operator(actor), bank)));
    },

    async changeBackups(backupFolder: string): Promise<OwnServiceReply> {
      if (!isUsableFolder(backupFolder)) return refused(["backupFolder"]);
      change({ backupFolder });
      return (await service.start()) === null ? refused([], service.lastOutput()) : done;
    },

    /** Where the service does not come up with it, what was there before is back. */
    async changeNetwork(network: OwnNetwork | null): Promise<OwnServiceReply> {
      const before = service.settings();
      if (before === null) return refused([], null);
      const faults = network === null ? [] : networkFaults(network, before.port, Date.now());
      if (faults.length > 0) return refused(faults);
      change({ network });
      if ((await service.start()) !== null) return done;
      const output = service.lastOutput();
      change({ network: before.network });
      await service.start();
      return refused(["networkPort"], output);
    },

    backUp: (actor: string): Promise<OwnServiceReply> =>
      asFields({}, async () => void (await operator(actor).run(["backup"]))),

    renewBankAccess: (actor: string): Promise<OwnServiceReply> =>
      asFields({}, async () => {
        const { bank, shop } = service.settings() ?? { bank: null, shop: null };
        if (bank === null || shop === null) throw new ServiceRefusal("the service has no bank yet", []);
        const on = operator(actor);
        await notifyBank(on, bank, shop, await makeBankKey(on, bank, overlapHours));
      }),

    discardBankFile: (): void => discardBankFile(folder),

    async view(actor: string): Promise<OwnServiceView | null> {
      const [settings, status, channel] = [service.settings(), service.status(), service.channel()];
      if (settings === null || status === null) return null;
      const { network, backupFolder, shop, bank } = settings;
      const file = bankFileIn(folder);
      return {
        ...status,
        address: addressOf(settings),
        database: path.resolve(databaseIn(folder)),
        backupFolder,
        network,
        bankFile: existsSync(file) ? file : null,
        lastOutput: service.lastOutput(),
        live:
          channel === null
            ? null
            : { service: await channel.state(), ...(await readOwners(operatorOf(channel, actor), shop, bank)) },
      };
    },
  };
};
