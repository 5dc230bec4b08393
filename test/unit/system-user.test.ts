import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { systemUser } from "../../backend/operate/audited-store.ts";

test("whoever runs a command has a name, also in a container whose users have numbers alone", () => {
  expect(systemUser()).toBe(userInfo().username);
  const unknownUser = (): string => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  };
  expect([systemUser(unknownUser, 1_000_660_000), systemUser(unknownUser, undefined)]).toEqual([
    "user 1000660000",
    `user ${process.getuid?.() ?? "unknown"}`,
  ]);
});
