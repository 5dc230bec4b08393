/** A QR code as text for a terminal, with two modules per character. */
import { modulesOf, quietModules } from "../contract/qr-code.ts";

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
