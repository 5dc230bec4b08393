/** How long the customer may still approve: the service's deadline less three seconds, by its clock or by its own times alone. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { eventsOf, present } from "./decide-stage.ts";
import { given, moment, paying, transaction, waiting } from "./flow-stage.ts";

const dateMs = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(dateMs + seconds * 1_000).toISOString();
/** Monotonic. */
const inSeconds = (seconds: number) => moment.monotonicMs + seconds * 1_000;
const decided = (events: readonly Event[], fields: object, clock: number | null): readonly Event[] => {
  const state = given(...events);
  const answer = { ...transaction("awaiting_sca", fields), dateMs: clock } as Answer;
  return eventsOf(state, { type: "status_answered", ...present(state), answer, tookMs: 5 }).filter(
    ({ type }) => type === "approval_deadline_known",
  );
};
const known = (seconds: number, ofSeconds: number): Event => ({
  type: "approval_deadline_known",
  withdrawalId: "W1",
  untilMs: inSeconds(seconds),
  totalMs: ofSeconds * 1_000,
});

describe("the customer's time", () => {
  test.each<[string, readonly Event[], object, number | null, readonly Event[]]>([
    ["the whole of it", waiting, { confirmed_at: at(0), sca_expires_at: at(40) }, dateMs, [known(37, 37)]],
    ["half of it", waiting, { confirmed_at: at(-20), sca_expires_at: at(20) }, dateMs, [known(17, 37)]],
    ["over", waiting, { confirmed_at: at(-50), sca_expires_at: at(-10) }, dateMs, [known(0, 37)]],
    ["less than its margin", waiting, { confirmed_at: at(0), sca_expires_at: at(2) }, dateMs, [known(0, 0)]],
    [
      "without a clock: as long as it allows in all",
      waiting,
      { confirmed_at: at(0), sca_expires_at: at(40) },
      null,
      [known(37, 37)],
    ],
    [
      "by a clock that runs behind: no longer than it allows in all",
      waiting,
      { confirmed_at: at(30), sca_expires_at: at(70) },
      dateMs,
      [known(37, 37)],
    ],
    [
      "longer than this terminal's own",
      waiting,
      { confirmed_at: at(0), sca_expires_at: at(90) },
      dateMs,
      [known(87, 87)],
    ],
    ["by the clock alone", waiting, { sca_expires_at: at(20) }, dateMs, [known(17, 17)]],
    [
      "by the clock alone, never longer than from the confirm on",
      waiting,
      { sca_expires_at: at(60) },
      dateMs,
      [known(57, 57)],
    ],
    ["neither clock nor confirm", waiting, { sca_expires_at: at(20) }, null, []],
    ["no deadline", waiting, { confirmed_at: at(0) }, dateMs, []],
    ["when the bank pays already", paying, { confirmed_at: at(0), sca_expires_at: at(40) }, dateMs, []],
    [
      "nearer by a second",
      [...waiting, known(38, 37)],
      { confirmed_at: at(0), sca_expires_at: at(40) },
      dateMs,
      [known(37, 37)],
    ],
    ["nearer by less", [...waiting, known(37.999, 37)], { confirmed_at: at(0), sca_expires_at: at(40) }, dateMs, []],
    ["further away", [...waiting, known(20, 37)], { confirmed_at: at(0), sca_expires_at: at(40) }, dateMs, []],
  ])("%s", (_, events, fields, clock, then) => {
    expect(decided(events, fields, clock)).toEqual(then);
  });
});
