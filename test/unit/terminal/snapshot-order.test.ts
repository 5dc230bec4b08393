/** Snapshots come in order: one that a listener causes reaches nobody before the one that it was caused by. */
import { expect, test } from "vitest";
import type { Snapshot } from "../../../preload/contract.ts";
import { createRig, idNumber } from "./rig.ts";

test("what a listener shows in turn comes after what it was told, for everybody", async () => {
  const till = await createRig();
  let isLocked = false;
  till.terminal.subscribe(({ screen, people }) => {
    if (screen.kind !== "review" || isLocked) return;
    isLocked = true;
    till.terminal.show({ people: { ...people, locked: true } });
  });
  const seen: Snapshot[] = [];
  till.terminal.subscribe((snapshot) => seen.push(snapshot));
  const before = seen.length;
  till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  const revisions = seen.map(({ revision }) => revision);
  expect(revisions).toEqual([...new Set(revisions)].sort((one, other) => one - other));
  for (const told of [seen.slice(before), till.snapshots.slice(-3)])
    expect(told.map(({ screen, people }) => [screen.kind, people.locked])).toEqual([
      ["looking_up", false],
      ["review", false],
      ["review", true],
    ]);
});
