import { fromRgba, type Luma } from "../decode/luma.ts";

/** Formats whose first plane is the luma itself. */
const planar = new Set(["I420", "I420A", "I422", "I444", "NV12"]);

/** Copies the luma of a video frame, or null where its format has no plane for it. */
const planeOf = async (frame: VideoFrame): Promise<Luma | null> => {
  if (frame.format === null || !planar.has(frame.format)) return null;
  const rect = frame.visibleRect;
  if (!rect) return null;
  const bytes = new Uint8ClampedArray(frame.allocationSize());
  const [layout] = await frame.copyTo(bytes);
  if (!layout) return null;
  const { width, height } = rect;
  if (layout.stride === width) {
    return { data: bytes.subarray(layout.offset, layout.offset + width * height), width, height };
  }
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = layout.offset + y * layout.stride;
    data.set(bytes.subarray(from, from + width), y * width);
  }
  return { data, width, height };
};

let canvas: OffscreenCanvas | undefined;

/** Grey of whatever a browser can draw: slower, works everywhere. */
const drawn = (picture: VideoFrame | ImageBitmap): Luma => {
  const width = "displayWidth" in picture ? picture.displayWidth : picture.width;
  const height = "displayHeight" in picture ? picture.displayHeight : picture.height;
  canvas ??= new OffscreenCanvas(width, height);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error("no 2d context in the worker");
  context.drawImage(picture, 0, 0);
  return fromRgba(context.getImageData(0, 0, width, height).data, width, height);
};

/** The luma of one frame. Closes the frame. */
export const lumaOf = async (picture: VideoFrame | ImageBitmap): Promise<Luma> => {
  try {
    const plane = "copyTo" in picture ? await planeOf(picture).catch(() => null) : null;
    return plane ?? drawn(picture);
  } finally {
    picture.close();
  }
};
