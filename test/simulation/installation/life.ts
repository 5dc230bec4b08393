/** Plays the planned turns of an installation's life on the machines of a story. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Credential } from "../../../main/terminal/ports.ts";
import { type Screen, type Settings, settingsSchema } from "../../../preload/contract.ts";
import { type Chance, createChance, seedOf } from "../../random.ts";
import { otherShop, shop, tillDevice } from "../boot-service.ts";
import { serviceUrl } from "../carrier.ts";
import type { Cashier } from "../cashier.ts";
import type { Version } from "../folder/program.ts";
import { laxSettings } from "../people.ts";
import type { ServiceMachine } from "../service.ts";
import type { TillMachine } from "../till.ts";
import type { PlannedTurn } from "../turns.ts";
import { createManager, type Manager, type ManagerOptions } from "./manager.ts";
import { createPutBack, type PutBackOptions } from "./put-back.ts";
import type { Sandbox } from "./sandbox.ts";

/** The machines and people that the turns happen to. */
export interface LifeOptions extends PutBackOptions {
  readonly turns: readonly PlannedTurn[];
  readonly tills: readonly TillMachine[];
  readonly cashiers: readonly Cashier[];
  readonly service: ServiceMachine;
  readonly sandbox: Sandbox;
  readonly wasGiven: (transactionId: string) => boolean;
  /** A second machine with all that this till's folder has; null where that cannot be. */
  readonly addTwin: (till: TillMachine) => TillMachine | null;
}

/** Played so far. */
export interface InstallationLife {
  /** When the last turn is over, in virtual milliseconds. */
  readonly endsAtMs: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Every till is who it should be. */
  readonly isSettled: boolean;
}

/** Devices whose keys the service had from the beginning, for tills that become another one. */
const nextDevice = (index: number): string => tillDevice(index + 8);
const hourMs = 3_600_000;
const practicesPerTurn = 3;

/** Plans every turn at its time; nothing happens before the story runs. */
export const playLife = (options: LifeOptions): InstallationLife => {
  const { scheduler, tills, service, sandbox, note, turns } = options;
  const counts: Record<string, number> = {};
  const devices = tills.map((_, index) => tillDevice(index));
  const putBack = createPutBack(options);
  /** Whose journal a newer program has taken over: no other reads it again. */
  const isNewer: boolean[] = [];
  const usual = (index: number): Version => (isNewer[index] ? "newer" : "today");
  let keyNumber = 0;
  let practised = 0;
  const own = (index: number): Omit<Credential, "secret"> => ({
    serviceUrl,
    merchantId: shop,
    deviceId: devices[index] ?? "",
  });

  const renewKey = async (device: Omit<Credential, "secret">): Promise<Credential | null> => {
    const secret = `key number ${keyNumber++}`;
    const isDone = await service.operate(({ renew }) =>
      renew({ kind: "terminal", ownerId: device.merchantId, deviceId: device.deviceId }, secret),
    );
    return isDone ? { ...device, secret } : null;
  };

  const resetCode: ManagerOptions["resetCode"] = async (device): Promise<string | null> => {
    let code: string | null = null;
    await service.operate(async ({ command }) => {
      const [made] = await command("credentials reset-manager", ["terminal", device.merchantId, device.deviceId]);
      code = String((made as { readonly code: string }).code);
    });
    return code;
  };

  const managerOf = (till: TillMachine): Manager =>
    createManager({
      scheduler,
      till,
      renewKey,
      resetCode,
      wasGiven: options.wasGiven,
      onTrace: (text) => note(`till ${till.index} ${text}`),
    });
  const managers = tills.map(managerOf);

  const whenItShows = (till: TillMachine, kind: Screen["kind"], work: () => void, tries = momentTries): void => {
    const shown = till.snapshot?.screen.kind;
    if (shown === kind || shown === "payable" || tries === 0) work();
    else scheduler.after(momentEveryMs, () => whenItShows(till, kind, work, tries - 1));
  };
  const secondMachine = (till: TillMachine, chance: Chance, forMs: number): void => {
    const twin = options.addTwin(till);
    if (twin === null) return;
    note(`till ${twin.index} is a copy of till ${till.index}`);
    // Copied before its first withdrawal was confirmed, its people do not count until the operator says so; and of cash that a service
    // which was put back does not know, somebody has to speak.
    managerOf(twin).attend("cash");
    if (chance.happens(0.3)) till.unplug(forMs);
    if (chance.happens(0.2)) chance.pick([till, twin]).unlink(forMs);
    // Both offer the cash, and the service is away when their cashiers press.
    if (chance.happens(0.3))
      whenItShows(twin, "payable", () => {
        for (const machine of [till, twin]) machine.unlink(chance.between(5_000, forMs));
      });
    scheduler.after(chance.between(0, chance.pick(copyingMs)), twin.boot);
  };

  const peopleLost = (till: TillMachine, chance: Chance, forMs: number): void => {
    till.losePeople(chance.pick(["gone", "damaged", "older"] as const));
    for (let atMs = 0, tries = 0; atMs < forMs; atMs += tryEveryMs, tries++)
      scheduler.after(atMs, () => till.tryWithoutRight(tries === guessAt));
  };

  /** A manager at the till, as soon as it takes a change. */
  const change = async (till: TillMachine, to: (settings: Settings) => Settings): Promise<void> => {
    const settings = till.snapshot?.settings;
    const reply = settings && (await till.dispatch({ type: "change_settings", settings: to(settings) }));
    note(`till ${till.index}: a manager changes settings: ${reply?.ok ? "ok" : reply?.code}`);
    if (!reply?.ok) scheduler.after(changeAgainMs, () => void change(till, to));
  };
  const settingsChanged = async (till: TillMachine, chance: Chance, forMs: number): Promise<void> => {
    const before = till.snapshot?.settings;
    const hasDrawer = chance.happens(0.7);
    const [confirmHandOver, openOnSettled] = [chance.happens(0.5), chance.happens(0.5)];
    await change(till, (settings) => ({
      ...settings,
      confirmHandOver,
      openOnSettled,
      drawer: hasDrawer ? settings.drawer : { ...settings.drawer, kind: "none" },
    }));
    if (before !== undefined)
      scheduler.after(
        forMs / 2,
        () =>
          void change(till, (settings) => {
            const { confirmHandOver, openOnSettled, drawer } = before;
            return { ...settings, confirmHandOver, openOnSettled, drawer };
          }),
      );
  };

  const keyRevoked = (index: number, manager: Manager): void => {
    void service.operate(async ({ command }) => {
      await command("credentials revoke", ["terminal", shop, devices[index] ?? ""]);
    });
    // Whoever had it taken back has a new one typed in, whatever the till shows meanwhile.
    manager.enrolAs(own(index));
  };

  const begin = (till: TillMachine, manager: Manager, { kind, forMs }: PlannedTurn): void => {
    const { index } = till;
    const chance = createChance(seedOf(options.seed, "turn", index, scheduler.now()));
    switch (kind) {
      case "training": {
        till.restart({ training: true });
        const cashier = options.cashiers[index];
        for (let count = 0; cashier && count < practicesPerTurn; count++)
          sandbox.practise(index, 1_000_000 + practised++, cashier.arrive);
        return;
      }
      case "key_lost":
        till.loseKey();
        return;
      case "key_revoked":
        whenItShows(till, chance.pick(moments), () => keyRevoked(index, manager));
        return;
      case "new_device":
        putBack.deviceChanges(index);
        devices[index] = devices[index] === nextDevice(index) ? tillDevice(index) : nextDevice(index);
        manager.enrolAs(own(index));
        return;
      case "other_shop":
        manager.enrolAs({ ...own(index), merchantId: otherShop, deviceId: tillDevice(index) });
        return;
      case "older_program":
        till.restart({ version: "older" });
        return;
      case "newer_program":
        isNewer[index] = true;
        till.restart({ version: "newer" });
        return;
      case "careless_program":
        till.restart({ version: "careless" });
        // What it hands out last, nobody hears of before the one before is back.
        scheduler.after(forMs / 2, () => whenItShows(till, "payable", () => till.unlink(forMs)));
        return;
      case "restored":
        putBack.copy(till);
        return;
      case "disk_full":
        till.fillDisk(forMs);
        return;
      case "disk_fills":
        if (chance.happens(0.25)) till.leaveRoom(chance.between(2, 60) * 1_024);
        else till.fillAtArchive(forMs);
        return;
      case "suspended":
        till.suspend(forMs);
        return;
      case "offline":
        whenItShows(till, chance.pick(moments), () => till.unlink(forMs));
        return;
      case "settings_changed":
        whenItShows(till, chance.pick(moments), () => void settingsChanged(till, chance, forMs));
        return;
      case "other_host":
        till.restart({ host: till.life.host === "desktop" ? "browser" : "desktop" });
        return;
      case "settings_lost":
        till.editSettings(chance.happens(0.5) ? laxSettings : settingsSchema.parse({}));
        return;
      case "people_lost":
        whenItShows(till, chance.pick(moments), () => peopleLost(till, chance, forMs));
        return;
      case "journal_key_lost":
        till.loseJournalKeys();
        return;
      case "second_machine":
        whenItShows(till, chance.pick(moments), () => secondMachine(till, chance, forMs));
        return;
      case "wrong_clock":
        till.jumpClock(chance.pick([-24, -2, -0.75, 0.75, 3, 24]) * hourMs);
        return;
      default:
        assertNever(kind);
    }
  };

  const end = (till: TillMachine, manager: Manager, { kind }: PlannedTurn): void => {
    const { index } = till;
    switch (kind) {
      case "training":
        till.restart({ training: false });
        return;
      case "other_shop":
        manager.enrolAs(own(index));
        return;
      case "older_program":
      case "careless_program":
        till.restart({ version: usual(index) });
        return;
      // The program before is put back; it cannot read the journal, and the newer one returns.
      case "newer_program":
        till.restart({ version: "today" });
        scheduler.after(turnedBackMs, () => till.restart({ version: "newer" }));
        return;
      case "restored":
        putBack.restore(till);
        return;
      case "disk_fills":
        till.giveRoomBack();
        return;
      default:
    }
  };

  for (const manager of managers) manager.attend();
  for (const turn of turns) {
    const till = tills[turn.till];
    const manager = managers[turn.till];
    if (till === undefined || manager === undefined) continue;
    scheduler.at(turn.atMs, () => {
      counts[turn.kind] = (counts[turn.kind] ?? 0) + 1;
      note(`till ${turn.till}: ${turn.kind} begins`);
      begin(till, manager, turn);
    });
    scheduler.at(turn.atMs + turn.forMs, () => {
      note(`till ${turn.till}: ${turn.kind} ends`);
      end(till, manager, turn);
    });
  }
  return {
    endsAtMs: turns.reduce((last, { atMs, forMs }) => Math.max(last, atMs + forMs + turnedBackMs), 0),
    counts,
    get isSettled() {
      return managers.every(({ isSatisfied }) => isSatisfied);
    },
  };
};

/** What the till shows when somebody copies its folder or takes its key back, if it does so soon. */
const moments = ["payable", "payable", "payable", "opening", "counting", "waiting", "review", "ready"] as const;
const momentEveryMs = 150;
/** How often somebody presses what they may not, and when PINs are guessed. */
const tryEveryMs = 1_000;
const guessAt = 20;
const momentTries = 1_200;
const changeAgainMs = 2_000;
/** A virtual machine that was cloned, or a disk that was carried over. */
const copyingMs = [1_000, 60_000] as const;

/** How long a shop tries with the program that cannot read its journal. */
const turnedBackMs = 2 * 60_000;
