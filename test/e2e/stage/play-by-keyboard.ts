/**
 * One training withdrawal played from outside: a code typed as a scanner types it, one key for going on, and the service's own
 * word for what came of it. Installed programs take no debugger, so this is how they are tried.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connectDemoBank } from "./bank-client.ts";

/** A keyboard in front of the terminal's window. */
export interface Keyboard {
  /** Types quickly, then Enter. */
  scan(text: string): Promise<void>;
  /** The key that goes on, on every screen. */
  pressMain(): Promise<void>;
}

const betweenKeysMs = 700;

/**
 * Resolves with the transaction's id when the service has the withdrawal linked and paid once.
 * @param patienceMs for each step. Default 30,000. @throws Error that names the status at which it stopped.
 */
export const playTraining = async (serviceUrl: string, keyboard: Keyboard, patienceMs = 30_000): Promise<string> => {
  const bank = await connectDemoBank(serviceUrl);
  const { transaction_id: id } = await bank.request("50.00");
  const reach = async (wanted: string, act: () => Promise<void>): Promise<void> => {
    const endsAt = performance.now() + patienceMs;
    for (;;) {
      const { status } = await bank.read(id);
      if (status === wanted) return;
      if (performance.now() > endsAt) throw new Error(`the withdrawal stays ${status} and does not get ${wanted}`);
      await act();
      await delay(betweenKeysMs);
    }
  };
  // A window that is just opening may lose the first keys.
  let turn = 0;
  await reach("awaiting_sca", () => {
    turn += 1;
    return turn % 3 === 1 ? keyboard.scan(id) : keyboard.pressMain();
  });
  if ((await bank.decideSca(id, "approved")) !== 201) throw new Error("the approval was refused");
  await reach("settled", async () => {});
  await reach("linked", () => keyboard.pressMain());
  const payments = (await bank.payments()).filter(({ reference }) => reference === id);
  if (payments.length !== 1) throw new Error(`the bank paid ${payments.length} times`);
  return id;
};
