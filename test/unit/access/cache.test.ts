/** What a process has read counts until something has changed: how long, what makes it look again, and what is never kept. */
import { beforeEach, expect, test } from "vitest";
import { createCache } from "../../../backend/access/credentials.ts";
import type { Store, Tx } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

/** As the guides promise: a change counts within a second, one that was made by hand within ten minutes. */
const [changeSeenMs, maxAgeMs] = [1_000, 600_000];
let clock: VirtualClock;
let version: string | null;
let isDown: boolean;
let looks: number;
let reads: string[];
let values: Map<string, string>;
/** What happens while a value is read. */
let meanwhile: () => void;
let cached: (key: string) => Promise<string | undefined>;
beforeEach(() => {
  clock = new VirtualClock();
  [version, isDown, looks, reads] = ["1", false, 0, []];
  meanwhile = () => {};
  values = new Map([
    ["a", "a1"],
    ["b", "b1"],
    ["c", "c1"],
  ]);
  const isShort: (boolean | undefined)[] = [];
  const store = {
    read<T>(unit: (tx: Tx) => Promise<T>, short?: boolean) {
      isShort.push(short);
      // Both read single rows by their key, for which PostgreSQL needs no round trip of its own.
      expect(isShort.every((each) => each === true)).toBe(true);
      return unit({} as Tx);
    },
  } as unknown as Store;
  const get = createCache<{ readonly text: string }>(
    { store, clock },
    async () => {
      looks += 1;
      if (isDown) throw new Error("the database is away");
      return version;
    },
    2,
  );
  cached = async (key) =>
    (
      await get(key, async () => {
        reads.push(key);
        const text = values.get(key);
        meanwhile();
        return text === undefined ? undefined : { text };
      })
    )?.text;
});
const change = (key: string, text: string, next: string | null = String(Number(version) + 1)) => {
  values.set(key, text);
  version = next;
};

test("within a second nothing is asked, at its end whether anything has changed, for all keys at once", async () => {
  for (const key of ["a", "b", "a", "b"]) await cached(key);
  expect([looks, reads]).toEqual([1, ["a", "b"]]);
  clock.jump(changeSeenMs - 1);
  for (const key of ["a", "b"]) await cached(key);
  expect([looks, reads]).toEqual([1, ["a", "b"]]);
  clock.jump(1);
  for (const key of ["a", "b"]) await cached(key);
  expect([looks, reads]).toEqual([2, ["a", "b"]]);
});

test("a change is seen at the end of the second, by each key", async () => {
  for (const key of ["a", "b"]) await cached(key);
  change("a", "a2");
  clock.jump(changeSeenMs - 1);
  expect(await cached("a")).toBe("a1");
  clock.jump(1);
  expect([await cached("a"), await cached("b")]).toEqual(["a2", "b1"]);
  expect(reads).toEqual(["a", "b", "a", "b"]);
});

test("without a version each second is read again", async () => {
  version = null;
  for (const key of ["a", "a"]) await cached(key);
  expect(reads).toEqual(["a"]);
  clock.jump(changeSeenMs);
  change("a", "a2", null);
  expect(await cached("a")).toBe("a2");
});

test("without a change it counts for ten minutes, as long as nobody changes the database by hand", async () => {
  await cached("a");
  values.set("a", "by hand");
  clock.jump(maxAgeMs - 1);
  expect(await cached("a")).toBe("a1");
  clock.jump(1);
  expect(await cached("a")).toBe("by hand");
});

test("what changes between the look and the reading is read again after a second", async () => {
  const get = cached("a");
  version = "2";
  await get;
  values.set("a", "a3");
  clock.jump(changeSeenMs);
  expect(await cached("a")).toBe("a3");
});

test("what took a second to read counts from before it was read: a change meanwhile is seen by the next caller", async () => {
  meanwhile = () => {
    meanwhile = () => {};
    clock.jump(changeSeenMs);
    change("a", "a2");
  };
  expect(await cached("a")).toBe("a1");
  expect(await cached("a")).toBe("a2");
});

test("a clock that was set back makes neither an entry nor a look count for longer", async () => {
  await cached("a");
  change("a", "a2");
  clock.jump(-1);
  expect(await cached("a")).toBe("a2");
  expect(looks).toBe(2);
  values.set("a", "a3");
  clock.jump(-maxAgeMs);
  expect(await cached("a")).toBe("a3");
});

test("what is not there is not kept, and what is gone is forgotten", async () => {
  values.delete("a");
  expect(await cached("a")).toBeUndefined();
  values.set("a", "a1");
  expect(await cached("a")).toBe("a1");
  values.delete("a");
  version = "2";
  clock.jump(changeSeenMs);
  expect(await cached("a")).toBeUndefined();
  values.set("a", "a2");
  expect(await cached("a")).toBe("a2");
});

test("what is gone stays so where the clock was set back to when it was there", async () => {
  await cached("a");
  values.delete("a");
  version = "2";
  clock.jump(changeSeenMs);
  expect(await cached("a")).toBeUndefined();
  clock.jump(1 - changeSeenMs);
  expect(await cached("a")).toBeUndefined();
});

test("a look that fails is made again by the next caller, and two at once share one", async () => {
  isDown = true;
  const both = [cached("a"), cached("b")];
  for (const each of both) await expect(each).rejects.toThrow("away");
  expect(looks).toBe(1);
  isDown = false;
  expect(await cached("a")).toBe("a1");
  expect(looks).toBe(2);
});

test("a look that fails late takes the newer one nothing away", async () => {
  let fail = (_: Error): void => {};
  const slow = new Promise<string>((_, reject) => {
    fail = reject;
  });
  const answers = [slow, Promise.resolve("2")];
  const get = createCache<{ readonly text: string }>(
    { store: { read: <T>(unit: (tx: Tx) => Promise<T>) => unit({} as Tx) } as unknown as Store, clock },
    () => {
      looks += 1;
      return answers.shift() ?? Promise.resolve("2");
    },
    2,
  );
  const first = get("a", async () => ({ text: "a1" }));
  clock.jump(changeSeenMs);
  await get("b", async () => ({ text: "b1" }));
  fail(new Error("away"));
  await expect(first).rejects.toThrow("away");
  await get("c", async () => ({ text: "c1" }));
  expect(looks).toBe(2);
});

test("of more than it may hold the least recently used goes", async () => {
  for (const key of ["a", "b", "a", "c"]) await cached(key);
  reads.length = 0;
  for (const key of ["a", "c", "b"]) await cached(key);
  expect(reads).toEqual(["b"]);
});
