/** The tests of one wing (see wings.ts), on SQLite alone: the mutated files are the same for both stores. */
import { defineConfig } from "vitest/config";

const globs = JSON.parse(process.env.MUTATION_TESTS ?? '["test/unit/**/*.test.ts"]') as string[];

export default defineConfig({
  test: {
    include: globs.filter((glob) => !glob.startsWith("!")),
    exclude: globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1)),
    env: { STORES: "sqlite" },
    testTimeout: 30_000,
  },
});
