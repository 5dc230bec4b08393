/** A service that real money's terminal must not work with: the screen leads to another one, and nothing is paid out. */
import { expect, test } from "vitest";
import { FakeService } from "./fake-service.ts";
import { createRig, idNumber } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const stage = async () => {
  const clock = new VirtualClock();
  const service = new FakeService(clock);
  const send = service.send.bind(service);
  let because: "sandbox" | "plain_http" | null = null;
  service.send = (request) =>
    because === null ? send(request) : Promise.resolve({ kind: "silence", why: "refused", because });
  const till = await createRig({ clock, service });
  return {
    till,
    clock,
    service,
    become: (why: typeof because) => {
      because = why;
    },
  };
};

test.each(["sandbox", "plain_http"] as const)(
  "%s: the terminal asks to be connected anew, and reads no barcode",
  async (why) => {
    const { till, clock, service, become } = await stage();
    become(why);
    await clock.advance(270_000);
    expect(till.screen()).toMatchObject({ kind: "setup", why: "unsafe_service" });
    expect(await till.scan(idNumber(1))).toEqual({ ok: false, code: "not_enrolled" });
    expect(till.screen()).toMatchObject({ kind: "setup" });
    expect(service.calls("GET /transaction")).toEqual([]);
    become(null);
    await clock.advance(270_000);
    expect(till.screen()).toMatchObject({ kind: "ready" });
  },
);
