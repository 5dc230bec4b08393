/**
 * What a test file gets for `import … from "vitest"` in a mutation run: the same words, but the tests are only collected, so that
 * they can be run many times over modules that were loaded once. `expect` and `vi` are vitest's own.
 */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

/** What a test, a hook or a `describe` is given to run. */
export type Body = (...args: unknown[]) => unknown;

/** One test, by the suites around it. */
export interface CollectedTest {
  readonly kind: "test";
  readonly id: string;
  readonly parent: Suite;
  readonly body: Body;
  /** Its file, absolute, and where it stands in it; lines and columns count from 0. */
  readonly fileName: string;
  readonly startPosition: { readonly line: number; readonly column: number };
}

type HookName = "beforeAll" | "afterAll" | "beforeEach" | "afterEach";

/** A file or a `describe`. */
export interface Suite {
  readonly kind: "suite";
  readonly name: string;
  readonly parent: Suite | null;
  readonly hooks: Readonly<Record<HookName, Body[]>>;
  readonly children: (Suite | CollectedTest)[];
}

const newSuite = (name: string, parent: Suite | null): Suite => ({
  kind: "suite",
  name,
  parent,
  hooks: { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] },
  children: [],
});

let current = newSuite("", null);
let currentFile = "";
const taken = new Map<string, number>();

/** Imports a test file, and answers with what it defines. */
export const collect = async (name: string): Promise<Suite> => {
  const suite = newSuite(name, null);
  current = suite;
  currentFile = path.resolve(name);
  await import(pathToFileURL(currentFile).href);
  return suite;
};

/** Where in the test file the word was called that defines a test: what changed since the last run is seen by it. */
const placeInFile = (): CollectedTest["startPosition"] => {
  const line = new Error().stack?.split("\n").find((each) => each.includes(currentFile));
  const [, row, column] = /:(\d+):(\d+)\)?$/.exec(line ?? "") ?? [];
  return { line: Number(row ?? 1) - 1, column: Number(column ?? 1) - 1 };
};

/** The suites around a test, the file first. */
export const suitesAround = (suite: Suite | null): readonly Suite[] =>
  suite === null ? [] : [...suitesAround(suite.parent), suite];

const nameOf = (words: readonly string[]): string => {
  const name = words.join(" > ");
  const count = (taken.get(name) ?? 0) + 1;
  taken.set(name, count);
  return count === 1 ? name : `${name} (${count})`;
};

const bodyIn = (rest: readonly unknown[]): Body =>
  (rest.find((each) => typeof each === "function") ?? (() => undefined)) as Body;

const addTest = (name: string, ...rest: unknown[]): void => {
  const id = nameOf([...suitesAround(current).map((suite) => suite.name), name]);
  const place = { fileName: currentFile, startPosition: placeInFile() };
  current.children.push({ kind: "test", id, parent: current, body: bodyIn(rest), ...place });
};

const addSuite = (name: string, ...rest: unknown[]): void => {
  const around = current;
  const suite = newSuite(name, around);
  around.children.push(suite);
  current = suite;
  try {
    bodyIn(rest)();
  } finally {
    current = around;
  }
};

const titleOf = (title: string, args: readonly unknown[], index: number): string => {
  const [first] = args;
  const filled = title
    .replaceAll("%#", String(index))
    .replace(/\$([\w.]+)/g, (word, key: string) =>
      typeof first === "object" && first !== null && key in first
        ? format((first as Record<string, unknown>)[key])
        : word,
    );
  const places = filled.match(/%[sdifjoO]/g)?.length ?? 0;
  return format(filled, ...args.slice(0, places));
};

type Define = (name: string, ...rest: unknown[]) => void;
const withEach = (define: Define) => {
  const each =
    (cases: readonly unknown[]) =>
    (title: string, ...rest: unknown[]): void => {
      for (const [index, one] of cases.entries()) {
        const args = Array.isArray(one) ? one : [one];
        define(titleOf(title, args, index), () => bodyIn(rest)(...args));
      }
    };
  return Object.assign((name: string, ...rest: unknown[]): void => define(name, ...rest), { each });
};
const skip = withEach(() => undefined);

const withWays = (define: Define) => {
  const base = withEach(define);
  return Object.assign(base, {
    skip,
    concurrent: base,
    sequential: base,
    runIf: (condition: unknown) => (condition ? base : skip),
    skipIf: (condition: unknown) => (condition ? skip : base),
  });
};

/** As in vitest. */
export const test = withWays(addTest);
/** As in vitest. */
export const it = test;
/** As in vitest. */
export const describe = withWays(addSuite);

const hook =
  (name: HookName) =>
  (body: Body): void => {
    current.hooks[name].push(body);
  };
/** As in vitest. */
export const beforeAll = hook("beforeAll");
/** As in vitest. */
export const afterAll = hook("afterAll");
/** As in vitest. */
export const beforeEach = hook("beforeEach");
/** As in vitest. */
export const afterEach = hook("afterEach");
