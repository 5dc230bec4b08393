/** A journal that does not say whose it is: what its entries prove, and what of it is never sent. */
import { describe, expect, test } from "vitest";
import { leaveOthers, type Names, originOf, provesBook } from "../../../main/terminal/journal-start.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { type Facts, factsOf, type Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { begun, confirming, device, given } from "./flow-stage.ts";

const names = (shop: string, terminalReference = "till-1.tag.W1"): Names => ({ shop, terminalReference });

test("the shops and terminals that the entries name, each once", () => {
  const entries = [
    names("demo-shop"),
    names("", "till-2.tag.W2"),
    names("demo-shop", "till-2.other.W3"),
    names("", ""),
  ];
  expect(originOf(entries)).toEqual({ shops: ["demo-shop"], terminals: ["till-1", "till-2", ""] });
});

test.each<[string, readonly Names[], boolean]>([
  ["no entries prove nothing against it", [], true],
  ["the shop by its id", [names("demo-shop"), names("demo-shop", "till-1.other.W2")], true],
  ["no shop", [names("")], true],
  ["what a person calls a shop", [names("Corner shop")], false],
  ["another terminal's id", [names("demo-shop"), names("demo-shop", "till-2.tag.W2")], false],
  ["no partner id", [names("demo-shop", "")], false],
])("whether a journal is proven to be this device's: %s", (_, entries, isProven) => {
  expect(provesBook(entries, device)).toBe(isProven);
});

describe("what another shop or terminal began is left to the books", () => {
  const open = (...ones: readonly (readonly [readonly Event[], Names])[]) =>
    new Map(
      ones.map(([events, each], index): [string, Withdrawal] => {
        const [one] = given(...events).open.values();
        if (one === undefined) throw new Error("no withdrawal");
        const withdrawalId = `W${index}`;
        return [withdrawalId, { ...one, ...each, withdrawalId }];
      }),
    );
  const left = (of: Facts | undefined) => ({
    type: "decided",
    withdrawal: of === undefined ? of : factsOf(of),
    decision: "leave_to_books",
    actor: "terminal",
    note: "another shop's or terminal's",
  });
  const ours = names("demo-shop");
  const ourCalled = names("Corner shop");
  const otherCalled = names("Station shop");
  const otherTill = names("demo-shop", "till-2.tag.W9");

  test.each<[string, readonly Names[], readonly Names[], readonly number[]]>([
    ["all is ours", [ours, names("")], [ours], []],
    ["another terminal's", [ours, otherTill], [ours, otherTill], [1]],
    ["one name besides the id is the shop's own", [ours, ourCalled], [ourCalled, ourCalled], []],
    ["beside the id and none at all, too", [ours, ourCalled], [ours, names(""), ourCalled], []],
    ["of two names nobody knows which", [ours, ourCalled, otherCalled], [ourCalled, otherCalled], [1, 2]],
    ["a second name that only a closed withdrawal bore", [ourCalled], [ourCalled, otherCalled], [0]],
    ["another terminal's under the shop's one name", [names("Corner shop", "till-2.tag.W9")], [ourCalled], [0]],
  ])("%s", (_, opened, all, indexes) => {
    const state = { open: open(...opened.map((each) => [confirming, each] as const)) };
    expect(leaveOthers(state, all, device)).toEqual(indexes.map((index) => left(state.open.get(`W${index}`))));
  });

  test("what was only looked at bound nobody", () => {
    expect(leaveOthers({ open: open([begun, otherTill]) }, [otherTill], device)).toEqual([]);
  });
});
