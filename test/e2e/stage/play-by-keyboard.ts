/**
 * Withdrawals played from outside: codes typed as a scanner types them, one key for going on, and the service's own word for
 * what came of it. Installed programs take no debugger, so this is how they are tried.
 */
import { setTimeout as delay } from "node:timers/promises";
import { connectDemoBank } from "./bank-client.ts";
import { managerPin } from "./set-up.ts";

/** A keyboard in front of the terminal's window. */
export interface Keyboard {
  /** Types quickly, then Enter. */
  scan(text: string): Promise<void>;
  /** Types as a person does, too slowly for a scanner. */
  type(text: string): Promise<void>;
  press(key: "Tab" | "Enter" | "F8"): Promise<void>;
  /** The key that goes on, on every screen. */
  pressMain(): Promise<void>;
}

/** The bank's side of a withdrawal. */
export interface PlayedBank {
  /** Asks for one; resolves with what its barcode says. */
  request(): Promise<string>;
  /** The service's word for where it is. */
  status(id: string): Promise<string>;
  /** The customer's word. A bank that gives it by itself does nothing. */
  approve(id: string): Promise<void>;
  timesPaid(id: string): Promise<number>;
}

const betweenKeysMs = 700;
/** Longest time that a terminal takes to connect on a machine that does much else. */
const connectingMs = 60_000;
/** Bounds what hangs: each try takes as long as connecting may. */
const stepMs = 4 * connectingMs;

/** Repeats `act` until `is` holds. @throws Error with `failed` when it does not in time. */
const until = async (is: () => Promise<boolean>, act: (turn: number) => Promise<void>, failed: () => string) => {
  const endsAt = performance.now() + stepMs;
  for (let turn = 0; !(await is()); turn += 1) {
    if (performance.now() > endsAt) throw new Error(failed());
    await act(turn);
    await delay(betweenKeysMs);
  }
};

/**
 * Resolves with the transaction's id when the service has the withdrawal linked and paid once.
 * @throws Error that names the status at which it stopped.
 */
export const playWithdrawal = async (bank: PlayedBank, keyboard: Keyboard): Promise<string> => {
  const id = await bank.request();
  let status = "";
  const reach = (wanted: readonly string[], act: (turn: number) => Promise<void>): Promise<void> => {
    const isThere = async (): Promise<boolean> => {
      status = await bank.status(id);
      return wanted.includes(status);
    };
    return until(isThere, act, () => `the withdrawal stays ${status} and does not get ${wanted[0]}`);
  };
  // A window that is just opening may lose the first keys.
  await reach(["awaiting_sca", "settling", "settled"], (turn) =>
    turn % 3 === 0 ? keyboard.scan(id) : keyboard.pressMain(),
  );
  await bank.approve(id);
  await reach(["settled"], async () => {});
  await reach(["linked"], () => keyboard.pressMain());
  const paid = await bank.timesPaid(id);
  if (paid !== 1) throw new Error(`the bank paid ${paid} times`);
  return id;
};

/** The bank of a terminal in training. */
export const trainingBank = async (serviceUrl: string): Promise<PlayedBank> => {
  const bank = await connectDemoBank(serviceUrl);
  return {
    request: async () => (await bank.request("50.00")).transaction_id,
    status: async (id) => (await bank.read(id)).status,
    async approve(id) {
      if ((await bank.decideSca(id, "approved")) !== 201) throw new Error("the approval was refused");
    },
    timesPaid: async (id) => (await bank.payments()).filter(({ reference }) => reference === id).length,
  };
};

/**
 * Sets a new terminal up: scans the provider's QR code on the first screen, and gives the first manager a PIN, after which it
 * connects by itself. What follows the connection is left for later. @param isEnrolled whether the terminal has its access key.
 */
export const enrolByKeyboard = async (link: string, keyboard: Keyboard, isEnrolled: () => boolean): Promise<void> => {
  await until(
    async () => isEnrolled(),
    async () => {
      await keyboard.scan(link);
      await delay(betweenKeysMs);
      await keyboard.type("Ida");
      for (const text of [managerPin, managerPin]) {
        await keyboard.press("Tab");
        await keyboard.type(text);
      }
      await keyboard.press("Enter");
      // Typed twice, the name would be the first cashier's: the next screen asks for one.
      for (let waited = 0; waited < connectingMs && !isEnrolled(); waited += betweenKeysMs) await delay(betweenKeysMs);
    },
    () => "the terminal does not get enrolled",
  );
  await delay(3 * betweenKeysMs);
  await keyboard.press("F8");
};
