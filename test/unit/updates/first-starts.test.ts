/** What a start after an installation means: stories over the record that outlives the runs. */
import { expect, test } from "vitest";
import { atStart, type UpdateRecord, withFailed } from "../../../main/updates/updates.ts";

const begun: UpdateRecord = { seen: {}, failed: [], attempt: { to: "0.2.0" } };

test.each<[string, UpdateRecord, string, readonly string[]]>([
  ["without an installation it is a usual one", { ...begun, attempt: null }, "0.1.0", []],
  ["of the version that was installed: it is there", begun, "0.2.0", []],
  ["of the version before: the installation failed, and is never begun by itself again", begun, "0.1.0", ["0.2.0"]],
  ["of a third one, installed by hand", begun, "0.3.0", ["0.2.0"]],
])("a start %s", (_, record, version, failed) => {
  expect(atStart(record, version)).toEqual({ ...begun, attempt: null, failed });
});

test("versions that failed are remembered, each once, the last twenty", () => {
  const all = Array.from({ length: 30 }, (_, number) => `0.${number}.0`);
  const kept = all.reduce<string[]>(withFailed, []);
  expect(kept).toEqual(all.slice(-20));
  expect(withFailed(kept, "0.15.0")).toEqual([...kept.filter((one) => one !== "0.15.0"), "0.15.0"]);
});
