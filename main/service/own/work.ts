/** A manager's changes to the own service after its set-up. Every step may be repeated after a crash. */
import { existsSync } from "node:fs";
import path from "node:path";
import type { OwnBank, OwnNetwork, OwnServiceReply, OwnServiceView, OwnShop } from "../../../preload/contract.ts";
import { ServiceRefusal } from "../service-channel.ts";
import { done, refused, withFieldErrors } from "./answer.ts";
import { bankFileIn, discardBankFile } from "./bank-file.ts";
import { isUsableFolder, networkFaults } from "./checks.ts";
import { openServiceContext } from "./context.ts";
import { addressOf, databaseIn } from "./environment.ts";
import { applyBank, applyShop, bankFields, makeBankKey, operatorOf, readOwners, shopFields } from "./operator.ts";
import type { OwnServiceProcess } from "./process.ts";

/** Hours for which the bank's previous key signs beside the new one. */
const overlapHours = 24;

/** The changes of one service; each rejects only with an error of this machine. */
export const createOwnServiceWork = (service: OwnServiceProcess) => {
  const { folder } = service;
  const { operator, change, notifyBank } = openServiceContext(service);

  return {
    changeShop: (shop: OwnShop, actor: string): Promise<OwnServiceReply> => {
      if (shop.id !== service.settings()?.shop) return Promise.resolve(refused(["shopId"]));
      return withFieldErrors(shopFields, () => applyShop(operator(actor), shop));
    },

    async changeBank(bank: OwnBank, actor: string): Promise<OwnServiceReply> {
      if (bank.id !== service.settings()?.bank) return refused(["bankId"]);
      return withFieldErrors(bankFields, async () => void (await applyBank(operator(actor), bank)));
    },

    async changeBackups(backupFolder: string): Promise<OwnServiceReply> {
      if (!isUsableFolder(backupFolder)) return refused(["backupFolder"]);
      change({ backupFolder });
      return (await service.start()) === null ? refused([], service.lastOutput()) : done;
    },

    /** Restores the previous network settings where the service does not start with the new ones. */
    async changeNetwork(network: OwnNetwork | null): Promise<OwnServiceReply> {
      const before = service.settings();
      if (before === null) return refused([], null);
      const faults = network === null ? [] : networkFaults(network, Date.now());
      if (faults.length > 0) return refused(faults);
      change({ network });
      if ((await service.start()) !== null) return done;
      const output = service.lastOutput();
      change({ network: before.network });
      await service.start();
      return refused(["networkPort"], output);
    },

    backUp: (actor: string): Promise<OwnServiceReply> =>
      withFieldErrors({}, async () => void (await operator(actor).run(["backup"]))),

    renewBankAccess: (actor: string): Promise<OwnServiceReply> =>
      withFieldErrors({}, async () => {
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
