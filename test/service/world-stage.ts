/** A service for the tests of a file, on either store: when it is made anew, and what is stopped and removed behind it. */
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import type { Dialect, Store } from "../../backend/store/store.ts";
import { createDatabaseWork } from "./database-work.ts";
import { putBack, rowsOf, tablesOf } from "./rows.ts";
import { createPlace, type Place } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { createWorld, type World, type WorldParts } from "./world.ts";

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
interface StageParts extends WorldParts {
  /** On the machine's clock. Default: on `clock`, or a virtual one. */
  readonly inRealTime?: boolean;
  /** When the virtual clock begins, epoch milliseconds. Default: as `VirtualClock` does. */
  readonly beginsAt?: number;
}

type Set = (stage: Stage) => void;

const openPlace = async (dialect: Dialect, { inRealTime = false, beginsAt, ...parts }: StageParts) => {
  const place = await createPlace(dialect);
  const clock = new VirtualClock(beginsAt);
  const used = inRealTime ? parts : { clock, ...parts };
  const { counted, idle } = createDatabaseWork(dialect);
  const store = counted(await place.open(used.clock));
  const newWorld = () => createWorld(store, used);
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

/** A database and a service for each test: where a test changes more than rows. */
export function databasePerTest(dialect: Dialect, parts: StageParts, set: Set): void {
  let stage: Stage;
  beforeEach(async () => {
    stage = await openStage(dialect, parts);
    set(stage);
  });
  afterEach(() => closeStage(stage));
}

/** One database for all tests, whose rows and time are put back before each, and a service for each. */
export function worldPerTest(dialect: Dialect, parts: StageParts, set: Set): void {
  let opened: Awaited<ReturnType<typeof openAsItIs>>;
  let world: World;
  const openAsItIs = async () => {
    const fresh = await openPlace(dialect, parts);
    const { tables, partitions } = await tablesOf(fresh.store);
    return { ...fresh, begins: fresh.clock.now(), partitions, rows: await rowsOf(fresh.store, tables) };
  };
  beforeAll(async () => {
    opened = await openAsItIs();
  });
  beforeEach(async () => {
    const { store, clock, place, begins, partitions, rows } = opened;
    const left = await tablesOf(store).catch(() => null);
    if (String(left?.partitions) === String(partitions)) {
      clock.putBack(begins);
      await putBack(store, rows);
    } else {
      // The test before has made or dropped some, or closed the store.
      await place.dispose();
      opened = await openAsItIs();
    }
    world = await opened.newWorld();
    set({ ...opened, world });
  });
  afterEach(async () => {
    await world.service.stop();
    await opened.place.closeOthers();
  });
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
