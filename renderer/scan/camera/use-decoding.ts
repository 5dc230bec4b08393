import { type RefObject, useEffect, useRef, useState } from "react";
import type { Settings } from "../../../preload/contract.ts";
import { noteActivity, noteEngines } from "../activity.ts";
import type { PictureHint } from "../decode/hints.ts";
import type { OnScan } from "../scan.ts";
import { DecodeClient, type Outcome } from "./decode-client.ts";
import { pumpFrames } from "./frame-pump.ts";
import { outlined, showLastRead } from "./last-read.ts";
import { RepeatGuard } from "./repeat-guard.ts";

/** What the preview says about the code before the camera. */
export type Sight = "nothing" | "once_more" | "accepted" | "again" | "foreign" | PictureHint;

/** One for the whole page: the code on a phone stays the same while screens come and go. */
const guard = new RepeatGuard();
const outlineColor = "#51cf66";
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
  const latest = useRef({ onScan, onStalled });
  latest.current = { onScan, onStalled };

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
      latest.current.onScan({ text, source: "camera", symbology });
      showLastRead(outlined(element, outline, outlineColor));
    };
    guard.resume(performance.now());
    element.srcObject = stream;
    void element.play().catch(() => undefined);
    const client = new DecodeClient(JSON.parse(rules), take, noteEngines);
    const stop = pumpFrames(element, client, () => latest.current.onStalled());
    return () => {
      clearTimeout(clear);
      stop();
      client.close();
      element.srcObject = null;
      setSight("nothing");
    };
  }, [video, stream, rules]);

  return sight;
};
