import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/{unit,service,simulation}/**/*.test.{ts,tsx}"],
    globalSetup: "test/service/global-setup.ts",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
