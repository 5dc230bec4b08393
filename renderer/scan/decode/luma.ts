/** A grey picture: one byte a pixel, 0 is black, row by row without padding. All of `decode/` works on it, in the worker and in Node. */
export interface Luma {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Grey from RGBA as canvases and PNG files hold it, with ITU-R 601 weights in 10 bits. */
export const fromRgba = (rgba: Uint8Array | Uint8ClampedArray, width: number, height: number): Luma => {
  const data = new Uint8ClampedArray(width * height);
  for (let pixel = 0, at = 0; pixel < data.length; pixel += 1, at += 4) {
    data[pixel] = (306 * (rgba[at] ?? 0) + 601 * (rgba[at + 1] ?? 0) + 117 * (rgba[at + 2] ?? 0) + 512) >> 10;
  }
  return { data, width, height };
};

/** The part of a picture that a window shows. */
export const crop = (luma: Luma, { left, top, width, height }: Window): Luma => {
  const data = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    const from = (top + y) * luma.width + left;
    data.set(luma.data.subarray(from, from + width), y * width);
  }
  return { data, width, height };
};

/** A part of a picture, in whole pixels. */
export interface Window {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The grey at a point between pixels, bilinear; outside of the picture, as at its edge. */
export const greyAt = ({ data, width, height }: Luma, x: number, y: number): number => {
  const px = x < 0 ? 0 : x > width - 1.001 ? width - 1.001 : x;
  const py = y < 0 ? 0 : y > height - 1.001 ? height - 1.001 : y;
  const left = px | 0;
  const top = py | 0;
  const here = top * width + left;
  const a = data[here] ?? 0;
  const c = data[here + width] ?? 0;
  const upper = a + ((data[here + 1] ?? 0) - a) * (px - left);
  const lower = c + ((data[here + width + 1] ?? 0) - c) * (px - left);
  return upper + (lower - upper) * (py - top);
};

/** Half the size both ways: each pixel is the mean of four. */
export const half = ({ data, width: wide, height: high }: Luma): Luma => {
  const width = wide >> 1;
  const height = high >> 1;
  const out = new Uint8ClampedArray(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0, from = 2 * y * wide, to = y * width; x < width; x += 1, from += 2, to += 1) {
      const below = from + wide;
      out[to] = ((data[from] ?? 0) + (data[from + 1] ?? 0) + (data[below] ?? 0) + (data[below + 1] ?? 0) + 2) >> 2;
    }
  }
  return { data: out, width, height };
};

/** A 1-2-1 filter both ways: halves noise, and blurs a sharp picture little. */
export const soften = ({ data, width, height }: Luma): Luma => {
  const across = new Uint16Array(data.length);
  for (let y = 0; y < height; y += 1) {
    const start = y * width;
    const last = start + width - 1;
    across[start] = 4 * (data[start] ?? 0);
    across[last] = 4 * (data[last] ?? 0);
    for (let at = start + 1; at < last; at += 1) {
      across[at] = (data[at - 1] ?? 0) + 2 * (data[at] ?? 0) + (data[at + 1] ?? 0);
    }
  }
  const out = new Uint8ClampedArray(data.length);
  for (let y = 0; y < height; y += 1) {
    const above = y === 0 ? 0 : -width;
    const below = y === height - 1 ? 0 : width;
    for (let x = 0, at = y * width; x < width; x += 1, at += 1) {
      out[at] = ((across[at + above] ?? 0) + 2 * (across[at] ?? 0) + (across[at + below] ?? 0) + 8) >> 4;
    }
  }
  return { data: out, width, height };
};

/** Twice the size both ways, bilinear. */
export const double = ({ data, width: wide, height: high }: Luma): Luma => {
  const width = wide * 2;
  const out = new Uint8ClampedArray(width * high * 2);
  for (let y = 0; y < high; y += 1) {
    const below = Math.min(high - 1, y + 1) * wide;
    for (let x = 0; x < wide; x += 1) {
      const right = Math.min(wide - 1, x + 1);
      const a = data[y * wide + x] ?? 0;
      const b = data[y * wide + right] ?? 0;
      const c = data[below + x] ?? 0;
      const d = data[below + right] ?? 0;
      const to = 2 * y * width + 2 * x;
      out[to] = a;
      out[to + 1] = (a + b + 1) >> 1;
      out[to + width] = (a + c + 1) >> 1;
      out[to + width + 1] = (a + b + c + d + 2) >> 2;
    }
  }
  return { data: out, width, height: high * 2 };
};

/** Inverts the greys, four pixels at a time. */
export const invert = ({ data, width, height }: Luma): Luma => {
  const out = data.slice();
  const words = new Uint32Array(out.buffer, 0, out.length >> 2);
  for (let at = 0; at < words.length; at += 1) words[at] = ~(words[at] ?? 0);
  for (let at = words.length << 2; at < out.length; at += 1) out[at] = 255 - (out[at] ?? 0);
  return { data: out, width, height };
};

/** Unsharp mask: adds `amount` times the difference to the softened picture. Undoes some blur, and adds noise. */
export const sharpen = (luma: Luma, amount: number): Luma => {
  const { data } = soften(soften(luma));
  for (let at = 0; at < data.length; at += 1) {
    const grey = luma.data[at] ?? 0;
    data[at] = grey + amount * (grey - (data[at] ?? 0));
  }
  return { data, width: luma.width, height: luma.height };
};

const brightShare = 0.9;

/** Adds a bright margin, in place of the quiet zone of a code that reaches the edge. @param margin in pixels. */
export const withMargin = ({ data, width: wide, height: high }: Luma, margin: number): Luma => {
  const counts = new Uint32Array(256);
  for (const grey of data) counts[grey] = (counts[grey] ?? 0) + 1;
  let bright = 0;
  for (let left = data.length * brightShare; bright < 255 && left > 0; bright += 1) left -= counts[bright] ?? 0;
  const width = wide + 2 * margin;
  const out = new Uint8ClampedArray(width * (high + 2 * margin)).fill(bright);
  for (let y = 0; y < high; y += 1) out.set(data.subarray(y * wide, (y + 1) * wide), (y + margin) * width + margin);
  return { data: out, width, height: high + 2 * margin };
};

/** Averages each `rows` rows into one: noise is reduced, upright bars stay. */
export const averageRows = ({ data, width, height: high }: Luma, rows: number): Luma => {
  const height = Math.floor(high / rows);
  const out = new Uint8ClampedArray(width * height);
  const sums = new Uint16Array(width);
  for (let y = 0; y < height; y += 1) {
    sums.fill(rows >> 1);
    for (let row = 0; row < rows; row += 1) {
      const start = (y * rows + row) * width;
      for (let x = 0; x < width; x += 1) sums[x] = (sums[x] ?? 0) + (data[start + x] ?? 0);
    }
    for (let x = 0; x < width; x += 1) out[y * width + x] = (sums[x] ?? 0) / rows;
  }
  return { data: out, width, height };
};
