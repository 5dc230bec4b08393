/** The key for access tokens that nobody set: one for all processes on a PostgreSQL database, whoever starts first. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadOrCreateTokenSecret } from "../../backend/access/secrets.ts";
import { systemRandom } from "../../backend/adapters.ts";
import { createPlace, type Place } from "./stores.ts";

const processes = 6;

let place: Place;
beforeAll(async () => {
  place = await createPlace("postgres", { isBlank: true });
});
afterAll(() => place.dispose());

/** What each of some processes that start at the same moment, on an empty database or not, goes on with. */
const startTogether = () =>
  Promise.all(
    Array.from({ length: processes }, async () =>
      loadOrCreateTokenSecret(
        await place.open(),
        { kind: "postgres", hosts: [place.url], writableOnly: false },
        systemRandom,
      ),
    ),
  );

test("processes that start together share one secret, and later ones find it", async () => {
  const [first, ...others] = await startTogether();
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(new Set(others)).toEqual(new Set([first]));
  expect(new Set(await startTogether())).toEqual(new Set([first]));
});

test("another database has another secret", async () => {
  const other = await createPlace("postgres");
  try {
    const own = await loadOrCreateTokenSecret(
      await place.open(),
      { kind: "postgres", hosts: [place.url], writableOnly: false },
      systemRandom,
    );
    const theirs = await loadOrCreateTokenSecret(
      await other.open(),
      { kind: "postgres", hosts: [place.url], writableOnly: false },
      systemRandom,
    );
    expect(theirs).not.toBe(own);
  } finally {
    await other.dispose();
  }
});
