/** A QR code as the path of a drawing, so that the page needs no code of its own for it. */

const quietModules = 4;

/** A square drawing in modules: `size` with the quiet zone on each side, and its dark modules as the `d` of an SVG path. */
export interface QrPath {
  readonly size: number;
  readonly path: string;
}

/** Level M. Loaded for the first code: a terminal starts without it. */
export const qrPath = async (text: string): Promise<QrPath> => {
  const { default: bwipjs } = await import("bwip-js/node");
  const [symbol] = bwipjs.raw("qrcode", text, { eclevel: "M" } as object);
  if (symbol === undefined || !("pixs" in symbol)) throw new Error("no QR code was made");
  const { pixs, pixx } = symbol;
  const rows = Array.from({ length: pixs.length / pixx }, (_, y) => pixs.slice(y * pixx, (y + 1) * pixx).join(""));
  const path = rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        ({ index, 0: run }) => `M${index + quietModules} ${y + quietModules}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join("");
  return { size: pixx + 2 * quietModules, path };
};
