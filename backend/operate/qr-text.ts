/** QR codes: as text for a terminal, with two modules per character, and as an SVG path. */
import bwipjs from "bwip-js/node";

const quietModules = 4;

/** The matrix of a QR code at level M: rows of modules, true for dark. A fixed mask halves the time, which counts for thousands of codes. */
const modulesOf = (text: string): readonly (readonly boolean[])[] => {
  const [symbol] = bwipjs.raw("qrcode", text, { eclevel: "M", mask: 1 } as object);
  if (symbol === undefined || !("pixs" in symbol)) throw new Error("no QR code was made");
  const rows = symbol.pixs.length / symbol.pixx;
  return Array.from({ length: rows }, (_, y) =>
    Array.from({ length: symbol.pixx }, (_, x) => symbol.pixs[y * symbol.pixx + x] === 1),
  );
};

/** Lines of block characters; escape codes make it black on white whatever the terminal's colours. */
export const qrText = (text: string): string => {
  const modules = modulesOf(text);
  const size = modules.length + 2 * quietModules;
  const isDark = (x: number, y: number) => modules[y - quietModules]?.[x - quietModules] === true;
  const lines: string[] = [];
  for (let y = 0; y < size; y += 2) {
    const cells = Array.from({ length: size }, (_, x) => {
      const [upper, lower] = [isDark(x, y), isDark(x, y + 1)];
      if (upper) return lower ? "█" : "▀";
      return lower ? "▄" : " ";
    });
    lines.push(`\u001b[30;107m${cells.join("")}\u001b[0m`);
  }
  return lines.join("\n");
};

/** The code as the `d` of an SVG path with a stroke one module wide, on a square of `size` modules. */
export const qrPath = (text: string): { readonly path: string; readonly size: number } => {
  const modules = modulesOf(text);
  const rows = modules.map((row, y) => {
    const runs = row
      .map((dark) => (dark ? "1" : "0"))
      .join("")
      .matchAll(/1+/g);
    return [...runs].map((run) => `M${run.index + quietModules} ${y + quietModules}.5h${run[0].length}`).join("");
  });
  return { path: rows.join(""), size: modules.length + 2 * quietModules };
};
