/** What waits for the printer: the order, the room, the tries, and what says that it is a copy. */
import { describe, expect, test } from "vitest";
import {
  addPrintTask,
  evolvePrinting,
  noPrinting,
  type Printing,
  type PrintTask,
} from "../../../main/terminal/printing/queue.ts";
import { receipt } from "./decide-stage.ts";

const task = (number: number): PrintTask => ({
  kind: "receipt",
  receipt: { ...receipt, transactionId: `T${number}` },
  copies: ["customer"],
});
const queue = (count: number): Printing =>
  Array.from({ length: count }, (_, index) => task(index + 1)).reduce<Printing>(
    (printing, one) => addPrintTask(printing, one, 5),
    noPrinting,
  );
const at = { wallMs: 0, monotonicMs: 70 };
const ended = (printing: Printing, number: number, answer: object): Printing =>
  evolvePrinting(printing, { type: "print_ended", number, answer } as Parameters<typeof evolvePrinting>[1], at);
const numbers = ({ jobs }: Printing): readonly number[] => jobs.map(({ number }) => number);
const why = "no_answer" as const;
const notPrinted = { kind: "not_printed", why };
const unclear = { kind: "unclear", why };

test("the first of a queue is printed at once, the others wait behind it under numbers that grow", () => {
  expect(queue(1)).toEqual({
    jobs: [{ number: 1, task: task(1), tries: 0, failures: 0 }],
    printer: { kind: "printing", notBeforeMs: 5 },
    paperLow: false,
    nextNumber: 2,
  });
  const two = addPrintTask(queue(1), task(2), 99);
  expect([numbers(two), two.printer]).toEqual([[1, 2], { kind: "printing", notBeforeMs: 5 }]);
  const stuck = ended(queue(1), 1, unclear);
  expect(addPrintTask(stuck, task(2), 99).printer).toEqual(unclear);
});

test("twenty wait at most: the one under way stays, and the oldest behind it make room", () => {
  expect(numbers(queue(20))).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(numbers(queue(22))).toEqual([1, ...Array.from({ length: 19 }, (_, index) => index + 4)]);
});

describe("the printer's word", () => {
  test("printed: the next one starts, and the last leaves nothing", () => {
    const one = ended(queue(2), 1, { kind: "printed", paperLow: true });
    expect([numbers(one), one.printer, one.paperLow]).toEqual([[2], { kind: "printing", notBeforeMs: 70 }, true]);
    const none = ended(one, 2, { kind: "printed", paperLow: false });
    expect([numbers(none), none.printer, none.paperLow]).toEqual([[], { kind: "idle" }, false]);
  });

  test("not printed: tried again after each pause, then by hand alone; it is no copy", () => {
    let printing = queue(2);
    const retries = [1, 2, 3, 4].map(() => {
      printing = ended(printing, 1, notPrinted);
      return printing.printer;
    });
    const stopped = (retryAtMs: number | null) => ({ ...notPrinted, retryAtMs });
    expect(retries).toEqual([stopped(2_070), stopped(5_070), stopped(15_070), stopped(null)]);
    expect(printing.jobs).toEqual([
      { number: 1, task: task(1), tries: 4, failures: 4 },
      { number: 2, task: task(2), tries: 0, failures: 0 },
    ]);
  });

  test("unclear: only a person says what next, and what is printed again is a copy", () => {
    const { jobs, printer } = ended(queue(2), 1, unclear);
    expect(printer).toEqual(unclear);
    expect(jobs).toEqual([
      {
        number: 1,
        task: { ...task(1), receipt: { ...receipt, transactionId: "T1", isReprint: true } },
        tries: 1,
        failures: 0,
      },
      { number: 2, task: task(2), tries: 0, failures: 0 },
    ]);
    const report = { kind: "day_report", isReprint: false, shop: "s" } as unknown as PrintTask;
    expect(ended(addPrintTask(noPrinting, report, 5), 1, unclear).jobs[0]?.task).toEqual({
      ...report,
      isReprint: true,
    });
  });

  test.each([notPrinted, unclear])("about nothing changes nothing: %j", (answer) => {
    expect(ended(noPrinting, 1, answer)).toEqual(noPrinting);
  });
});

test("somebody looked after the printer, or nobody needs what waits", () => {
  const stuck = ended({ ...queue(2), paperLow: true }, 1, unclear);
  expect(evolvePrinting(stuck, { type: "print_retried" }, at)).toEqual({
    ...stuck,
    printer: { kind: "printing", notBeforeMs: 70 },
  });
  expect(evolvePrinting(stuck, { type: "prints_dropped" }, at)).toEqual({
    ...stuck,
    jobs: [],
    printer: { kind: "idle" },
  });
});
