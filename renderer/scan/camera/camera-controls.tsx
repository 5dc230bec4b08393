/** What can be pressed beside the camera's picture. TypeScript's library does not know the constraints of light, zoom and focus. */

import { Button, NativeSelect } from "@mantine/core";
import { t } from "i18next";
import { useEffect, useMemo, useState } from "react";
import type { CameraDevice, CameraProblem } from "./camera-session.ts";

interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

const isRange = (value: unknown): value is Range =>
  typeof value === "object" &&
  value !== null &&
  "min" in value &&
  "max" in value &&
  Number(value.max) > Number(value.min);

/** What the camera of this stream can do; nothing in browsers that do not say. */
const featuresOf = (stream: MediaStream) => {
  const { torch, zoom, focusMode }: Record<string, unknown> = { ...stream.getVideoTracks()[0]?.getCapabilities?.() };
  const modes: readonly unknown[] = Array.isArray(focusMode) ? focusMode : [];
  const continuous = modes.includes("continuous");
  return {
    torch: torch === true,
    zoom: isRange(zoom) ? { min: zoom.min, max: zoom.max, step: zoom.step || 0.1 } : null,
    /** It can keep focusing by itself. */
    continuous,
    /** It can be told to focus once, too. */
    refocus: continuous && modes.includes("single-shot"),
  };
};

/** A camera that refuses is left as it is: it works without. */
const apply = async (stream: MediaStream, constraint: Record<string, unknown>): Promise<void> => {
  const advanced = [constraint as MediaTrackConstraintSet];
  await stream
    .getVideoTracks()[0]
    ?.applyConstraints({ advanced })
    .catch(() => undefined);
};

/** Triggers the autofocus once, then returns to continuous focus. */
const refocus = async (stream: MediaStream): Promise<void> => {
  await apply(stream, { focusMode: "single-shot" });
  await apply(stream, { focusMode: "continuous" });
};

/** Light, zoom and focus, as far as the camera has them; most terminals' cameras have none and show nothing here. */
const PictureControls = ({ stream }: { readonly stream: MediaStream }) => {
  const features = useMemo(() => featuresOf(stream), [stream]);
  const [torch, changeTorch] = useState(false);
  const [zoom, changeZoom] = useState<number | null>(null);
  useEffect(() => {
    if (features.continuous) void apply(stream, { focusMode: "continuous" });
  }, [stream, features]);
  return (
    <>
      {features.torch && (
        <Button
          size="sm"
          variant={torch ? "filled" : "default"}
          aria-pressed={torch}
          onClick={() => {
            changeTorch(!torch);
            void apply(stream, { torch: !torch });
          }}
        >
          {t("scan.light")}
        </Button>
      )}
      {features.refocus && (
        <Button size="sm" onClick={() => void refocus(stream)}>
          {t("scan.focus")}
        </Button>
      )}
      {features.zoom && (
        <label className="scan-zoom">
          {t("scan.zoom")}
          <input
            type="range"
            {...features.zoom}
            value={zoom ?? features.zoom.min}
            onChange={({ currentTarget }) => {
              changeZoom(currentTarget.valueAsNumber);
              void apply(stream, { zoom: currentTarget.valueAsNumber });
            }}
          />
        </label>
      )}
    </>
  );
};

interface CameraControlsProps {
  /** Null while there is no picture. */
  readonly stream: MediaStream | null;
  readonly devices: readonly CameraDevice[];
  readonly chosen: string;
  readonly choose: (deviceId: string) => void;
}

/** What the camera can do, and which one reads where there are several. */
export const CameraControls = ({ stream, devices, chosen, choose }: CameraControlsProps) => (
  <div className="scan-controls">
    {stream && <PictureControls stream={stream} />}
    {devices.length > 1 && (
      <NativeSelect
        aria-label={t("scan.chooseCamera")}
        data={devices.map(({ deviceId, label }, index) => ({
          value: deviceId,
          label: label || t("scan.cameraNumber", { number: index + 1 }),
        }))}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
        w={240}
      />
    )}
  </div>
);

/** Why there is no picture, and what to do. */
export const CameraTrouble = ({ problem, retry }: Readonly<{ problem: CameraProblem; retry: () => void }>) => (
  <div className="scan-problem" role="alert">
    <h2>{t(`scan.problem.${problem}.title`)}</h2>
    <p>{t(`scan.problem.${problem}.remedy`)}</p>
    <Button onClick={retry}>{t("scan.tryAgain")}</Button>
  </div>
);
