/** The faults of a camera: blur, shake, little light, noise. */
import type { Luma } from "../../renderer/scan/decode/luma.ts";
import type { Picture } from "./background.ts";
import { normals, type Random } from "./random.ts";

const clamp = (value: number, high: number): number => (value < 0 ? 0 : value > high ? high : value);

/** Gaussian blur with the given standard deviation in pixels. */
export const blur = ({ data, width, height }: Picture, sigmaPx: number): Picture => {
  const radius = Math.ceil(2.6 * sigmaPx);
  const raw = Array.from({ length: 2 * radius + 1 }, (_, at) => Math.exp(-((at - radius) ** 2) / (2 * sigmaPx ** 2)));
  const total = raw.reduce((sum, weight) => sum + weight, 0);
  const kernel = Float32Array.from(raw, (weight) => weight / total);
  const across = new Float32Array(data.length);
  // The row with its ends repeated, so that no pixel needs to ask whether it is near one.
  const padded = new Float32Array(width + 2 * radius);
  for (let y = 0; y < height; y += 1) {
    const row = data.subarray(y * width, (y + 1) * width);
    padded.fill(row[0] ?? 0, 0, radius);
    padded.set(row, radius);
    padded.fill(row[width - 1] ?? 0, radius + width);
    for (let x = 0; x < width; x += 1) {
      let sum = 0;
      for (let at = 0; at < kernel.length; at += 1) sum += (kernel[at] ?? 0) * (padded[x + at] ?? 0);
      across[y * width + x] = sum;
    }
  }
  const out = new Float32Array(data.length);
  for (let y = 0; y < height; y += 1) {
    for (let at = -radius; at <= radius; at += 1) {
      const weight = kernel[at + radius] ?? 0;
      const from = clamp(y + at, height - 1) * width;
      for (let x = 0, to = y * width; x < width; x += 1, to += 1) {
        out[to] = (out[to] ?? 0) + weight * (across[from + x] ?? 0);
      }
    }
  }
  return { data: out, width, height };
};

/** A straight shake of `lengthPx` during the exposure. */
export const shake = ({ data, width, height }: Picture, lengthPx: number, degrees: number): Picture => {
  const steps = Math.max(2, Math.ceil(lengthPx * 1.5));
  const out = new Float32Array(data.length);
  for (let step = 0; step < steps; step += 1) {
    const along = (step / (steps - 1) - 0.5) * lengthPx;
    const dx = Math.round(along * Math.cos((degrees * Math.PI) / 180));
    const dy = Math.round(along * Math.sin((degrees * Math.PI) / 180));
    for (let y = 0; y < height; y += 1) {
      const from = clamp(y + dy, height - 1) * width;
      for (let x = 0, to = y * width; x < width; x += 1, to += 1) {
        out[to] = (out[to] ?? 0) + (data[from + clamp(x + dx, width - 1)] ?? 0) / steps;
      }
    }
  }
  return { data: out, width, height };
};

/** Light to grey levels, with noise that grows with the light as a sensor's does. */
export const expose = (
  { data, width, height }: Picture,
  light: { readonly contrast: number; readonly ambient: number; readonly noise: number },
  random: Random,
): Luma => {
  const out = new Uint8ClampedArray(data.length);
  const step = 1 + 2 * Math.floor(random() * 9000);
  let at = 0;
  for (let pixel = 0; pixel < out.length; pixel += 1) {
    // A new start now and then, else the noise would repeat as a pattern.
    at = (pixel & 8191) === 0 ? Math.floor(random() * 65536) : (at + step) & 65535;
    const level = Math.min(1, light.ambient + light.contrast * (data[pixel] ?? 0));
    out[pixel] = 255 * level + (normals[at] ?? 0) * light.noise * Math.sqrt(0.3 + 0.7 * level);
  }
  return { data: out, width, height };
};
