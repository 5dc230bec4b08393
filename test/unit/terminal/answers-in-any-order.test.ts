/** Answers overtake each other and come twice: what the terminal makes of them is the same in whatever order they arrive. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { decide } from "../../../main/terminal/flow.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import type { EffectResult } from "../../../main/terminal/withdrawal/inputs.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import { offersCash } from "../../../main/terminal/withdrawal/withdrawal.ts";
import {
  answer,
  confirming,
  given,
  moment,
  numberOf,
  ours,
  rejectingUnsure,
  shopSaid,
  transaction,
  waiting,
} from "./flow-stage.ts";

/** What the service said one after the other; each course is true by itself. */
const courses = {
  paid: [transaction("awaiting_sca", ours), transaction("settling", ours), transaction("settled", ours)],
  denied: [transaction("awaiting_sca", ours), transaction("canceled", { ...ours, reason: "sca_denied" })],
  declined: [transaction("settling", ours), transaction("failed", { ...ours, reason: "settle_declined" })],
} satisfies Record<string, readonly ServiceAnswer[]>;
const noWord: readonly ServiceAnswer[] = [answer(500), { kind: "silence", why: "timeout" }];

const starts: Readonly<Record<string, readonly Event[]>> = {
  confirming,
  waiting,
  rejecting: [...rejectingUnsure, shopSaid],
};

/** An answer to the present question or to one that was asked long ago. */
interface Arrival {
  readonly answer: ServiceAnswer;
  readonly to: "confirm" | "status";
  readonly isLate: boolean;
}

const inputOf = (state: State, { answer: said, to, isLate }: Arrival): EffectResult => {
  const about = { withdrawalId: "W1", number: isLate ? -1 : numberOf(state), answer: said } as const;
  return to === "confirm" ? { type: "confirm_answered", ...about } : { type: "status_answered", ...about, tookMs: 5 };
};

const take = (state: State, arrival: Arrival): State =>
  decide(state, inputOf(state, arrival), moment, { id: "W2", fraction: 0.5 }).events.reduce(
    (before, event) => evolve(before, event, moment),
    state,
  );

/** Every answer of a course once or more often, with silences between, in any order. */
const arrivalsOf = (said: readonly ServiceAnswer[]): fc.Arbitrary<readonly Arrival[]> =>
  fc
    .record({
      more: fc.array(fc.constantFrom(...said, ...noWord), { maxLength: 6 }),
      ways: fc.array(fc.record({ to: fc.constantFrom("confirm", "status"), isLate: fc.boolean() }), {
        minLength: 9,
        maxLength: 9,
      }),
    })
    .chain(({ more, ways }) => {
      const answers = [...said, ...more];
      return fc
        .shuffledSubarray(answers, { minLength: answers.length })
        .map((shuffled) =>
          shuffled.map((one, index) => ({ answer: one, to: "status", isLate: false, ...ways[index] }) as Arrival),
        );
    });

test.each(Object.keys(starts))("from %s, the last word of the service is where it ends", (start) => {
  fc.assert(
    fc.property(
      fc
        .constantFrom<keyof typeof courses>("paid", "denied", "declined")
        .chain((course) => fc.record({ course: fc.constant(course), arrivals: arrivalsOf(courses[course]) })),
      ({ course, arrivals }) => {
        const after = arrivals.reduce(take, given(...(starts[start] ?? [])));
        const one = after.open.get("W1");
        if (course === "paid") expect(one?.stage.kind).toBe("payable");
        else expect(one).toBeUndefined();
        expect([...after.open.values()].filter(offersCash)).toHaveLength(course === "paid" ? 1 : 0);
      },
    ),
    { numRuns: 300 },
  );
});

test.each(Object.keys(starts))("from %s, the same answer a second time changes nothing about the money", (start) => {
  const said = fc.constantFrom(...Object.values(courses).flat());
  fc.assert(
    fc.property(said, fc.constantFrom("confirm", "status"), (one, to) => {
      const arrival = { answer: one, to, isLate: false } as Arrival;
      const once = take(given(...(starts[start] ?? [])), arrival);
      const twice = take(once, arrival);
      const money = (state: State) =>
        [...state.open.values()].map(({ stage, confirmAttempted, confirmed }) => ({
          stage,
          confirmAttempted,
          confirmed,
        }));
      expect(money(twice)).toEqual(money(once));
    }),
  );
});
