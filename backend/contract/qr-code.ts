/** QR codes at level M, as modules and as an SVG path. It loads a large library: import it where a code is drawn. */
import bwipjs from "bwip-js/generic";

/** The quiet zone that a code needs on each side, in modules. */
export const quietModules = 4;

/** Rows of modules, true for dark. A fixed mask halves the time, which counts for thousands of codes. */
export const modulesOf = (text: string): readonly (readonly boolean[])[] => {
  const [symbol] = bwipjs.raw("qrcode", text, { eclevel: "M", mask: 1 } as object);
  if (symbol === undefined || !("pixs" in symbol)) throw new Error("no QR code was made");
  const { pixs, pixx } = symbol;
  return Array.from({ length: pixs.length / pixx }, (_, y) =>
    pixs.slice(y * pixx, (y + 1) * pixx).map((pixel) => pixel === 1),
  );
};

/** A code in modules: `size` includes the quiet zone on each side, `path` is the `d` of an SVG path of the dark modules, to be filled. */
export const qrPath = (text: string): { readonly path: string; readonly size: number } => {
  const modules = modulesOf(text);
  const rows = modules.map((row, y) => {
    const runs = row.map(Number).join("").matchAll(/1+/g);
    return [...runs]
      .map(({ index, 0: { length } }) => `M${index + quietModules} ${y + quietModules}h${length}v1h-${length}z`)
      .join("");
  });
  return { path: rows.join(""), size: modules.length + 2 * quietModules };
};
