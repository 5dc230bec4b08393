/** What a manager has cleared up: in the history and its filter. */
import { expect, test } from "vitest";
import type { HistoryLine } from "../../../preload/contract.ts";
import { ask, by, list, serve } from "./history-stage.ts";
import { createRig, idNumber } from "./rig.ts";
import { http } from "./stories/at-stage.ts";

test("what a manager cleared up is found as that, with the note", async () => {
  const till = await createRig({ settings: { drawer: { kind: "none" } } });
  till.service.fault = ({ path: asked }) =>
    asked.endsWith("/link") ? http(409, { code: "transaction_conflict", transaction: { status: "canceled" } }) : null;
  await serve(till, 1, "C2", "cash");
  expect(await list(till, { result: "to_clear" })).toEqual([idNumber(1)]);
  const [line] = await ask<HistoryLine[]>(till, { type: "list_history", before: null, limit: 1 });
  const withdrawalId = line?.withdrawalId ?? "";
  const note = "Support booked it by hand";
  await till.terminal.dispatch({ type: "acknowledge_problem", withdrawalId, note } as never, by("M1"));
  expect(await list(till, { result: "to_clear" })).toEqual([]);
  const [cleared] = await ask<HistoryLine[]>(till, {
    type: "list_history",
    before: null,
    limit: 1,
    filter: { result: "cleared" },
  });
  expect(cleared).toMatchObject({ withdrawalId, result: "cleared", cleared: { by: "M1", note } });
  expect(cleared?.discrepancy).toContain("link_refused");
});
