/** A service for the tests of a file, on either store: when it is made anew, and what is stopped and removed behind it. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Dialect, Store } from "../../backend/store/store.ts";
import { createDatabaseWork } from "./database-work.ts";
import { createPlace, type Place } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { clear, createWorld, type World, type WorldParts } from "./world.ts";

/** What a test finds. */
export interface Stage {
  readonly place: Place;
  readonly store: Store;
  /** Drives nothing where the service is `inRealTime`. */
  readonly clock: VirtualClock;
  /** Waits for what `store` was asked for. */
  readonly idle: () => Promise<void>;
  readonly world: World;
}

/** How the service is made. */
interface StageParts extends Pick<WorldParts, "options"> {
  /** On the machine's clock. Default: on a virtual one. */
  readonly inRealTime?: boolean;
  /** When the virtual clock begins, epoch milliseconds. Default: as `VirtualClock` does. */
  readonly beginsAt?: number;
}

type Set = (stage: Stage) => void;

const openPlace = async (dialect: Dialect, { inRealTime = false, beginsAt, options }: StageParts) => {
  const place = await createPlace(dialect);
  const clock = new VirtualClock(beginsAt);
  const used = inRealTime ? {} : { clock };
  const { counted, idle } = createDatabaseWork(dialect);
  const store = counted(await place.open(used.clock));
  const newWorld = () => createWorld(store, { ...used, ...(options && { options }) });
  return { place, store, clock, idle, newWorld };
};

const openStage = async (dialect: Dialect, parts: StageParts): Promise<Stage> => {
  const { newWorld, ...opened } = await openPlace(dialect, parts);
  return { ...opened, world: await newWorld() };
};

const closeStage = async ({ world, place }: Stage): Promise<void> => {
  await world.service.stop();
  await place.dispose();
};

/** One service for all tests. */
export function oneWorld(dialect: Dialect, parts: StageParts, set: Set): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage(dialect, parts);
    set(stage);
  });
  afterAll(() => closeStage(stage));
}

/** A database and a service for each test. */
export function worldPerTest(dialect: Dialect, parts: StageParts, set: Set): void {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(dialect, parts);
    set(stage);
  });
  afterEach(() => closeStage(stage));
}

/** One database for all tests, emptied before each, and a service for each. */
export function clearedWorldPerTest(dialect: Dialect, parts: StageParts, set: Set): void {
  let opened: Awaited<ReturnType<typeof openPlace>>;
  let world: World;
  beforeAll(async () => {
    opened = await openPlace(dialect, parts);
  });
  beforeEach(async () => {
    await clear(opened.store);
    world = await opened.newWorld();
    set({ ...opened, world });
  });
  afterEach(() => world.service.stop());
  afterAll(() => opened.place.dispose());
}

/** A database for each test, without a service. */
export function storePerTest(dialect: Dialect, set: (stage: Pick<Stage, "place" | "store">) => void): void {
  let place: Place;
  beforeEach(async () => {
    place = await createPlace(dialect);
    set({ place, store: await place.open() });
  });
  afterEach(() => place.dispose());
}
