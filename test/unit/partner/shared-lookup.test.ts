import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { createSharedLookup } from "../../../backend/partner/send.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("calls to one host wait for one look-up; another host and the next time have their own", async () => {
  const lookups: { host: string; answer: PromiseWithResolvers<LookupAddress[]> }[] = [];
  const lookup = createSharedLookup((host) => {
    const answer = Promise.withResolvers<LookupAddress[]>();
    lookups.push({ host, answer });
    return answer.promise;
  });
  const results: string[] = [];
  const call = (host: string, name: string) =>
    lookup(
      host,
      { all: true },
      (error, address) => void results.push(`${name}: ${error?.message ?? JSON.stringify(address)}`),
    );

  for (const name of ["a", "b", "c"]) call("silent.example", name);
  call("other.example", "d");
  await settled();
  expect(lookups.map(({ host }) => host)).toEqual(["silent.example", "other.example"]);
  lookups[1]?.answer.resolve([]);
  await settled();
  expect(results).toEqual(["d: []"]);
  lookups[0]?.answer.reject(new Error("no such host"));
  await settled();
  expect(results.slice(1)).toEqual(["a: no such host", "b: no such host", "c: no such host"]);
  call("silent.example", "e");
  await settled();
  expect(lookups).toHaveLength(3);
});

test("one address and a list come back as they were asked for", async () => {
  const lookup = createSharedLookup();
  const found = await Promise.all(
    [true, false].map(
      (all) =>
        new Promise((resolve) => lookup("127.0.0.1", { all }, (...answer) => resolve(answer.slice(1).filter(Boolean)))),
    ),
  );
  expect(found).toEqual([[[{ address: "127.0.0.1", family: 4 }]], ["127.0.0.1", 4]]);
});
