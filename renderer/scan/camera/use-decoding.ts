import { type RefObject, useEffect, useEffectEvent, useState } from "react";
import type { Settings } from "../../../preload/contract.ts";
import { noteActivity, noteEngines } from "../activity.ts";
import type { Point } from "../decode/frame-reader.ts";
import type { PictureHint } from "../decode/hints.ts";
import type { OnScan } from "../scan.ts";
import { DecodeClient, type Outcome, pumpFrames } from "./frame-pump.ts";

/** A code that was out of the picture for this long counts as a new scan. */
const absentForMs = 1000;
const freshForMs = 1500;

/**
 * A phone that stays before the camera is one scan, also when the camera was off meanwhile: else the order that was just paid would be
 * looked up again as soon as the terminal is ready.
 */
export class RepeatGuard {
  #text: string | null = null;
  #firstSeenMs = 0;
  #lastSeenMs = 0;

  /** `new` for the first sight of a showing, `fresh` for as long as the cashier may not have looked, then `again`. */
  sight(text: string, nowMs: number): "new" | "fresh" | "again" {
    const same = text === this.#text && nowMs - this.#lastSeenMs < absentForMs;
    this.#text = text;
    this.#lastSeenMs = nowMs;
    if (!same) this.#firstSeenMs = nowMs;
    if (!same) return "new";
    return nowMs - this.#firstSeenMs < freshForMs ? "fresh" : "again";
  }

  /** The camera is on again: the time while it was off proves nothing. */
  resume(nowMs: number): void {
    this.#lastSeenMs = nowMs;
  }
}

/** How long the frame that was read stays to be seen. */
const shownForMs = 500;
/** Of the picture's width: it is shown small. */
const lineShare = 0.015;
const barHeightShare = 0.12;

/** Bars give two points on a line: a box around them says more than a stroke through them. */
const corners = (outline: readonly Point[], height: number): readonly Point[] => {
  const [a, b] = outline;
  if (outline.length !== 2 || !a || !b) return outline;
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const away = (height * barHeightShare) / length;
  const dx = -(b.y - a.y) * away;
  const dy = (b.x - a.x) * away;
  const move = (point: Point, by: number): Point => ({ x: point.x + dx * by, y: point.y + dy * by });
  return [move(a, 1), move(b, 1), move(b, -1), move(a, -1)];
};

/** The video's picture as it is now, with the code outlined. */
const outlined = (video: HTMLVideoElement, outline: readonly Point[], color: string): HTMLCanvasElement => {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  context.drawImage(video, 0, 0);
  const [first, ...rest] = corners(outline, canvas.height);
  if (!first) return canvas;
  context.beginPath();
  context.moveTo(first.x, first.y);
  for (const { x, y } of rest) context.lineTo(x, y);
  context.closePath();
  context.lineWidth = canvas.width * lineShare;
  context.lineJoin = "round";
  context.strokeStyle = color;
  context.stroke();
  return canvas;
};

/** Shows the frame that was read for half a second, where it covers nothing of the order's screen and takes no tap. */
const showLastRead = (canvas: HTMLCanvasElement): void => {
  canvas.className = "scan-last-read";
  canvas.setAttribute("aria-hidden", "true");
  document.body.append(canvas);
  setTimeout(() => canvas.remove(), shownForMs);
};

/** What the preview says about the code before the camera. */
type Sight = "starting" | "nothing" | "once_more" | "accepted" | "again" | "foreign" | PictureHint;

/** One for the whole page: the code on a phone stays the same while screens come and go. */
const guard = new RepeatGuard();
const outlineColor = "#51cf66";
/** A decoder that is not ready by then says so: on a slow machine it takes several seconds. */
const startsWithinMs = 2000;
/** A sight stays for this long after its last frame. */
const sightForMs = 900;

const sightOf = ({ outcome, hint }: Outcome): Sight =>
  outcome.kind === "nothing" ? (hint ?? "nothing") : outcome.kind;

/** Decodes what `video` shows while `stream` is there; each new showing of a code that counts goes to `onScan` once. */
export const useDecoding = (
  video: RefObject<HTMLVideoElement | null>,
  stream: MediaStream | null,
  settings: Settings,
  onScan: OnScan,
  onStalled: () => void,
): Sight => {
  const [sight, setSight] = useState<Sight>("nothing");
  const { symbologies, fixedLength, foreignIds } = settings;
  const rules = JSON.stringify({ symbologies, fixedLength, foreignIds });
  const onRead = useEffectEvent(onScan);
  const onStill = useEffectEvent(onStalled);

  useEffect(() => {
    const element = video.current;
    if (!element || !stream) return;
    let clear: ReturnType<typeof setTimeout> | undefined;
    const show = (next: Sight): void => {
      if (next === "nothing") return;
      setSight(next);
      clearTimeout(clear);
      clear = setTimeout(() => setSight("nothing"), sightForMs);
    };
    const late = setTimeout(() => setSight("starting"), startsWithinMs);
    const begin = (): void => {
      clearTimeout(late);
      setSight((now) => (now === "starting" ? "nothing" : now));
    };
    let foreign = "";
    const note = ({ outcome, decodeMs, width, height }: Outcome): void => {
      if (outcome.kind !== "accepted" && outcome.kind !== "foreign") return;
      const { text, symbology, engine } = outcome.read;
      const timing = { meanMs: decodeMs, maxMs: decodeMs };
      const fault = outcome.kind === "foreign" ? outcome.fault : null;
      const detail = `${engine}, ${width}×${height}`;
      noteActivity({ source: "camera", text, raw: text, symbology, fault, timing, detail });
    };
    const take = (result: Outcome): void => {
      const { outcome } = result;
      if (outcome.kind === "foreign" && outcome.read.text !== foreign) {
        foreign = outcome.read.text;
        note(result);
      }
      if (outcome.kind !== "accepted") {
        show(sightOf(result));
        return;
      }
      const { text, symbology, outline } = outcome.read;
      const seen = guard.sight(text, performance.now());
      show(seen === "again" ? "again" : "accepted");
      if (seen !== "new") return;
      note(result);
      onRead({ text, source: "camera", symbology });
      showLastRead(outlined(element, outline, outlineColor));
    };
    guard.resume(performance.now());
    element.srcObject = stream;
    void element.play().catch(() => undefined);
    const client = new DecodeClient(JSON.parse(rules), (answer) => {
      if (answer.kind === "outcome") return take(answer);
      noteEngines(answer.engines);
      begin();
    });
    const stop = pumpFrames(element, client, onStill);
    return () => {
      clearTimeout(late);
      clearTimeout(clear);
      stop();
      client.close();
      element.srcObject = null;
      setSight("nothing");
    };
  }, [video, stream, rules]);

  return sight;
};
