/** electron-updater's own code over a feed on loopback: what it takes from a good server, and what a hostile one gets from it. */
import { createHash } from "node:crypto";
import { EventEmitter } from "node:events";
import { globSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { boundDownloads, type Executor, stallMs } from "../../../main/electron/updates/feed-source.ts";
import { NoDiskSpace } from "../../../main/updates/updates.ts";
import { VirtualClock } from "../terminal/virtual-clock.ts";
import { feedText, newKeys, signedFeed } from "./feed-server.ts";
import { openSourceStage, type SourceStage, textOf } from "./source-stage.ts";

const content = "version 0.2.0 ".repeat(20_000);
let stage: SourceStage;
beforeEach(async () => {
  stage = await openSourceStage();
});
afterEach(() => stage.close());

const publish = (fields: Parameters<typeof feedText>[1] = {}, name = "latest-linux"): void => {
  stage.server.files.set(`${name}.yml`, signedFeed(content, stage.keys.privateKey, { feed: name, ...fields }));
  stage.server.files.set("Tillcash-0.2.0.AppImage", content);
};
const check = (channel: "latest" | "beta" = "latest") => stage.source.check(channel);
const refused = (why: string) => ({ kind: "failed", why });

describe("from a good server", () => {
  test("a newer version is found, fetched with its progress, and is whole", async () => {
    publish();
    expect(await check()).toEqual({ kind: "found", version: "0.2.0" });
    const percents: number[] = [];
    const fetched = await stage.source.fetch((percent) => percents.push(percent));
    expect(fetched.version).toBe("0.2.0");
    expect(textOf(fetched.file)).toBe(content);
    expect(percents.at(-1)).toBe(100);
    expect(await stage.source.matchesChecksum(fetched)).toBe(true);
    expect(textOf(stage.program)).toBe("version 0.1.0");
    // A program that ends while somebody is served is not replaced on the way.
    expect(stage.atQuit).toEqual([]);
  });

  test("it is asked without anything that names this terminal", async () => {
    publish();
    await check();
    await stage.source.fetch(() => undefined);
    expect(stage.server.requests.length).toBeGreaterThan(1);
    for (const { headers } of stage.server.requests)
      expect(Object.keys(headers).filter((name) => /^x-|cookie|auth/.test(name))).toEqual([]);
  });

  test("nothing is fetched again after a restart", async () => {
    publish();
    await check();
    await stage.source.fetch(() => undefined);
    const again = stage.restart();
    expect(await again.source.check("latest")).toMatchObject({ kind: "found" });
    const fetched = await again.source.fetch(() => undefined);
    expect(textOf(fetched.file)).toBe(content);
    expect(stage.server.requests.filter(({ path }) => path.endsWith(".AppImage"))).toHaveLength(1);
  });

  test("a file that moved to a mirror is followed there, once and without a second clock on it", async () => {
    publish();
    stage.server.files.set("mirror", content);
    stage.server.files.set("Tillcash-0.2.0.AppImage", (response) =>
      response.writeHead(302, { location: "mirror" }).end(),
    );
    await check();
    const fetched = await stage.source.fetch(() => undefined);
    expect(textOf(fetched.file)).toBe(content);
    expect(stage.server.requests.filter(({ path }) => path.endsWith("/mirror"))).toHaveLength(1);
    await stage.clock.advance(2 * stallMs);
    expect(stage.log).toEqual([]);
  });

  test("it is not fetched where it would fill the disk that the journal needs", async () => {
    publish();
    await check();
    stage.room.bytes = 3 * content.length;
    await expect(stage.source.fetch(() => undefined)).rejects.toThrow(NoDiskSpace);
    expect(stage.server.requests).toHaveLength(1);
    stage.room.bytes = Number.POSITIVE_INFINITY;
    expect(await stage.source.fetch(() => undefined)).toMatchObject({ version: "0.2.0" });
  });

  test.each([
    ["with a byte less than two of it and the journal's room need", -1, false],
    ["with just that room", 0, true],
  ])("on a disk %s it is fetched: %s", async (_what, bytes, isFetched) => {
    publish();
    await check();
    stage.room.bytes = 2 * content.length + 256 * 1024 * 1024 + bytes;
    const fetched = await stage.source.fetch(() => undefined).catch((error: unknown) => error);
    expect(fetched instanceof NoDiskSpace).toBe(!isFetched);
  });

  test("of several files of a version the largest bounds what comes, and each is known by its own sum", async () => {
    const other = { url: "Tillcash-0.2.0.deb", sha512: createHash("sha512").update("deb").digest("base64"), size: 3 };
    const sha512 = createHash("sha512").update(content).digest("base64");
    const own = { url: "Tillcash-0.2.0.AppImage", sha512, size: content.length };
    publish({ more: { files: [other, own] } });
    await check();
    const percents: number[] = [];
    const fetched = await stage.source.fetch((percent) => percents.push(percent));
    expect(textOf(fetched.file)).toBe(content);
    expect(await stage.source.matchesChecksum(fetched)).toBe(true);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(percents.filter((percent) => percent === 100)).toHaveLength(1);
  });

  test("no cache and no cookie is asked for a feed", async () => {
    const asked = vi.spyOn(globalThis, "fetch");
    publish();
    await stage.restart().source.check("latest");
    const headers = { "cache-control": "no-cache" };
    const how = expect.objectContaining({ cache: "no-store", credentials: "omit", headers });
    expect(asked).toHaveBeenCalledExactlyOnceWith(`${stage.server.url}latest-linux.yml`, how);
    asked.mockRestore();
  });

  test("a file that changed while it waited, or is gone, is not whole", async () => {
    publish();
    await check();
    const fetched = await stage.source.fetch(() => undefined);
    writeFileSync(fetched.file, `${content}!`);
    expect(await stage.source.matchesChecksum(fetched)).toBe(false);
    rmSync(fetched.file);
    expect(await stage.source.matchesChecksum(fetched)).toBe(false);
  });

  test("a version that was taken back is not whole any more", async () => {
    publish();
    await check();
    const fetched = await stage.source.fetch(() => undefined);
    publish({ version: "0.1.0", issued: "2026-11-20T09:00:00.000Z" });
    expect(await check()).toEqual({ kind: "none" });
    expect(await stage.source.matchesChecksum(fetched)).toBe(false);
  });

  test.each([
    ["the same version", "0.1.0", { kind: "none" }],
    ["an older version, rightly signed", "0.0.9", { kind: "none" }],
    ["a version before its release", "0.1.0-beta.1", { kind: "none" }],
  ])("%s is not taken", async (_what, version, found) => {
    publish({ version });
    expect(await check()).toEqual(found);
  });

  test.each([
    ["is not rolled out to anybody yet", { stagingPercentage: 0 }, { kind: "none" }],
    ["is rolled out to all", { stagingPercentage: 100 }, { kind: "found", version: "0.2.0" }],
    ["needs a newer system", { minimumSystemVersion: "999.0.0" }, { kind: "none" }],
    ["needs an older system", { minimumSystemVersion: "1.0.0" }, { kind: "found", version: "0.2.0" }],
  ])("a version that %s", async (_what, more, found) => {
    publish({ more });
    expect(await check()).toEqual(found);
  });

  test("the other channel has a feed of its own", async () => {
    publish({ version: "0.2.0" });
    publish({ version: "0.3.0-beta.1", issued: "2026-11-20T09:00:00.000Z" }, "beta-linux");
    expect(await check("beta")).toEqual({ kind: "found", version: "0.3.0-beta.1" });
    expect(await check("latest")).toEqual({ kind: "found", version: "0.2.0" });
    // Going back to it from a version of the other channel is no way back to an older program.
    stage = stage.restart("0.3.0-beta.1");
    expect(await stage.source.check("latest")).toEqual({ kind: "none" });
  });
});

describe("from a hostile server or proxy", () => {
  test("a feed without a signature, or with another's, is refused", async () => {
    stage.server.files.set("latest-linux.yml", feedText(content));
    expect(await check()).toMatchObject(refused("unsigned"));
    stage.server.files.set("latest-linux.yml", signedFeed(content, newKeys().privateKey));
    expect(await check()).toMatchObject(refused("wrong_signature"));
    await expect(stage.source.fetch(() => undefined)).rejects.toThrow();
  });

  test("an old feed is refused once a newer one was seen, also after a restart; so is one that expired", async () => {
    publish({ version: "0.3.0", issued: "2026-11-20T09:00:00.000Z" });
    await check();
    publish({ version: "0.2.0" });
    expect(await check()).toMatchObject(refused("replayed"));
    expect(await stage.restart().source.check("latest")).toMatchObject(refused("replayed"));
    publish({ issued: "2026-11-20T09:30:00.000Z", expires: "2026-11-20T09:59:00.000Z" });
    expect(await check()).toMatchObject(refused("expired"));
    // What was seen of one channel is not forgotten for the other's sake.
    publish({ version: "0.4.0-beta.1", issued: "2026-11-20T09:10:00.000Z" }, "beta-linux");
    expect(await check("beta")).toMatchObject({ kind: "found" });
    publish({ version: "0.2.0" });
    expect(await check()).toMatchObject(refused("replayed"));
  });

  test("a server that says nothing is waited for half a minute", async () => {
    const bound = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    publish();
    expect(await check()).toMatchObject(refused("unreachable"));
    expect(bound).toHaveBeenCalledWith(30_000);
    bound.mockRestore();
  });

  test("another file than the signed one is thrown away", async () => {
    publish();
    stage.server.files.set("Tillcash-0.2.0.AppImage", content.replace("0.2.0", "6.6.6"));
    await check();
    await expect(stage.source.fetch(() => undefined)).rejects.toThrow(/checksum/);
    expect(stage.log.join("\n")).toContain("checksum");
    const left = globSync("**/*", { cwd: stage.folder, withFileTypes: true }).filter((one) => one.isFile());
    expect(left.filter((one) => textOf(path.join(one.parentPath, one.name)).includes("6.6.6"))).toEqual([]);
  });

  test("a file without an end stops at the signed size", async () => {
    publish();
    let written = 0;
    stage.server.files.set("Tillcash-0.2.0.AppImage", (response) => {
      const more = setInterval(() => {
        written += content.length;
        response.write(content);
        if (written > 50 * content.length) clearInterval(more);
      }, 5);
    });
    await check();
    await expect(stage.source.fetch(() => undefined)).rejects.toThrow(/cancelled/);
    expect(stage.log.join("\n")).toContain("more came than was signed");
    expect(written).toBeLessThan(40 * content.length);
  });

  test("a file that stops coming is given up", async () => {
    publish();
    stage.server.files.set("Tillcash-0.2.0.AppImage", (response) => response.write("version"));
    await check();
    const begun = stage.source.fetch(() => undefined);
    const failed = expect(begun).rejects.toThrow(/cancelled/);
    await expect.poll(() => stage.server.requests.length).toBe(2);
    await expect
      .poll(() => stage.log.length === 0 && stage.clock.advance(stallMs + 1).then(() => stage.log.length))
      .toBe(1);
    await failed;
  });

  /** One request over an executor of the test's own; `answers`: whether its response comes, `isWanted`: whether it may. */
  const requested = async (answers: boolean, isWanted = true) => {
    const clock = new VirtualClock();
    const response = new EventEmitter();
    const request = Object.assign(new EventEmitter(), { abort: vi.fn() });
    const executor: Executor = {
      createRequest(_options, callback) {
        if (answers) queueMicrotask(() => callback(response));
        return request;
      },
    };
    const giveUp = vi.fn();
    const bounds = { sizeMax: 100_000_000, progress: () => undefined, giveUp };
    boundDownloads(executor, clock)(isWanted ? bounds : null);
    executor.createRequest({}, () => undefined);
    await Promise.resolve();
    return { clock, response, request, giveUp };
  };

  test("a request that nobody answers is given up after a minute", async () => {
    const { clock, request, giveUp } = await requested(false);
    await clock.advance(59_999);
    expect(giveUp).not.toHaveBeenCalled();
    await clock.advance(1);
    await clock.advance(7 * 3_600_000);
    expect(giveUp.mock.calls).toEqual([["nothing came any more"]]);
    expect(request.abort).toHaveBeenCalledOnce();
  });

  test("what nobody asked for ends at its first byte", async () => {
    const { response, request } = await requested(true, false);
    response.emit("data", { length: 1 });
    expect(request.abort).toHaveBeenCalledOnce();
  });

  test.each([
    ["response", "end"],
    ["response", "error"],
    ["response", "aborted"],
    ["response", "close"],
    ["request", "abort"],
    ["request", "error"],
    ["request", "close"],
  ] as const)("behind a %s that has ended (%s) nothing is waited for any more", async (which, event) => {
    const { clock, giveUp, ...parts } = await requested(true);
    parts.response.emit("data", { length: 1 });
    parts[which].on("error", () => undefined);
    parts[which].emit(event);
    expect(clock.timers).toBe(0);
    await clock.advance(7 * 3_600_000);
    expect(giveUp).not.toHaveBeenCalled();
  });

  test("a file that comes a byte a minute is given up after six hours", async () => {
    const { clock, response, request, giveUp } = await requested(true);
    for (let minute = 0; minute < 7 * 60 && giveUp.mock.calls.length === 0; minute += 1) {
      response.emit("data", { length: 1 });
      await clock.advance(stallMs - 1);
    }
    expect(giveUp.mock.calls).toEqual([["it took too long"]]);
    expect(clock.monotonicMs()).toBeGreaterThanOrEqual(6 * 3_600_000);
    expect(request.abort).toHaveBeenCalledOnce();
  });

  test.each([
    ["no feed", () => undefined, "unreachable"],
    [
      "a feed without an end",
      () => stage.server.files.set("latest-linux.yml", (response) => response.write("x".repeat(70_000))),
      "malformed",
    ],
    ["a feed for another system", () => publish({ feed: "latest-mac" }), "other_feed"],
  ])("%s leaves the program as it is", async (_what, prepare, why) => {
    prepare();
    expect(await check()).toMatchObject(refused(why));
    expect(textOf(stage.program)).toBe("version 0.1.0");
  });
});
