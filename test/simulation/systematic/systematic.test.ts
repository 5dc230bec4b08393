/** A small form of the systematic run: each course comes to its end, and faults at its steps break no promise. */
import { expect, test } from "vitest";
import { byEffort } from "../../runner/effort.ts";
import { defects } from "../defects/defects.ts";
import { courses, type ScriptedCourse } from "./courses.ts";
import { playCourse, playSystematically } from "./systematic.ts";

const most = byEffort({
  usual: { singlesMax: 2, pairsMax: 1, seed: 1 },
  // What a draw finds is named by the command that plays it again.
  torture: { singlesMax: 100_000, pairsMax: 400, seed: Math.floor(Math.random() * 1_000_000_000) },
});

test.each(courses)(
  "$name: ends as its script says, and every promise is kept whatever fails at a step, and at two",
  async (course) => {
    const { plain, violations, singles, pairs } = await playSystematically(course, most);
    expect(plain.ends).toEqual({ [course.end]: 1 });
    expect(plain.trace.some((line) => line.includes(`shows ${course.shows}`))).toBe(true);
    // Each violation names the command that plays it again.
    expect(violations).toEqual([]);
    expect(singles.runs).toBe(Math.min(most.singlesMax, singles.all));
    expect(pairs.runs).toBe(course.paysOut ? most.pairsMax : 0);
  },
);

const linked = courses[0] as ScriptedCourse;
/** Lost calls alone: all of them in seconds, and their pairs. */
const only = ["requestLost"] as const;
const withDefect = (name: string) => {
  const defect = defects.find((one) => one.name === name);
  if (!defect) throw new Error(`no defect ${name}`);
  return { seed: 1, only, programs: defect.programs };
};

test("single faults find a link that is dropped on its first silence", async () => {
  const { violations } = await playSystematically(linked, { ...withDefect("link dropped on 500"), pairsMax: 0 });
  expect(violations[0]).toMatch(/^promise 4: .* npm run -s simulate -- --course "linked" --inject \d+:\d$/);
});

test.each([
  { course: "linked", defect: "link given up after two silences" },
  { course: "undelivered", defect: "undelivered given up after two silences" },
])("$course: only pairs find: $defect", async ({ course, defect }) => {
  const played = courses.find(({ name }) => name === course) as ScriptedCourse;
  const { violations, singles } = await playSystematically(played, { ...withDefect(defect), untilBroken: true });
  expect(singles.runs).toBe(singles.all);
  // All single faults come first: none of them broke a promise.
  expect(violations[0]).toMatch(/^promise 4: .* --inject \d+:\d,\d+:\d$/);
});

test.each(["decided wrongly, given", "decided wrongly, not given"])(
  "%s: an operator whose word is the last is found",
  async (name) => {
    const course = courses.find((one) => one.name === name) as ScriptedCourse;
    const { programs } = withDefect("an operator's word of the cash is the last");
    expect((await playCourse(course, [], { programs })).story.violations[0]?.text).toMatch(/cash (not )?given/);
  },
);

test("the same injections play the same story, and occur where they say", async () => {
  const { points } = await playCourse(linked, []);
  const point = points.findIndex(({ fault }) => fault === "tillDies");
  const [first, again] = [await playCourse(linked, [{ point, way: 0 }]), await playCourse(linked, [{ point, way: 0 }])];
  expect(first.story.faults.tillDies).toBe(1);
  expect(again.story.traceHash).toBe(first.story.traceHash);
});
