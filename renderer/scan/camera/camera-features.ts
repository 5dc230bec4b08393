/** Light, zoom and focus of the cameras that have them. TypeScript's library does not know these constraints. */

interface Range {
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

/** What a camera can be asked to do. */
export interface CameraFeatures {
  readonly torch: boolean;
  readonly zoom: Range | null;
  readonly refocus: boolean;
}

const isRange = (value: unknown): value is Range =>
  typeof value === "object" &&
  value !== null &&
  "min" in value &&
  "max" in value &&
  Number(value.max) > Number(value.min);

const trackOf = (stream: MediaStream): MediaStreamTrack | undefined => stream.getVideoTracks()[0];

/** What the camera of this stream can do; browsers without the capabilities say: nothing. */
export const featuresOf = (stream: MediaStream): CameraFeatures => {
  const abilities: Record<string, unknown> = { ...trackOf(stream)?.getCapabilities?.() };
  const { torch, zoom, focusMode } = abilities;
  return {
    torch: torch === true,
    zoom: isRange(zoom) ? { min: zoom.min, max: zoom.max, step: zoom.step || 0.1 } : null,
    refocus: Array.isArray(focusMode) && focusMode.includes("single-shot") && focusMode.includes("continuous"),
  };
};

/** A camera that refuses is left as it is: it works without. */
const apply = async (stream: MediaStream, constraint: Record<string, unknown>): Promise<void> => {
  const advanced = [constraint as MediaTrackConstraintSet];
  await trackOf(stream)
    ?.applyConstraints({ advanced })
    .catch(() => undefined);
};

/** Turns the camera's light on or off. */
export const setTorch = (stream: MediaStream, torch: boolean): Promise<void> => apply(stream, { torch });
/** Zooms, in the unit of the range that the camera gave. */
export const setZoom = (stream: MediaStream, zoom: number): Promise<void> => apply(stream, { zoom });

/** Triggers the autofocus once, then returns to continuous focus. */
export const refocus = async (stream: MediaStream): Promise<void> => {
  await apply(stream, { focusMode: "single-shot" });
  await apply(stream, { focusMode: "continuous" });
};

/** What a camera that can should do from the start: keep focusing, and expose for what is near. */
export const prepare = (stream: MediaStream): Promise<void> => {
  const { focusMode }: Record<string, unknown> = { ...trackOf(stream)?.getCapabilities?.() };
  const continuous = Array.isArray(focusMode) && focusMode.includes("continuous");
  return continuous ? apply(stream, { focusMode: "continuous" }) : Promise.resolve();
};
