import type { LookupAddress } from "node:dns";
import { expect, test } from "vitest";
import { createSharedLookup } from "../../../backend/partner/shared-lookup.ts";

test("calls to one host wait for one look-up; another host and the next time have their own", () => {
  const asked: { host: string; tell: (error: Error | null, address: LookupAddress[]) => void }[] = [];
  const lookup = createSharedLookup((host, _options, tell) => void asked.push({ host, tell }));
  const told: string[] = [];
  const call = (host: string, name: string) =>
    lookup(
      host,
      { all: true },
      (error, address) => void told.push(`${name}: ${error?.message ?? JSON.stringify(address)}`),
    );

  for (const name of ["a", "b", "c"]) call("silent.example", name);
  call("other.example", "d");
  expect(asked.map(({ host }) => host)).toEqual(["silent.example", "other.example"]);
  asked[1]?.tell(null, []);
  expect(told).toEqual(["d: []"]);
  asked[0]?.tell(new Error("no such host"), []);
  expect(told.slice(1)).toEqual(["a: no such host", "b: no such host", "c: no such host"]);
  call("silent.example", "e");
  expect(asked).toHaveLength(3);
});
