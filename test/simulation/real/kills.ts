/** Kills the till, the service or both with SIGKILL, at moments that fall into every phase of a withdrawal, and starts them again. */
import type { Screen } from "../../../preload/contract.ts";
import type { Chance } from "../../random.ts";
import { type Detour, detourOf, takeDetour } from "./detours.ts";
import { pause } from "./paced-clock.ts";
import type { Shop } from "./shop.ts";

const victims = ["till", "service", "both"] as const;
/** Which processes are killed. */
export type Victim = (typeof victims)[number];

/** One kill, as it went. */
export interface Kill {
  readonly victim: Victim;
  /** What the till showed, and where the service stood with the withdrawal that was in front. */
  readonly phase: string;
  readonly status: string | null;
  /** Until everything that was killed had said that it is there again. */
  readonly backMs: number;
  /** What the till did for a while before it was back. */
  readonly detour: Detour | null;
}

/** Long enough for a withdrawal or two; most kills then wait for the phase they are meant for. */
export const betweenKillsMs = { min: 1_500, max: 6_500 } as const;
/** A phase that does not arrive is not waited for longer. */
const phaseMaxMs = 4_000;
/** Into the phase: at once, while its call is under way, or while people think. */
const lingersMs = [0, 15, 250] as const;
/** What can be waited for on each kind of screen, as `phaseOf` words it; nothing where no withdrawal is under way. */
const phasesOn: Readonly<Record<Screen["kind"], readonly string[]>> = {
  starting: [],
  setup: [],
  blocked: [],
  ready: [],
  looking_up: ["looking_up"],
  review: ["review"],
  confirming: ["confirming"],
  waiting: ["waiting for approval", "waiting for payment"],
  closing: [],
  payable: ["payable"],
  opening: ["opening"],
  counting: ["counting"],
  done: ["done"],
  ended: [],
  unknown: [],
};
const phases = ["any", ...Object.values(phasesOn).flat()] as const;

/** The screen in words; `off` when there is none. */
export const phaseOf = (screen: Screen | undefined): string => {
  if (!screen) return "off";
  return screen.kind === "waiting" ? `waiting for ${screen.phase}` : screen.kind;
};

/** Chooses moments from what the till shows. */
export interface Killer {
  /** Every screen of the till comes past here. */
  shows(screen: Screen): void;
  /** Waits for a moment, kills, starts again. */
  killNext(): Promise<Kill>;
}

/** Draws from `chance` who is killed and in which phase. */
export const createKiller = (options: {
  readonly chance: Chance;
  readonly shop: Shop;
  /** Real milliseconds. */
  readonly betweenMs: { readonly min: number; readonly max: number };
  /** How far the service is with a transaction. */
  readonly statusOf: (transactionId: string) => string | null;
  readonly onTillOff: () => void;
  /** The service was away for so long, by the machine's clock. */
  readonly onServiceBack: (awayMs: number) => void;
}): Killer => {
  const { chance, betweenMs } = options;
  const { till, service } = options.shop;
  let kills = 0;
  let expected: { readonly phase: string; readonly arrive: () => void } | null = null;

  const wait = (phase: string): Promise<void> =>
    new Promise((resolve) => {
      const arrive = (): void => {
        clearTimeout(timer);
        expected = null;
        resolve();
      };
      const timer = setTimeout(arrive, phaseMaxMs);
      expected = { phase, arrive };
    });

  const kill = async (victim: Victim): Promise<void> => {
    const kills: Promise<void>[] = [];
    if (victim !== "service") kills.push(till.kill().then(options.onTillOff));
    if (victim !== "till") kills.push(service.kill());
    await Promise.all(kills);
  };
  const restart = async (victim: Victim, killedAt: number): Promise<void> => {
    const starts: Promise<void>[] = [];
    if (victim !== "till") starts.push(service.start().then(() => options.onServiceBack(performance.now() - killedAt)));
    if (victim !== "service") starts.push(till.start());
    await Promise.all(starts);
  };

  return {
    shows: (screen) => {
      if (expected?.phase === phaseOf(screen)) expected.arrive();
    },
    killNext: async () => {
      await pause(chance.between(betweenMs.min, betweenMs.max));
      const phase = chance.pick(phases);
      if (phase !== "any") {
        await wait(phase);
        const lingerMs = chance.between(0, chance.pick(lingersMs));
        if (lingerMs > 0) await pause(lingerMs);
      }
      const detour = detourOf(kills++, chance);
      const drawn = chance.pick(victims);
      const victim = detour !== null && drawn === "service" ? "both" : drawn;
      const screen = till.snapshot?.screen;
      const killedAt = performance.now();
      const transactionId = screen && "transactionId" in screen ? screen.transactionId : null;
      await kill(victim);
      const status = transactionId === null ? null : options.statusOf(transactionId);
      if (detour !== null) {
        await takeDetour(detour, options.shop, chance);
        options.onTillOff();
      }
      await restart(victim, killedAt);
      return { victim, phase: phaseOf(screen), status, backMs: performance.now() - killedAt, detour };
    },
  };
};
