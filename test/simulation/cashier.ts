/** A cashier: does what the screen says, at a person's pace and with a person's slips, and gives cash when told to. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { Amount, Command, Screen } from "../../preload/contract.ts";
import { createChance, seedOf } from "../random.ts";
import type { Customer } from "./customer.ts";
import { createDrawerDay } from "./drawer-day.ts";
import type { Scheduler } from "./scheduler.ts";
import type { TillMachine } from "./till.ts";

/** One person at one till. */
export interface Cashier {
  arrive(customer: Customer): void;
  leave(customer: Customer): void;
  /** The screen changed. */
  screenChanged(screen: Screen): void;
  /** The drawer moved. */
  drawerOpened(): void;
}

/** The till and what is heard of the cashier. */
export interface CashierOptions {
  readonly seed: number;
  readonly scheduler: Pick<Scheduler, "after">;
  readonly till: Pick<TillMachine, "index" | "snapshot" | "powered" | "dispatch" | "unplug">;
  /** The shop's. */
  readonly currency: string;
  readonly onCash: (transactionId: string, money: Amount) => void;
  readonly onTrace: (text: string) => void;
  /** What is in the drawer, in minor units. */
  readonly cashMinor: () => number;
  /** Whether the till may rightly have forgotten what it did, as one whose folder was put back from a copy. */
  readonly tillMayForget: boolean;
  /** Takes whoever the till knows for present: a person at a copy of the till, whom no customer of this story comes to. */
  readonly takesOnTrust?: boolean;
}

const thinkMs = { min: 400, max: 3_000 } as const;
const lookAgainMs = 5_000;
const awayMs = { min: 20_000, max: 180_000 } as const;
const unpluggedMs = { min: 10_000, max: 90_000 } as const;
const retriesMax = 2;
/** Screens on which no drawer is about to open for a press of before. */
const servesNext: ReadonlySet<Screen["kind"]> = new Set(["ready", "looking_up", "review", "ended"]);

/** Half of those who will declare that nothing was handed out see it only once the drawer is open. */
const opensBeforeDeclaring = (transactionId: string): boolean => transactionId.charCodeAt(5) % 2 === 0;

/** Draws pace and slips from the seed and the till's index. */
export const createCashier = (options: CashierOptions): Cashier => {
  const { scheduler, till } = options;
  const chance = createChance(seedOf(options.seed, "cashier", till.index));
  const drawerDay = createDrawerDay(till, options.cashMinor, options.currency);
  const queue: Customer[] = [];
  const known = new Map<string, Customer>();
  /** Told by the till to give this cash; not yet given. */
  let owed: { readonly transactionId: string; readonly money: Amount } | null = null;
  /** Withdrawals of which this cashier has just given the cash, as a person remembers. */
  const given = new Set<string>();
  const tries = new Map<string, number>();
  let lastStep = "";
  /** A second person, or a second window, presses whatever the first one does. */
  let isTwice = false;
  let planned: { readonly step: string; readonly cancel: () => void } | null = null;

  const give = (): void => {
    if (!owed) return;
    given.add(owed.transactionId);
    options.onCash(owed.transactionId, owed.money);
    owed = null;
  };

  const press = async (command: Command): Promise<boolean> => {
    const pressed = till.dispatch(command);
    if (isTwice) void till.dispatch(command);
    const reply = await pressed;
    options.onTrace(`presses ${command.type}: ${reply === null ? "the till is dead" : reply.ok ? "ok" : reply.code}`);
    return reply?.ok === true;
  };

  const act = async (screen: Screen): Promise<void> => {
    const { step } = screen;
    const id = "transactionId" in screen ? screen.transactionId : null;
    const customer = id === null ? undefined : known.get(id);
    const way = customer?.planned.cashier ?? "plain";
    isTwice = way === "two_at_once";
    const present = customer?.present ?? options.takesOnTrust === true;
    switch (screen.kind) {
      case "starting":
      case "blocked":
      case "setup":
      case "looking_up":
      case "confirming":
      case "closing":
      case "done":
        return;
      case "ready": {
        const printing = till.snapshot?.header.printing ?? null;
        if (printing !== null && !printing.isRetried) {
          await press({ type: chance.happens(0.8) ? "retry_print" : "drop_prints" });
          return;
        }
        if (await drawerDay.attend(till.snapshot?.header.day ?? null, queue.length === 0)) return;
        const next = queue.shift();
        if (next) await press({ type: "scan", text: next.transactionId, source: "keyboard" });
        else await resumeOpen();
        return;
      }
      case "review":
        if (way === "rejects" || !present) await press({ type: "reject", step });
        else if (way === "confirms_twice") await Promise.all([confirm(step), confirm(step)]);
        else if (way === "mashes") await mash(step);
        else await confirm(step);
        return;
      case "waiting":
        if (way === "rejects" && chance.happens(0.3)) await press({ type: "reject", step });
        if (way === "mashes") await mash(step);
        if (way === "unplugs" && firstTime(step)) till.unplug(chance.between(unpluggedMs.min, unpluggedMs.max));
        if (way === "serves_next" && screen.phase === "payment") await press({ type: "dismiss", step });
        return;
      case "payable":
        if ((way === "walks_away" || (options.takesOnTrust && chance.happens(0.5))) && firstTime(step)) {
          again(screen, chance.between(awayMs.min, awayMs.max));
          return;
        }
        if (way === "two_at_once" && !isDrawerless() && firstTime(step) && !given.has(screen.transactionId)) {
          await contradict(screen);
          return;
        }
        // What was given by hand, since the drawer would not open, is said to be given also by whoever meant to declare.
        if (way === "declares" && !opensBeforeDeclaring(screen.transactionId) && !given.has(screen.transactionId))
          await declare(step, "till_short");
        else if (present || given.has(screen.transactionId)) await handOut(screen);
        else await declare(step, "customer_left");
        return;
      case "opening":
        await helpDrawer(screen);
        return;
      case "counting":
        await count(screen, way);
        return;
      case "ended":
        if (screen.canRetry && countTry(screen.transactionId ?? "none") <= retriesMax)
          await press({ type: "retry", step });
        else await press({ type: "dismiss", step });
        return;
      case "unknown":
        if (way === "serves_next" || queue.length > 0) await press({ type: "dismiss", step });
        else await press({ type: "retry", step });
        return;
      default:
        assertNever(screen);
    }
  };

  const confirm = (step: string): Promise<boolean> => press({ type: "confirm", step });

  /** Whose drawer the till does not open gives the cash, and then says so. */
  const isDrawerless = (): boolean => till.snapshot?.settings.drawer.kind === "none";

  const handOut = async ({ step, transactionId, money, handOutBegun }: Screen & { kind: "payable" }): Promise<void> => {
    // A till that was cut off in the middle says so, and the person knows whether the cash has changed hands.
    const alreadyGiven = handOutBegun && given.has(transactionId);
    // A till that has rightly forgotten it all cannot make a person give it twice; any other one shows what it would do.
    const isByHand = isDrawerless();
    const isRemembered = alreadyGiven || ((options.tillMayForget || isByHand) && given.has(transactionId));
    owed = isRemembered ? null : { transactionId, money };
    if (isByHand) give();
    if (!(await press({ type: "hand_out", step, ...(alreadyGiven && { alreadyGiven }) })) && till.powered) owed = null;
  };

  /** Whoever says so gives it to nobody any more, also when the drawer opens for the next customer. */
  const declare = async (step: string, reason: "till_short" | "customer_left"): Promise<void> => {
    owed = null;
    await press({ type: "not_handed_out", step, reason });
  };

  /** One person presses that the cash goes out, and another one that it does not: whichever comes first counts, and it alone. */
  const contradict = async (screen: Screen & { kind: "payable" }): Promise<void> => {
    isTwice = false;
    const { step, transactionId, money } = screen;
    const declares = () => press({ type: "not_handed_out", step, reason: "customer_left" });
    const isFirst = chance.happens(0.5);
    owed = { transactionId, money };
    const declared = isFirst ? declares() : null;
    const opens = press({ type: "hand_out", step });
    const [isOpened] = await Promise.all([opens, declared ?? declares()]);
    if (!isOpened && till.powered) owed = null;
  };

  const helpDrawer = async (screen: Screen & { kind: "opening" }): Promise<void> => {
    if (screen.drawer === "opening" || screen.drawer === "checking") return;
    if (!given.has(screen.transactionId)) {
      owed = { transactionId: screen.transactionId, money: screen.money };
      if (countTry(`drawer ${screen.transactionId}`) <= retriesMax) {
        await press({ type: "open_drawer", step: screen.step });
        return;
      }
      give();
    }
    await press({ type: "hand_out", step: screen.step });
  };

  /** The drawer is open: what is missing shows only now; else the cash goes over the counter, and then the terminal is told. */
  const count = async ({ step, transactionId, money }: Screen & { kind: "counting" }, way: string): Promise<void> => {
    const isPresent = known.get(transactionId)?.present ?? options.takesOnTrust === true;
    // A drawer that opened by itself may have opened for somebody who is gone.
    if ((way === "declares" || !isPresent) && !given.has(transactionId)) {
      await declare(step, isPresent ? "till_short" : "customer_left");
      return;
    }
    // The screen says whose cash it is, also to a person whose own press got no answer.
    if (!given.has(transactionId)) owed = { transactionId, money };
    give();
    await press({ type: "hand_out", step });
  };

  /** Presses that were meant for another screen, and things nobody should press now. */
  const mash = async (step: string): Promise<void> => {
    const other = `${step}-gone`;
    const commands: [Command, ...Command[]] = [
      { type: "confirm", step: other },
      { type: "hand_out", step },
      { type: "dismiss", step },
      { type: "scan", text: "garbage", source: "keyboard" },
      { type: "open_drawer", step },
      { type: "retry", step: other },
    ];
    await Promise.all([press(chance.pick(commands)), press(chance.pick(commands)), confirm(step)]);
  };

  const resumeOpen = async (): Promise<void> => {
    const waiting = till.snapshot?.header.open.find((open) => open.state === "payable");
    if (waiting) await press({ type: "resume", withdrawalId: waiting.withdrawalId });
  };

  const seenSteps = new Set<string>();
  const firstTime = (step: string): boolean => {
    if (seenSteps.has(step)) return false;
    seenSteps.add(step);
    return true;
  };
  const countTry = (what: string): number => {
    const count = (tries.get(what) ?? 0) + 1;
    tries.set(what, count);
    return count;
  };

  const again = (screen: Screen, delayMs: number): void => {
    planned?.cancel();
    const cancel = scheduler.after(delayMs, () => {
      planned = null;
      const now = till.snapshot?.screen;
      if (!now) return;
      void act(now).then(() => {
        if (!planned && till.snapshot?.screen) again(till.snapshot.screen, lookAgainMs);
      });
    });
    planned = { step: screen.step, cancel };
  };

  return {
    arrive: (customer) => {
      known.set(customer.transactionId, customer);
      queue.push(customer);
      if (till.snapshot?.screen.kind === "ready") again(till.snapshot.screen, chance.between(thinkMs.min, thinkMs.max));
    },
    leave: (customer) => {
      const index = queue.indexOf(customer);
      if (index >= 0) queue.splice(index, 1);
    },
    screenChanged: (screen) => {
      if (screen.step !== lastStep)
        options.onTrace(`shows ${screen.kind}${"outcome" in screen ? ` ${screen.outcome}` : ""}`);
      lastStep = screen.step;
      if (screen.kind === "done") give();
      // The press has come to nothing: whoever is served next gets their own cash.
      else if (servesNext.has(screen.kind)) owed = null;
      if (planned?.step !== screen.step) again(screen, chance.between(thinkMs.min, thinkMs.max));
    },
    drawerOpened: () => {
      if (owed && known.get(owed.transactionId)?.planned.cashier !== "declares") give();
    },
  };
};
