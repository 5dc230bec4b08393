/** Shared by the set-up and the changes of the own service: its operator, its settings, the bank's file. */
import { ServiceRefusal } from "../service-channel.ts";
import { writeBankFile } from "./bank-file.ts";
import { addressOf } from "./environment.ts";
import { bankDevice, makeBankPassword, type Operator, operatorOf } from "./operator.ts";
import type { OwnServiceProcess } from "./process.ts";
import type { OwnServiceSettings } from "./settings-file.ts";

/** Has no state of its own. `operator` throws ServiceRefusal while the service does not run. */
export const openServiceContext = (service: OwnServiceProcess) => {
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
    writeBankFile(service.folder, { bank, shop, key, address: publicAddress(), device: bankDevice, password });
    change({ isBankTold: true });
  };

  return { operator, change, notifyBank };
};
