/** A report after a restore that an operator has closed, in the proof of the history. */
import { expect, test } from "vitest";
import { checkAudit } from "../../backend/operate/audit.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { reportsOf } from "../../backend/withdrawals/restored-reports.ts";
import { createPlace } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { createWorld, placeOrder, testKeys, till } from "./world.ts";

test("another hand-out of the withdrawal does not open its closed report again", async () => {
  const place = await createPlace("sqlite");
  const clock = new VirtualClock();
  const { service } = await createWorld(await place.open(clock), { clock, options: { pollMs: 1e9 } });
  const { transaction_id: id, amount, currency } = await placeOrder(service, { sca_required: false });
  await applyRestore(service, { forgotSince: clock.now() - 60_000 });
  clock.jump(1_000);
  const known = { transaction_id_partner: `pos-${id}`, amount, currency };
  // Without a hand-out it is refused, and kept as a line.
  await expect(linkTransaction(service, till, id, null, undefined, null)).rejects.toMatchObject({
    code: "transaction_conflict",
  });
  await linkTransaction(service, till, id, null, known, "h2");
  clock.jump(1_000);
  const reports = async () =>
    (await service.store.read((tx) => tx.all(reportsOf({ id })))).map((each) => each.closed_at);
  expect(await reports()).toEqual([null]);
  const closedAt = clock.now();
  const command = { name: "reports close", words: [id], flags: {}, actor: "operator op" };
  await closeDispute({ ...service, store: auditedStore(service.store, testKeys, clock, command) }, id, "op", "n");
  expect(await reports()).toEqual([closedAt]);
  expect(await checkAudit({ ...service, keys: testKeys })).toMatchObject({ history: "whole" });
  clock.jump(1_000);
  await linkTransaction(service, till, id, null, known, "h1");
  expect(await reports()).toEqual([closedAt]);
  expect(await checkAudit({ ...service, keys: testKeys })).toMatchObject({ history: "whole" });
  await service.stop();
  await place.dispose();
});
